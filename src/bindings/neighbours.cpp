// The search for neighbours, the count of their votes, and the tree of IGTree, for Python.
#include "core/neighbours/neighbours.hpp"

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
#include "bindings/search.hpp"
#include "core/neighbours/correction.hpp"
#include "core/neighbours/igtree.hpp"
#include "core/neighbours/stream_tree.hpp"
#include "core/parallel.hpp"
#include "core/votes.hpp"

using namespace casebase;

namespace {

template <class T>
std::vector<T> copied(const Vector<T>& array) {
  return {array.data(), array.data() + array.shape(0)};
}

ValueDifference new_value_difference(const std::string& kind, const Vector<std::uint64_t>& start,
                                     const Vector<Label>& label, const Vector<double>& count, std::size_t n_classes,
                                     double threshold, double unknown_cost, bool lists_emptied) {
  using Kind = ValueDifference::Kind;
  require(kind == "mvdm" || kind == "jeffrey" || kind == "jensen_shannon", "an unknown value difference");
  require(start.shape(0) > 0 && start.data()[0] == 0 && label.shape(0) == count.shape(0) &&
              start.data()[start.shape(0) - 1] == label.shape(0),
          "starts, labels and counts do not fit");
  for (std::size_t v = 0; v + 1 < start.shape(0); ++v) {
    require(start.data()[v] <= start.data()[v + 1], "starts must ascend");
    for (auto i = start.data()[v]; i < start.data()[v + 1]; ++i)
      require(label.data()[i] < n_classes && count.data()[i] > 0.0 &&
                  (i == start.data()[v] || label.data()[i - 1] < label.data()[i]),
              "labels must ascend within a value and be known, counts must be positive");
  }
  return {kind == "mvdm"      ? Kind::mvdm
          : kind == "jeffrey" ? Kind::jeffrey
                              : Kind::jensen_shannon,
          copied(start),
          copied(label),
          copied(count),
          n_classes,
          threshold,
          unknown_cost,
          lists_emptied};
}

Texts new_texts(const Vector<std::uint32_t>& characters, const Vector<std::int64_t>& start) {
  require(start.shape(0) > 0 && start.data()[0] == 0 &&
              start.data()[start.shape(0) - 1] == static_cast<std::int64_t>(characters.shape(0)),
          "starts and characters do not fit");
  Texts texts;
  texts.characters = copied(characters);
  texts.start.clear();
  for (std::size_t i = 0; i < start.shape(0); ++i) {
    require(i == 0 || start.data()[i - 1] <= start.data()[i], "starts must ascend");
    texts.start.push_back(static_cast<std::uint64_t>(start.data()[i]));
  }
  return texts;
}

TextDistance new_text_distance(const std::string& kind, const Texts& stored, double unknown_cost) {
  using Kind = TextDistance::Kind;
  require(kind == "levenshtein" || kind == "levenshtein_no_swap_at_start" || kind == "dice",
          "an unknown distance of texts");
  return {kind == "dice"          ? Kind::dice
          : kind == "levenshtein" ? Kind::levenshtein
                                  : Kind::levenshtein_no_swap_at_start,
          stored, unknown_cost};
}

nb::dict tally_py(const Vector<std::uint32_t>& n_groups, const Vector<double>& group_weight,
                  const Vector<std::uint32_t>& n_rows, const Vector<Row>& rows,
                  const std::vector<std::tuple<Vector<Label>, Numbers>>& segments, const Vector<double>& frequency,
                  const Vector<std::uint32_t>& rank) {
  const std::size_t n_classes = rank.shape(0), n_all_groups = n_rows.shape(0);
  require(group_weight.shape(0) == n_all_groups, "one weight per group");
  const Preference prefer = as_preference(frequency, rank);
  Labelled cases;
  std::size_t n_cases = 0;
  for (const auto& [labels, counts] : segments) {
    cases.segments.push_back({static_cast<Row>(n_cases), labels.data(), optional_data(counts, labels.shape(0))});
    n_cases += labels.shape(0);
  }
  Tally tally;
  {
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < rows.shape(0); ++i) require(rows.data()[i] < n_cases, "a row is out of range");
    Teller teller(cases, n_classes, prefer);
    std::size_t group = 0, at = 0;
    for (std::size_t q = 0; q < n_groups.shape(0); ++q) {
      for (std::uint32_t g = 0; g < n_groups.data()[q]; ++g, ++group) {
        require(group < n_all_groups && n_rows.data()[group] <= rows.shape(0) - at, "groups and rows do not fit");
        teller.add_group(rows.data() + at, n_rows.data()[group], group_weight.data()[group]);
        at += n_rows.data()[group];
      }
      require(teller.has_votes(), "a query without neighbours");
      teller.decide(tally);
    }
  }
  nb::dict out;
  out["label"] = to_numpy(std::move(tally.label));
  out["is_tied"] = to_numpy(std::move(tally.is_tied));
  out["first_vote"] = to_numpy(std::move(tally.first_vote));
  out["vote_label"] = to_numpy(std::move(tally.vote_label));
  out["votes"] = to_numpy(std::move(tally.votes));
  return out;
}

nb::dict tree_arrays(Tree&& tree) {
  nb::dict out;
  out["first_child"] = to_numpy(std::move(tree.first_child));
  out["value"] = to_numpy(std::move(tree.value));
  out["label"] = to_numpy(std::move(tree.label));
  out["first_count"] = to_numpy(std::move(tree.first_count));
  out["count_label"] = to_numpy(std::move(tree.count_label));
  out["count"] = to_numpy(std::move(tree.count));
  return out;
}

// A tree that grows from sorted cases which come in blocks.
class TreeStream {
 public:
  TreeStream(std::size_t n_levels, Vector<double> frequency, Vector<std::uint32_t> rank, bool compress)
      : frequency_(std::move(frequency)),
        rank_(std::move(rank)),
        n_levels_(n_levels),
        tree_(n_levels, rank_.shape(0), as_preference(frequency_, rank_), compress) {}

  void add(const std::vector<AnyVector>& arrays, const Vector<Label>& labels,
           const std::optional<Vector<double>>& counts) {
    const std::size_t n = labels.shape(0), n_classes = rank_.shape(0);
    const auto columns = as_columns(arrays, n);
    require(columns.size() == n_levels_ && count_symbolic(columns) == n_levels_, "a level needs a column of codes");
    const double* case_counts = optional_data(counts, n);
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < n; ++i) require(labels.data()[i] < n_classes, "a label is out of range");
    tree_.add(columns, labels.data(), case_counts, n);
    n_rows_ += n;
  }

  nb::dict finish() {
    require(n_rows_ > 0, "a tree needs at least one case");
    return tree_arrays(tree_.finish());
  }

 private:
  Vector<double> frequency_;
  Vector<std::uint32_t> rank_;
  std::size_t n_levels_, n_rows_ = 0;
  StreamedTree tree_;
};

using CorrectedSegment = std::tuple<std::vector<AnyVector>, Vector<Label>, std::optional<Vector<double>>,
                                    std::optional<Vector<std::uint8_t>>>;

// The sorted cases after a change, with their classes.
void take_segments(const std::vector<CorrectedSegment>& arrays, std::size_t n_levels, std::size_t n_classes,
                   Memory& memory, Labelled& labelled) {
  for (const auto& [columns, labels, counts, removed] : arrays) {
    const std::size_t n = labels.shape(0);
    Segment segment{as_columns(columns, n), n, 0, nullptr, nullptr};
    require(segment.columns.size() >= n_levels, "a segment must have one column per level");
    segment.columns.resize(n_levels);
    require(count_symbolic(segment.columns) == n_levels, "a tree is grown on codes, not on numbers");
    if (removed) {
      require(removed->shape(0) == n, "one mark per row says what is removed");
      segment.removed = removed->data();
    }
    for (std::size_t i = 0; i < n; ++i) require(labels.data()[i] < n_classes, "a label is out of range");
    labelled.segments.push_back({0, labels.data(), optional_data(counts, n)});
    memory.segments.push_back(std::move(segment));
  }
}

nb::dict correct_tree_py(const Vector<std::uint32_t>& first_child, const Vector<std::uint32_t>& value,
                         const Vector<Label>& label, const Vector<std::uint64_t>& first_count,
                         const Vector<Label>& count_label, const Vector<double>& count,
                         const std::vector<CorrectedSegment>& segments, const std::vector<AnyVector>& changed,
                         const Vector<Label>& changed_labels, const Vector<double>& differences,
                         const Vector<double>& frequency, const Vector<std::uint32_t>& rank, bool compress) {
  const std::size_t n_nodes = value.shape(0), n_classes = rank.shape(0), n_changes = changed_labels.shape(0);
  require(n_nodes > 0 && first_child.shape(0) == n_nodes + 1 && first_child.data()[n_nodes] == n_nodes &&
              label.shape(0) == n_nodes && first_count.shape(0) == n_nodes + 1 &&
              count_label.shape(0) == count.shape(0) && first_count.data()[n_nodes] == count.shape(0),
          "not the arrays of a tree");
  for (std::size_t node = 0; node < n_nodes; ++node)
    require(node < first_child.data()[node] && first_child.data()[node] <= first_child.data()[node + 1] &&
                first_count.data()[node] <= first_count.data()[node + 1],
            "not the arrays of a tree");
  for (std::size_t i = 0; i < count_label.shape(0); ++i)
    require(count_label.data()[i] < n_classes, "a label is out of range");
  require(differences.shape(0) == n_changes, "one difference per changed case");
  for (std::size_t i = 0; i < n_changes; ++i) require(changed_labels.data()[i] < n_classes, "a label is out of range");
  const ChangedCases changes{as_columns(changed, n_changes), changed_labels.data(), differences.data(), n_changes};
  require(count_symbolic(changes.columns) == changes.columns.size(), "a tree is grown on codes, not on numbers");
  Memory memory;
  Labelled labelled;
  take_segments(segments, changes.columns.size(), n_classes, memory, labelled);
  const TreeView old{first_child.data(), value.data(),       label.data(),
                     first_count.data(), count_label.data(), count.data()};
  const Preference prefer = as_preference(frequency, rank);
  Tree tree;
  {
    nb::gil_scoped_release unlocked;
    tree = TreeCorrection(old, memory, labelled, changes, n_classes, prefer, compress).run();
  }
  return tree_arrays(std::move(tree));
}

auto walk_tree_py(const Vector<std::uint32_t>& first_child, const Vector<std::uint32_t>& value,
                  const std::vector<AnyVector>& arrays, std::size_t n_queries, unsigned n_threads) {
  const std::size_t n_nodes = value.shape(0);
  require(n_nodes > 0 && first_child.shape(0) == n_nodes + 1 && first_child.data()[n_nodes] == n_nodes,
          "not the arrays of a tree");
  for (std::size_t node = 0; node < n_nodes; ++node)  // children come after their parents: every walk ends
    require(node < first_child.data()[node] && first_child.data()[node] <= first_child.data()[node + 1],
            "not the arrays of a tree");
  const auto queries = as_columns(arrays, n_queries);
  require(count_symbolic(queries) == queries.size(), "a tree is walked with codes, not with numbers");
  std::vector<std::uint32_t> node(n_queries), depth(n_queries);
  {
    nb::gil_scoped_release unlocked;
    for_blocks(n_queries, 4096, n_threads, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t q = begin; q < end; ++q) {
        const Walk at = walk_tree(first_child.data(), value.data(), queries, q);
        node[q] = at.node;
        depth[q] = at.depth;
      }
    });
  }
  return nb::make_tuple(to_numpy(std::move(node)), to_numpy(std::move(depth)));
}

}  // namespace

void bind_neighbours(nb::module_& m) {
  nb::class_<ValueDifference>(m, "ValueDifference")
      .def(nb::new_(&new_value_difference), nb::arg("kind"), nb::arg("start"), nb::arg("label"), nb::arg("count"),
           nb::arg("n_classes"), nb::arg("threshold"), nb::arg("unknown_cost"), nb::arg("lists_emptied"));
  nb::class_<Texts>(m, "Texts").def(nb::new_(&new_texts), nb::arg("characters"), nb::arg("start"));
  nb::class_<TextDistance>(m, "TextDistance")
      .def(nb::new_(&new_text_distance), nb::arg("kind"), nb::arg("stored"), nb::arg("unknown_cost"));
  nb::class_<AskedArrays>(m, "Asked")
      .def(nb::init<std::vector<AnyVector>, std::size_t, Matrix<double>, Matrix<double>, Matrix<std::uint32_t>,
                    Matrix<std::uint32_t>, std::optional<Vector<Label>>, Numbers, nb::list, Numbers>(),
           nb::arg("columns"), nb::arg("n_questions"), nb::arg("weights"), nb::arg("ranges"), nb::arg("sum_order"),
           nb::arg("scopes"), nb::arg("own_labels").none(), nb::arg("own_counts").none(), nb::arg("texts"),
           nb::arg("within").none() = nb::none());
  nb::class_<Search>(m, "Search")
      .def(nb::init<std::vector<SegmentArrays>, nb::list, bool, bool, const std::string&>(), nb::arg("segments"),
           nb::arg("comparisons"), nb::arg("missing_agrees"), nb::arg("is_rooted"), nb::arg("similarity"))
      .def("nearest", &Search::nearest, nb::arg("asked"), nb::arg("k"), nb::arg("exact"), nb::arg("n_threads"),
           nb::arg("enough") = kNoLimit, nb::arg("are_joined") = true)
      .def("shared_features", &Search::shared_features, nb::arg("asked"), nb::arg("walk"), nb::arg("n_threads"))
      .def("feature_costs", &Search::feature_costs, nb::arg("asked"), nb::arg("n_rows"), nb::arg("rows"));
  m.def("tally", &tally_py, nb::arg("n_groups"), nb::arg("group_weight"), nb::arg("n_rows"), nb::arg("rows"),
        nb::arg("segments"), nb::arg("frequency"), nb::arg("rank"));
  nb::class_<TreeStream>(m, "TreeStream")
      .def(nb::init<std::size_t, Vector<double>, Vector<std::uint32_t>, bool>(), nb::arg("n_levels"),
           nb::arg("frequency"), nb::arg("rank"), nb::arg("compress"))
      .def("add", &TreeStream::add, nb::arg("columns"), nb::arg("labels"), nb::arg("counts").none())
      .def("finish", &TreeStream::finish);
  m.def("correct_tree", &correct_tree_py, nb::arg("first_child"), nb::arg("value"), nb::arg("label"),
        nb::arg("first_count"), nb::arg("count_label"), nb::arg("count"), nb::arg("segments"), nb::arg("changed"),
        nb::arg("changed_labels"), nb::arg("differences"), nb::arg("frequency"), nb::arg("rank"), nb::arg("compress"));
  m.def("walk_tree", &walk_tree_py, nb::arg("first_child"), nb::arg("value"), nb::arg("queries"), nb::arg("n_queries"),
        nb::arg("n_threads"));
}
