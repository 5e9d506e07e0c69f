// Abstract cases as Python sees them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "core/abstract.hpp"
#include "core/eliminate.hpp"
#include "core/pool.hpp"

using namespace casebase;

namespace {

using Arrays = std::vector<AnyVector>;

std::vector<Column> as_codes(const Arrays& arrays, std::size_t n) {
  auto columns = as_columns(arrays, n);
  require(count_symbolic(columns) == columns.size(), "abstract cases have codes, not numbers");
  return columns;
}

void require_offsets(const Vector<std::uint64_t>& first, std::size_t n_entries) {
  const std::size_t n = first.shape(0);
  require(n > 0 && first.data()[0] == 0 && first.data()[n - 1] == n_entries, "offsets must reach from 0 to the end");
  for (std::size_t i = 1; i < n; ++i)
    require(first.data()[i - 1] < first.data()[i], "every group must have at least one entry");
}

void require_labels(const Vector<Label>& labels, std::size_t n_classes) {
  for (std::size_t i = 0; i < labels.shape(0); ++i) require(labels.data()[i] < n_classes, "a label is out of range");
}

AbstractCases as_abstract(const Arrays& columns, const Vector<std::uint64_t>& first_count,
                          const Vector<Label>& count_label, const Vector<double>& count, std::size_t n_classes) {
  require(first_count.shape(0) > 1, "there must be at least one group");
  require(count_label.shape(0) == count.shape(0), "one count per label");
  require_offsets(first_count, count.shape(0));
  require_labels(count_label, n_classes);
  const std::size_t n = first_count.shape(0) - 1;
  return {as_codes(columns, n), n, first_count.data(), count_label.data(), count.data()};
}

void require_same_widths(const std::vector<Column>& a, const std::vector<Column>& b) {
  require(a.size() == b.size(), "questions must have the features of the abstract cases");
  for (std::size_t f = 0; f < a.size(); ++f)
    require(a[f].width == b[f].width, "question columns must have the types of the abstract cases");
}

nb::tuple eliminate_py(const Arrays& columns, const Vector<std::uint64_t>& first_count,
                       const Vector<Label>& count_label, const Vector<double>& count, const Arrays& asked,
                       bool are_stored, const Vector<std::uint32_t>& at_most, const Vector<std::uint64_t>& first_kind,
                       const Vector<Label>& label, const Vector<double>& left_out, const Vector<double>& amount,
                       std::size_t begin, std::size_t end, const Vector<double>& frequency,
                       const Vector<std::uint32_t>& rank, bool each_feature, unsigned n_threads) {
  const std::size_t n_classes = rank.shape(0);
  const Preference prefer = as_preference(frequency, rank);
  const AbstractCases cases = as_abstract(columns, first_count, count_label, count, n_classes);
  require(first_kind.shape(0) > 1, "there must be at least one group to ask about");
  const std::size_t n = first_kind.shape(0) - 1;
  require(!are_stored || n == cases.n_groups, "stored groups must be those of the memory");
  require(at_most.shape(0) == n && begin <= end && end <= n, "one bound per group, and a range of the groups");
  require(label.shape(0) == left_out.shape(0) && label.shape(0) == amount.shape(0), "two weights per kind");
  require_offsets(first_kind, label.shape(0));
  require_labels(label, n_classes);
  const HeldOut held_out{
      as_codes(asked, n), n, are_stored, at_most.data(), first_kind.data(), label.data(), left_out.data(),
      amount.data()};
  require_same_widths(cases.columns, held_out.columns);
  Elimination found;
  {
    nb::gil_scoped_release unlocked;
    found = eliminate(cases, held_out, begin, end, n_classes, prefer, each_feature, n_threads);
  }
  return nb::make_tuple(to_numpy(std::move(found.errors)), to_numpy(std::move(found.disagreements)));
}

nb::dict pool_nearest_py(const Arrays& columns, const Vector<std::uint64_t>& first_count,
                         const Vector<Label>& count_label, const Vector<double>& count, const Arrays& asked,
                         std::size_t n_asked, const Vector<double>& frequency, const Vector<std::uint32_t>& rank,
                         bool list_groups, unsigned n_threads) {
  const std::size_t n_classes = rank.shape(0);
  const Preference prefer = as_preference(frequency, rank);
  const AbstractCases cases = as_abstract(columns, first_count, count_label, count, n_classes);
  const auto questions = as_codes(asked, n_asked);
  require_same_widths(cases.columns, questions);
  Pooled pooled;
  {
    nb::gil_scoped_release unlocked;
    pooled = pool_nearest(cases, questions, n_asked, n_classes, prefer, list_groups, n_threads);
  }
  nb::dict out;
  out["label"] = to_numpy(std::move(pooled.label));
  out["is_tied"] = to_numpy(std::move(pooled.is_tied));
  out["disagreements"] = to_numpy(std::move(pooled.disagreements));
  out["n_groups"] = to_numpy(std::move(pooled.n_groups));
  out["groups"] = to_numpy(std::move(pooled.groups));
  out["n_votes"] = to_numpy(std::move(pooled.n_votes));
  out["vote_label"] = to_numpy(std::move(pooled.vote_label));
  out["votes"] = to_numpy(std::move(pooled.votes));
  return out;
}

}  // namespace

void bind_abstract(nb::module_& m) {
  m.def("eliminate", &eliminate_py, nb::arg("columns"), nb::arg("first_count"), nb::arg("count_label"),
        nb::arg("count"), nb::arg("asked"), nb::arg("are_stored"), nb::arg("at_most"), nb::arg("first_kind"),
        nb::arg("label"), nb::arg("left_out"), nb::arg("amount"), nb::arg("begin"), nb::arg("end"),
        nb::arg("frequency"), nb::arg("rank"), nb::arg("each_feature"), nb::arg("n_threads"));
  m.def("pool_nearest", &pool_nearest_py, nb::arg("columns"), nb::arg("first_count"), nb::arg("count_label"),
        nb::arg("count"), nb::arg("asked"), nb::arg("n_asked"), nb::arg("frequency"), nb::arg("rank"),
        nb::arg("list_groups"), nb::arg("n_threads"));
}
