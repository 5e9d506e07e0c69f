// Case bases that are asked one question at a time, and the tagging of text with them, for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "core/tagging.hpp"
#include "search.hpp"

using namespace casebase;

namespace {

struct TreeOfArrays {
  Vector<std::uint32_t> first_child, value;
  Vector<Label> label;
  Vector<std::uint64_t> first_count;
  Vector<Label> count_label;
  Vector<double> count;
};

TreeView checked_tree(const TreeOfArrays& tree, std::size_t n_classes) {
  const std::size_t n_nodes = tree.value.shape(0), n_counts = tree.count.shape(0);
  const char* message = "not the arrays of a tree";
  require(n_nodes > 0 && tree.first_child.shape(0) == n_nodes + 1 && tree.first_child.data()[n_nodes] == n_nodes &&
              tree.label.shape(0) == n_nodes && tree.first_count.shape(0) == n_nodes + 1 &&
              tree.count_label.shape(0) == n_counts && tree.first_count.data()[n_nodes] == n_counts,
          message);
  for (std::size_t node = 0; node < n_nodes; ++node)  // children stand behind their parents: no walk leaves or loops
    require(
        node < tree.first_child.data()[node] && tree.first_child.data()[node] <= tree.first_child.data()[node + 1] &&
            tree.first_count.data()[node] <= tree.first_count.data()[node + 1] && tree.label.data()[node] < n_classes,
        message);
  for (std::size_t i = 0; i < n_counts; ++i) require(tree.count_label.data()[i] < n_classes, "a label is out of range");
  return {tree.first_child.data(), tree.value.data(),       tree.label.data(),
          tree.first_count.data(), tree.count_label.data(), tree.count.data()};
}

Vote vote_named(const std::string& name) {
  if (name == "equal") return Vote::equal;
  if (name == "inverse_distance") return Vote::inverse_distance;
  if (name == "inverse_linear") return Vote::inverse_linear;
  if (name == "exponential") return Vote::exponential;
  require(name == "timbl_exponential", "an unknown vote");
  return Vote::timbl_exponential;
}

// Stored cases as Python gives them: a search, how features count, classes and counts by segment, and how they vote.
struct CasesOfArrays {
  const Search* search;
  Vector<double> weights, ranges;
  Vector<std::uint32_t> sum_order;
  std::vector<std::tuple<Vector<Label>, Numbers>> segments;
  std::size_t n_cases, k;
  std::string exact, vote;
  bool retries_exact;
  double alpha, beta;
};

StoredCases checked_cases(const CasesOfArrays& arrays, std::size_t n_classes) {
  const Memory& memory = arrays.search->memory();
  const std::size_t n = memory.n_features;
  require(memory.n_symbolic == n, "questions that follow from answers are asked in codes, not in numbers");
  require(arrays.weights.shape(0) == n && arrays.ranges.shape(0) == n && arrays.sum_order.shape(0) == n,
          "weights, ranges and the order of summation must have one number per feature");
  for (std::size_t f = 0; f < n; ++f) {
    require(std::isfinite(arrays.weights.data()[f]) && arrays.weights.data()[f] >= 0.0,
            "weights must be finite and not negative");
    require(arrays.sum_order.data()[f] < n, "the order of summation names a feature that is not there");
    require(arrays.search->comparisons().features[f].kind != Comparison::Kind::text,
            "questions that follow from answers cannot be compared by their letters");
  }
  require(arrays.k >= 1 && arrays.n_cases >= 1, "k and the number of cases must be at least 1");
  require(arrays.segments.size() == memory.segments.size(), "one list of classes per segment");
  StoredCases cases{
      &arrays.search->searches(),
      &arrays.search->comparisons(),
      {arrays.weights.data(), arrays.ranges.data(), arrays.sum_order.data()},
      {},
      arrays.n_cases,
      {arrays.k, exact_named(arrays.exact), arrays.retries_exact, vote_named(arrays.vote), arrays.alpha, arrays.beta}};
  for (std::size_t s = 0; s < memory.segments.size(); ++s) {
    const auto& [labels, counts] = arrays.segments[s];
    const std::size_t n_rows = memory.segments[s].n_rows;
    require(labels.shape(0) == n_rows, "one class per stored case");
    for (std::size_t i = 0; i < n_rows; ++i) require(labels.data()[i] < n_classes, "a label is out of range");
    cases.labelled.segments.push_back({memory.segments[s].first_row, labels.data(), optional_data(counts, n_rows)});
  }
  return cases;
}

// A case base that keeps the arrays that it was made from.
class CaseBaseOfArrays {
 public:
  CaseBaseOfArrays(std::size_t n_features, std::optional<TreeOfArrays> tree, std::size_t n_levels,
                   std::optional<CasesOfArrays> cases, nb::object search, Vector<double> frequency,
                   Vector<std::uint32_t> rank)
      : tree_(std::move(tree)),
        cases_(std::move(cases)),
        search_(std::move(search)),
        frequency_(std::move(frequency)),
        rank_(std::move(rank)) {
    require(tree_ || cases_, "a case base has a tree, or cases, or both");
    require(n_levels <= n_features && (tree_ || n_levels == 0), "a tree has at most as many levels as features");
    base_ = {n_features, std::nullopt, n_levels, std::nullopt, as_preference(frequency_, rank_), rank_.shape(0)};
    if (tree_) base_.tree = checked_tree(*tree_, base_.n_classes);
    if (cases_) {
      base_.cases = checked_cases(*cases_, base_.n_classes);
      require(cases_->search->memory().n_features == n_features, "cases must have one column per feature");
    }
  }

  const CaseBase& base() const { return base_; }

  // How many codes a feature has, where it must not be asked about others.
  std::size_t n_values(std::size_t f) const {
    if (!cases_) return kNeverSeen;
    const Comparison& comparison = cases_->search->comparisons().features[f];
    return comparison.is_graded() ? comparison.n_values() : kNeverSeen;
  }

 private:
  std::optional<TreeOfArrays> tree_;
  std::optional<CasesOfArrays> cases_;
  nb::object search_;
  Vector<double> frequency_;
  Vector<std::uint32_t> rank_;
  CaseBase base_;
};

using Entries = std::optional<Vector<std::uint32_t>>;
using Asked = std::tuple<const CaseBaseOfArrays*, std::vector<std::tuple<Entries, std::ptrdiff_t, AnyVector>>,
                         Vector<std::uint32_t>>;

std::vector<WordBase> word_bases(const std::vector<Asked>& asked, std::size_t n_tokens, std::size_t n_tags) {
  std::vector<WordBase> bases;
  for (const auto& [base, features, tag_of_class] : asked) {
    require(features.size() == base->base().n_features, "one source per feature");
    require(tag_of_class.shape(0) == base->base().n_classes, "one tag per class");
    for (std::size_t c = 0; c < tag_of_class.shape(0); ++c)
      require(tag_of_class.data()[c] < n_tags, "a tag is out of range");
    WordBase word_base{base->base(), {}, tag_of_class.data()};
    for (std::size_t f = 0; f < features.size(); ++f) {
      const auto& [entries, offset, codes] = features[f];
      const Column column = as_column(codes);
      const std::size_t n_codes = codes.shape(0);
      require(!column.is_numeric() && n_codes > 0, "a feature has codes, the last one for places outside");
      for (std::size_t i = 0; i < n_codes; ++i)
        require(column.code(i) == kNeverSeen || column.code(i) < base->n_values(f), "a code is out of range");
      if (entries) {
        require(entries->shape(0) == n_tokens, "one entry per token");
        for (std::size_t i = 0; i < n_tokens; ++i)
          require(entries->data()[i] + std::size_t{1} < n_codes, "an entry is out of range");
      } else {
        require(offset < 0 && n_codes == n_tags + 1, "tags are known to the left, and each has a code");
      }
      word_base.features.push_back({entries ? entries->data() : nullptr, offset, column, n_codes});
    }
    bases.push_back(std::move(word_base));
  }
  return bases;
}

auto tag_text_py(const std::vector<Asked>& asked, const Vector<std::uint64_t>& first, const Vector<std::uint8_t>& which,
                 std::size_t n_tags, std::size_t beam, unsigned n_threads) {
  const std::size_t n_tokens = which.shape(0);
  require(beam >= 1, "a beam has at least one path");
  require(first.shape(0) > 0 && first.data()[0] == 0 && first.data()[first.shape(0) - 1] == n_tokens,
          "sentences and tokens do not fit");
  for (std::size_t s = 0; s + 1 < first.shape(0); ++s)
    require(first.data()[s] <= first.data()[s + 1], "sentences must follow each other");
  for (std::size_t i = 0; i < n_tokens; ++i) require(which.data()[i] < asked.size(), "there is no such case base");
  const std::vector<WordBase> bases = word_bases(asked, n_tokens, n_tags);
  const TaggedText text{first.data(), first.shape(0) - 1, which.data()};
  std::vector<std::uint32_t> tags;
  {
    nb::gil_scoped_release unlocked;
    tags = tag_text(bases, text, beam, n_threads);
  }
  return to_numpy(std::move(tags));
}

}  // namespace

void bind_tagging(nb::module_& m) {
  nb::class_<TreeOfArrays>(m, "TreeOfArrays")
      .def(nb::init<Vector<std::uint32_t>, Vector<std::uint32_t>, Vector<Label>, Vector<std::uint64_t>, Vector<Label>,
                    Vector<double>>(),
           nb::arg("first_child"), nb::arg("value"), nb::arg("label"), nb::arg("first_count"), nb::arg("count_label"),
           nb::arg("count"));
  nb::class_<CasesOfArrays>(m, "CasesOfArrays")
      .def(nb::init<const Search*, Vector<double>, Vector<double>, Vector<std::uint32_t>,
                    std::vector<std::tuple<Vector<Label>, Numbers>>, std::size_t, std::size_t, std::string, std::string,
                    bool, double, double>(),
           nb::keep_alive<1, 2>(), nb::arg("search"), nb::arg("weights"), nb::arg("ranges"), nb::arg("sum_order"),
           nb::arg("segments"), nb::arg("n_cases"), nb::arg("k"), nb::arg("exact"), nb::arg("vote"),
           nb::arg("retries_exact"), nb::arg("alpha"), nb::arg("beta"));
  nb::class_<CaseBaseOfArrays>(m, "CaseBase")
      .def(nb::init<std::size_t, std::optional<TreeOfArrays>, std::size_t, std::optional<CasesOfArrays>, nb::object,
                    Vector<double>, Vector<std::uint32_t>>(),
           nb::arg("n_features"), nb::arg("tree").none(), nb::arg("n_levels"), nb::arg("cases").none(),
           nb::arg("search").none(), nb::arg("frequency"), nb::arg("rank"));
  m.def("tag_text", &tag_text_py, nb::arg("asked"), nb::arg("first"), nb::arg("which"), nb::arg("n_tags"),
        nb::arg("beam"), nb::arg("n_threads"));
}
