// The path of a question through a segment: the nested ranges of rows that agree with it on 0, 1, 2 … features.
//
// Finding a range takes a binary search, which misses the cache at every step in a large memory. So the ranges are
// found once for all that ask for them, and those of the values that the next question shares are kept for it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/memory/long_runs.hpp"
#include "core/memory/memory.hpp"
#include "core/neighbours/question.hpp"
#include "core/types.hpp"

namespace casebase {

class Path {
 public:
  explicit Path(const Segment& segment) : runs_(segment), ranges_(1, runs_.all()) {}

  // Must be called before another question.
  void follow(const Question& question) {
    std::size_t n_shared = 0;
    while (n_shared < codes_.size() && codes_[n_shared] == question.code(n_shared)) ++n_shared;
    if (runs_.are_many()) {
      runs_.forget();
      n_shared = 0;
    }
    codes_.resize(n_shared);
    ranges_.resize(n_shared + 1);
  }

  // The rows that agree with the question on the first n symbolic features.
  Range agreeing(const Question& question, std::size_t n) {
    while (codes_.size() < n && !ranges_.back().is_empty()) {
      const auto f = static_cast<std::uint32_t>(codes_.size());
      codes_.push_back(question.code(f));
      ranges_.push_back(runs_.with(ranges_.back(), f, codes_[f]));
    }
    return ranges_[std::min(n, codes_.size())];
  }

  LongRuns& runs() { return runs_; }

 private:
  LongRuns runs_;
  std::vector<std::uint32_t> codes_;
  std::vector<Range> ranges_;  // after 0, 1, 2 … of these codes; none but the last is empty
};

}  // namespace casebase
