// Exact nearest neighbours: all cases at the k smallest distinct distances.
//
// For overlap and numbers the search is plain.hpp, for graded metrics it is graded.hpp. Neither is approximate: lower
// bounds discard rows, and every row that remains gets its distance in double precision, summed in the order
// `sum_order`.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/memory/memory.hpp"
#include "core/memory/runs.hpp"
#include "core/neighbours/graded.hpp"
#include "core/neighbours/groups.hpp"
#include "core/neighbours/path.hpp"
#include "core/neighbours/plain.hpp"
#include "core/neighbours/question.hpp"
#include "core/neighbours/reach.hpp"
#include "core/neighbours/similarity.hpp"
#include "core/types.hpp"

namespace casebase {

class NearestSearch {
 public:
  NearestSearch(const Memory& memory, const Comparisons& comparisons)
      : memory_(memory),
        question_(memory, comparisons),
        reach_(question_),
        plain_(memory, question_, reach_),
        graded_(memory, question_, reach_),
        paths_(memory.segments.begin(), memory.segments.end()) {}
  NearestSearch(const NearestSearch&) = delete;  // its searches refer to its question and its reach

  // Must be called before a batch of questions.
  void begin(const Comparisons& comparisons, const double* weights) { question_.begin(comparisons, weights); }

  // Sets the question that the calls below are about.
  void ask(const Metric& metric, const std::vector<Column>& queries, std::size_t query, const Scope& scope) {
    question_.set(metric, queries, query, scope);
    for (Path& path : paths_) path.follow(question_);
  }

  // Groups by ascending distance, at most k, or fewer ones that hold enough rows; or the distances of which these
  // groups are joined. The reference is valid until the next call.
  const std::vector<Group>& run(std::size_t k, std::size_t enough = kNoLimit, bool are_joined = true) {
    const Scope& scope = question_.scope();
    reach_.begin(k, enough, scope.within);
    for (std::size_t s = 0; s < memory_.segments.size(); ++s) {
      const Segment& segment = memory_.segments[s];
      question_.look_in(segment);
      reach_.look_in(segment);
      if (question_.comparisons().similarity != Similarity::none)
        look_at_all(segment);
      else if (question_.has_graded())
        graded_.run(segment, scope.first_feature);
      else
        plain_.run(segment, paths_[s], scope.first_feature);
    }
    if (question_.has_graded()) reach_.sort_rows();  // its bounds, and so its order, depend on the questions before
    return are_joined ? reach_.found() : reach_.found_raw();
  }

  // The rows that agree with the query on every feature.
  void identical_rows(std::vector<Row>& rows) {
    rows.clear();
    for (std::size_t s = 0; s < memory_.segments.size(); ++s) {
      const Segment& segment = memory_.segments[s];
      question_.look_in(segment);
      const Range range = paths_[s].agreeing(question_, memory_.n_symbolic);
      for (Row row = range.begin; row < range.end; ++row)
        if (question_.is_candidate(row) && question_.numbers_agree(row, memory_.n_features))
          rows.push_back(segment.first_row + row);
    }
  }

  // The length of the longest prefix of a walk on which some stored case agrees with the query. Within the symbolic and
  // within the numeric features, the walk must follow the order of the memory.
  std::uint32_t shared_features(const Metric& metric, const std::vector<Column>& queries, std::size_t query,
                                const std::uint32_t* walk) {
    std::uint32_t deepest = 0;
    for (std::size_t s = 0; s < memory_.segments.size(); ++s) {
      const Segment& segment = memory_.segments[s];
      ask(metric, queries, query, Scope{});
      question_.look_in(segment);
      Row begin = 0, end = static_cast<Row>(segment.n_rows);
      for (std::uint32_t depth = 0; depth < memory_.n_features; ++depth) {
        const std::uint32_t f = walk[depth];
        if (f < memory_.n_symbolic) {
          const Range range = paths_[s].agreeing(question_, f + 1);
          begin = std::min(std::max(begin, range.begin), range.end);
          end = range.end;
        } else {
          question_.ask_for_number();
        }
        // Rows with another number are passed over before the other conditions are looked at; most rows have one.
        const double number = f < memory_.n_symbolic ? std::nan("") : question_.numbers()[f];
        if (std::isnan(number)) {
          while (begin < end && !question_.is_candidate(begin)) ++begin;
        } else {
          const auto* numbers = static_cast<const double*>(segment.columns[f].data);
          while (begin < end && (numbers[begin] != number || !question_.is_candidate(begin))) ++begin;
        }
        if (begin == end) break;
        deepest = std::max(deepest, depth + 1);
      }
    }
    return deepest;
  }

  // The cost that each feature adds to the distance of some rows, row by row, before the sum is divided or its root
  // taken; 0 where whole rows are compared.
  void feature_costs(const Metric& metric, const std::vector<Column>& queries, std::size_t query, const Scope& scope,
                     const Row* rows, std::size_t n_rows, double* out) {
    question_.set(metric, queries, query, scope);
    for (std::size_t i = 0; i < n_rows; ++i) feature_costs(scope, rows[i], out + i * memory_.n_features);
  }

 private:
  void feature_costs(const Scope& scope, Row row, double* out) {
    for (const Segment& segment : memory_.segments) {
      if (row < segment.first_row || row - segment.first_row >= segment.n_rows) continue;
      question_.look_in(segment);
      for (std::size_t f = 0; f < memory_.n_features; ++f)
        out[f] = f < scope.first_feature || question_.metric().weights[f] == 0.0 ||
                         question_.comparisons().similarity != Similarity::none
                     ? 0.0
                     : question_.cost(f, row - segment.first_row);
    }
  }

  // For metrics of whole rows there are no bounds: all rows are examined.
  void look_at_all(const Segment& segment) {
    std::array<double, kBlock> distances;
    for (Row block = 0; block < segment.n_rows; block += static_cast<Row>(kBlock)) {
      const std::size_t n = std::min<std::size_t>(kBlock, segment.n_rows - block);
      similarity_distances(question_.comparisons().similarity, segment.columns.data(), question_.numbers(),
                           question_.metric().weights, question_.metric().sum_order, memory_.n_features, block, n,
                           distances.data());
      for (std::size_t i = 0; i < n; ++i) {
        const Row row = block + static_cast<Row>(i);
        const double d = segment.divisors != nullptr ? distances[i] / segment.divisors[row] : distances[i];
        if (d <= reach_.bound() && question_.is_candidate(row)) reach_.note(row, d);
      }
    }
  }

  const Memory& memory_;
  Question question_;
  Reach reach_;
  PlainSearch plain_;
  GradedSearch graded_;
  std::vector<Path> paths_;  // one per segment
};

}  // namespace casebase
