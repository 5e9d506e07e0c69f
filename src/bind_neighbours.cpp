// The search for neighbours and the count of their votes, for Python.
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

#include "bindings.hpp"
#include "core/neighbours.hpp"
#include "search.hpp"

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
    for (std::size_t i = 0; i < rows.shape(0); ++i) {
      require(rows.data()[i] < n_cases, "a row is out of range");
      const LabelledSegment& segment = cases.of(rows.data()[i]);
      require(segment.labels[rows.data()[i] - segment.first_row] < n_classes, "a label is out of range");
    }
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
                    Matrix<std::uint32_t>, std::optional<Vector<Label>>, Numbers, nb::list>(),
           nb::arg("columns"), nb::arg("n_questions"), nb::arg("weights"), nb::arg("ranges"), nb::arg("sum_order"),
           nb::arg("scopes"), nb::arg("own_labels").none(), nb::arg("own_counts").none(), nb::arg("texts"));
  nb::class_<Search>(m, "Search")
      .def(nb::init<std::vector<std::tuple<std::vector<AnyVector>, std::size_t, Mask, Numbers>>, nb::list, bool, bool,
                    const std::string&>(),
           nb::arg("segments"), nb::arg("comparisons"), nb::arg("missing_agrees"), nb::arg("is_rooted"),
           nb::arg("similarity"))
      .def("nearest", &Search::nearest, nb::arg("asked"), nb::arg("k"), nb::arg("exact"), nb::arg("n_threads"))
      .def("shared_features", &Search::shared_features, nb::arg("asked"), nb::arg("walk"), nb::arg("n_threads"))
      .def("feature_costs", &Search::feature_costs, nb::arg("asked"), nb::arg("question"), nb::arg("rows"));
  m.def("tally", &tally_py, nb::arg("n_groups"), nb::arg("group_weight"), nb::arg("n_rows"), nb::arg("rows"),
        nb::arg("segments"), nb::arg("frequency"), nb::arg("rank"));
}
