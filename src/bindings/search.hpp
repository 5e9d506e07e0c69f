// The search index of a memory, for Python and for the other bindings.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/neighbours/layout.hpp"
#include "core/neighbours/neighbours.hpp"

namespace casebase {

inline Similarity similarity_named(const std::string& name) {
  if (name == "none") return Similarity::none;
  if (name == "cosine") return Similarity::cosine;
  if (name == "cosine_unrounded") return Similarity::cosine_unrounded;
  require(name == "dot", "an unknown similarity");
  return Similarity::dot;
}

inline ExactMatch exact_named(const std::string& name) {
  if (name == "never") return ExactMatch::never;
  if (name == "first") return ExactMatch::first;
  require(name == "alone", "exact is never, first or alone");
  return ExactMatch::alone;
}

using Mask = std::optional<Vector<std::uint8_t>>;
using Numbers = std::optional<Vector<double>>;
using SegmentArrays = std::tuple<std::vector<AnyVector>, Vector<Label>, Mask, Numbers>;  // columns, classes, …

// Questions in the form that the search takes: columns, weights, ranges, order of summation, scopes, classes and counts
// of held-out cases, texts of values that are not stored, and the largest distances of interest.
struct AskedArrays {
  std::vector<AnyVector> columns;
  std::size_t size;
  Matrix<double> weights, ranges;
  Matrix<std::uint32_t> sum_order, scopes;
  std::optional<Vector<Label>> own_labels;
  Numbers own_counts;
  nb::list texts;
  Numbers within;
};

template <class T>
Rows<T> as_rows(const Matrix<T>& matrix, std::size_t n_queries, std::size_t n_columns, const char* message) {
  require((matrix.shape(0) == 1 || matrix.shape(0) == n_queries) && matrix.shape(1) == n_columns, message);
  return {matrix.data(), matrix.shape(0), matrix.shape(1)};
}

// The search index of a memory. It keeps the arrays that it was built from.
class Search {
 public:
  Search(std::vector<SegmentArrays> segments, nb::list comparisons, bool missing_agrees, bool is_rooted,
         const std::string& similarity)
      : segments_(std::move(segments)), objects_(comparisons) {
    require(!segments_.empty(), "a memory has at least one segment");
    comparisons_ = {{}, missing_agrees, is_rooted, true, 1.0, similarity_named(similarity)};
    for (nb::handle object : comparisons) comparisons_.features.push_back(as_comparison(object));
    memory_.n_features = comparisons_.features.size();
    std::size_t n_rows = 0;
    for (const auto& [arrays, labels, removed, divisors] : segments_) {
      const std::size_t n = labels.shape(0);
      Segment segment{as_columns(arrays, n), n, static_cast<Row>(n_rows), nullptr, nullptr, labels.data()};
      require(segment.columns.size() == memory_.n_features, "a segment must have one column per comparison");
      memory_.n_symbolic = count_symbolic(segment.columns);
      check_columns(segment);
      segment.layout = laid_out(segment.columns, n, memory_.n_symbolic, comparisons_.features);
      if (removed) {
        require(removed->shape(0) == n, "one mark per row says what is removed");
        segment.removed = removed->data();
      }
      if (divisors) {
        require(divisors->shape(0) == n, "one divisor per row");
        segment.divisors = divisors->data();
        for (std::size_t i = 0; i < n; ++i) {
          require(std::isfinite(segment.divisors[i]) && segment.divisors[i] > 0.0, "divisors must be positive");
          comparisons_.largest_divisor = std::max(comparisons_.largest_divisor, segment.divisors[i]);
        }
      }
      n_rows += n;
      require(n_rows < 0xFFFF0000u, "there are more rows than 32 bits can count");
      memory_.segments.push_back(std::move(segment));
    }
    require(comparisons_.similarity == Similarity::none || memory_.n_symbolic == 0,
            "vectors to be compared as a whole hold numbers only");
    searches_ = std::make_unique<Searches>(memory_, comparisons_);
  }

  nb::dict nearest(const AskedArrays& arrays, std::size_t k, const std::string& exact, unsigned n_threads,
                   std::size_t enough, bool are_joined) const {
    require(k >= 1, "k must be at least 1");
    require(enough >= 1, "at least one row must be enough");
    const ExactMatch match = exact_named(exact);
    Comparisons comparisons = comparisons_;
    const Questions asked = checked(arrays, comparisons);
    Neighbours found;
    {
      nb::gil_scoped_release unlocked;
      found = find_neighbours(*searches_, comparisons, asked, k, match, n_threads, enough, are_joined);
    }
    nb::dict out;
    out["distance"] = to_numpy(std::move(found.distance));
    out["n_rows"] = to_numpy(std::move(found.n_rows));
    out["n_groups"] = to_numpy(std::move(found.n_groups));
    out["rows"] = to_numpy(std::move(found.rows));
    out["is_exact"] = to_numpy(std::move(found.is_exact));
    return out;
  }

  auto shared_features(const AskedArrays& arrays, const Vector<std::uint32_t>& walk, unsigned n_threads) const {
    check_walk(walk);
    Comparisons comparisons = comparisons_;
    const Questions asked = checked(arrays, comparisons);
    std::vector<std::uint32_t> depth(asked.size);
    {
      nb::gil_scoped_release unlocked;
      const std::vector<std::uint32_t> order = order_to_ask(asked);
      for_blocks(
          asked.size, 256, n_threads, [&] { return searches_->lend(comparisons, asked); },
          [&](Searches::Lent& search, std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
              const std::uint32_t q = order[i];
              depth[q] = (*search).shared_features(asked.metric(q), asked.columns, q, walk.data());
            }
          });
    }
    return to_numpy(std::move(depth));
  }

  // The cost that each feature adds to the distance between questions and rows, row by row: the first n_rows[0] rows
  // belong to the first question, the next n_rows[1] to the second, and so on.
  auto feature_costs(const AskedArrays& arrays, const Vector<std::uint32_t>& n_rows, const Vector<Row>& rows) const {
    Comparisons comparisons = comparisons_;
    const Questions asked = checked(arrays, comparisons);
    require(n_rows.shape(0) == asked.size, "one number of rows per question");
    const Segment& last = memory_.segments.back();
    auto search = searches_->lend(comparisons, asked);
    std::vector<double> costs(rows.shape(0) * memory_.n_features);
    for (std::size_t i = 0; i < rows.shape(0); ++i)
      require(rows.data()[i] < last.first_row + last.n_rows, "a row is out of range");
    std::size_t at = 0;
    for (std::size_t q = 0; q < asked.size; ++q) {
      const std::size_t n = n_rows.data()[q];
      require(n <= rows.shape(0) - at, "questions and rows do not fit");
      (*search).feature_costs(asked.metric(q), asked.columns, q, asked.scope(q), rows.data() + at, n,
                              costs.data() + at * memory_.n_features);
      at += n;
    }
    require(at == rows.shape(0), "questions and rows do not fit");
    return to_numpy(std::move(costs));
  }

  // The memory in the form of the core.
  const Memory& memory() const { return memory_; }
  const Comparisons& comparisons() const { return comparisons_; }
  Searches& searches() const { return *searches_; }

 private:
  void check_walk(const Vector<std::uint32_t>& walk) const {
    require(walk.shape(0) == memory_.n_features, "a walk comes to every feature");
    std::uint32_t next_symbol = 0, next_number = static_cast<std::uint32_t>(memory_.n_symbolic);
    for (std::size_t i = 0; i < walk.shape(0); ++i)
      require(walk.data()[i] == (walk.data()[i] < memory_.n_symbolic ? next_symbol++ : next_number++),
              "a walk comes to symbols, and to numbers, in the order of the memory");
  }

  static Comparison as_comparison(nb::handle object) {
    using Kind = Comparison::Kind;
    if (nb::isinstance<ValueDifference>(object))
      return {Kind::difference, nb::cast<const ValueDifference*>(object), nullptr, nullptr};
    if (nb::isinstance<TextDistance>(object))
      return {Kind::text, nullptr, nb::cast<const TextDistance*>(object), nullptr};
    require(nb::isinstance<nb::str>(object), "a comparison is a name, a ValueDifference or a TextDistance");
    const auto name = nb::cast<std::string>(object);
    if (name == "overlap") return {};
    if (name == "numeric") return {Kind::numeric, nullptr, nullptr, nullptr};
    if (name == "squared") return {Kind::squared, nullptr, nullptr, nullptr};
    require(name == "root_of_squares", "an unknown comparison");
    return {Kind::root_of_squares, nullptr, nullptr, nullptr};
  }

  void check_columns(const Segment& segment) const {
    using Kind = Comparison::Kind;
    for (std::size_t f = 0; f < memory_.n_features; ++f) {
      const Comparison& comparison = comparisons_.features[f];
      const bool is_symbolic = comparison.kind == Kind::overlap || comparison.is_graded();
      require(is_symbolic != segment.columns[f].is_numeric(), "a column does not fit the way it is compared");
      if (!comparison.is_graded()) continue;
      for (std::size_t row = 0; row < segment.n_rows; ++row)
        require(segment.columns[f].code(row) < comparison.n_values(), "a code is out of range");
    }
  }

  Questions checked(const AskedArrays& arrays, Comparisons& comparisons) const {
    const std::size_t n = arrays.size, n_features = memory_.n_features;
    const char* per_feature = "weights and ranges must have one number per feature";
    Questions asked{
        as_columns(arrays.columns, n),
        n,
        as_rows(arrays.weights, n, n_features, per_feature),
        as_rows(arrays.ranges, n, n_features, per_feature),
        as_rows(arrays.sum_order, n, n_features, "the order of summation must name every feature"),
        as_rows(arrays.scopes, n, arrays.scopes.shape(1), "a scope for all questions, or one each"),
        nullptr,
        nullptr,
        nullptr,
    };
    require(asked.columns.size() == n_features, "queries must have one column per column of the memory");
    require(count_symbolic(asked.columns) == memory_.n_symbolic, "query columns must have the memory's kinds");
    for (std::size_t i = 0; i < arrays.weights.size(); ++i)
      require(std::isfinite(arrays.weights.data()[i]) && arrays.weights.data()[i] >= 0.0,
              "weights must be finite and not negative");
    for (std::size_t i = 0; i < arrays.ranges.size(); ++i)
      require(std::isfinite(arrays.ranges.data()[i]), "ranges must be finite");
    for (std::size_t i = 0; i < arrays.sum_order.size(); ++i)
      require(arrays.sum_order.data()[i] < n_features, "the order of summation names a feature that is not there");
    const std::size_t in_scope = arrays.scopes.shape(1);
    require(in_scope >= kInScope, "a scope is four numbers, and a bit per class if some are left out");
    for (std::size_t i = 0; i < arrays.scopes.shape(0); ++i)
      require(arrays.scopes.data()[in_scope * i] <= memory_.n_symbolic &&
                  arrays.scopes.data()[in_scope * i + 2] <= n_features - memory_.n_symbolic,
              "a scope is out of range");
    if (arrays.own_labels) {
      require(arrays.own_counts && arrays.own_labels->shape(0) == n && arrays.own_counts->shape(0) == n,
              "one class and one count per case left out");
      asked.own_labels = arrays.own_labels->data();
      asked.own_counts = arrays.own_counts->data();
    }
    if (arrays.within) {
      require(arrays.within->shape(0) == n, "one largest distance per question");
      asked.within = arrays.within->data();
    }
    comparisons.keeps_rows = arrays.weights.shape(0) == 1 && !arrays.own_labels;
    add_texts(arrays, asked, comparisons);
    return asked;
  }

  // Texts of questions that are not stored have codes after those that are.
  void add_texts(const AskedArrays& arrays, const Questions& asked, Comparisons& comparisons) const {
    require(nb::len(arrays.texts) == memory_.n_features, "one list of asked texts, or None, per feature");
    for (std::size_t f = 0; f < memory_.n_features; ++f) {
      Comparison& comparison = comparisons.features[f];
      if (comparison.kind != Comparison::Kind::text) continue;
      require(nb::isinstance<Texts>(arrays.texts[f]), "a feature that is compared as text needs the asked texts");
      comparison.asked_texts = nb::cast<const Texts*>(arrays.texts[f]);
      const std::size_t n_texts = comparison.n_values() + comparison.asked_texts->size();
      for (std::size_t q = 0; q < asked.size; ++q)
        require(asked.columns[f].code(q) < n_texts, "an asked value has no text");
    }
  }

  std::vector<SegmentArrays> segments_;
  nb::list objects_;
  Memory memory_;
  Comparisons comparisons_;
  std::unique_ptr<Searches> searches_;
};

}  // namespace casebase
