// The path of a question through a segment: the nested ranges of rows that agree with it on 0, 1, 2 … features.
//
// Finding a range takes a binary search, which misses the cache at every step in a large memory. So the ranges are
// found once for all that ask for them, and those of the values that the next question shares are kept for it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/memory/memory.hpp"
#include "core/memory/runs.hpp"
#include "core/neighbours/question.hpp"
#include "core/types.hpp"

namespace casebase {

class Path {
 public:
  explicit Path(const Segment& segment) : segment_(segment), ranges_(1, {0, static_cast<Row>(segment.n_rows)}) {}

  // Must be called before another question.
  void follow(const Question& question) {
    std::size_t n_shared = 0;
    while (n_shared < codes_.size() && codes_[n_shared] == question.code(n_shared)) ++n_shared;
    codes_.resize(n_shared);
    ranges_.resize(n_shared + 1);
  }

  // The rows that agree with the question on the first n symbolic features.
  std::pair<Row, Row> agreeing(const Question& question, std::size_t n) {
    while (codes_.size() < n && ranges_.back().first < ranges_.back().second) {
      const std::size_t f = codes_.size();
      const auto [begin, end] = ranges_.back();
      codes_.push_back(question.code(f));
      ranges_.push_back(rows_with(segment_.columns[f], codes_[f], begin, end));
    }
    return ranges_[std::min(n, codes_.size())];
  }

 private:
  const Segment& segment_;
  std::vector<std::uint32_t> codes_;
  std::vector<std::pair<Row, Row>> ranges_;  // after 0, 1, 2 … of these codes; none but the last is empty
};

}  // namespace casebase
