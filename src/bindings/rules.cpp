// Covers of the exceptions to rules, for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/parallel.hpp"
#include "core/rules/cover.hpp"

using namespace casebase;

namespace {

constexpr std::size_t kConceptsAtOnce = 64;

// The extents of concepts, and the costs of rules over them. It keeps the arrays that it was built from.
class Covering {
 public:
  Covering(Vector<std::uint64_t> first, Vector<std::uint32_t> examples, std::size_t n_examples,
           std::optional<Vector<double>> weights)
      : first_(std::move(first)), examples_(std::move(examples)), weights_(std::move(weights)) {
    const std::size_t n = first_.shape(0);
    require(n > 0 && first_.data()[0] == 0 && first_.data()[n - 1] == examples_.shape(0) && n - 1 < kNoConcept,
            "offsets do not fit the examples");
    for (std::size_t c = 0; c + 1 < n; ++c) {
      require(first_.data()[c] <= first_.data()[c + 1] && first_.data()[c + 1] <= examples_.shape(0),
              "offsets must not fall");
      for (auto i = first_.data()[c]; i < first_.data()[c + 1]; ++i)
        require(examples_.data()[i] < n_examples &&
                    (i == first_.data()[c] || examples_.data()[i - 1] < examples_.data()[i]),
                "examples must be in range, and ascending within a concept");
    }
    extents_ = {first_.data(), examples_.data(), n - 1, n_examples, optional_data(weights_, n_examples)};
    for (std::size_t x = 0; x < n_examples; ++x)
      require(std::isfinite(extents_.weight(x)) && extents_.weight(x) > 0.0, "weights must be finite and positive");
  }

  void price(const Vector<double>& cost) {
    require(cost.shape(0) == extents_.n_concepts, "one cost per concept");
    for (std::size_t c = 0; c < extents_.n_concepts; ++c) require(cost.data()[c] >= 0.0, "costs must not be negative");
    nb::gil_scoped_release unlocked;
    priced_ = PricedConcepts(extents_, cost.data());
  }

  auto costs(const Vector<std::uint32_t>& targets, unsigned n_threads) const {
    const std::size_t n = targets.shape(0);
    for (std::size_t i = 0; i < n; ++i) check(targets.data()[i]);
    std::vector<double> found(n);
    {
      nb::gil_scoped_release unlocked;
      for_blocks(
          n, kConceptsAtOnce, n_threads, [&] { return GreedyCover(extents_, priced_); },
          [&](GreedyCover& tool, std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) found[i] = tool.cost_of(targets.data()[i]);
          });
    }
    return to_numpy(std::move(found));
  }

  nb::tuple cover(std::uint32_t target) const {
    check(target);
    Chosen chosen;
    {
      nb::gil_scoped_release unlocked;
      chosen = GreedyCover(extents_, priced_).cover(target);
    }
    return nb::make_tuple(to_numpy(std::move(chosen.concepts)), to_numpy(std::move(chosen.gains)),
                          to_numpy(std::move(chosen.uncovered)));
  }

 private:
  void check(std::uint32_t target) const {
    require(target < extents_.n_concepts, "there is no such concept");
    require(priced_.cost.size() == extents_.n_concepts, "costs must be given first");
  }

  Vector<std::uint64_t> first_;
  Vector<std::uint32_t> examples_;
  std::optional<Vector<double>> weights_;
  Extents extents_{};
  PricedConcepts priced_;
};

}  // namespace

void bind_rules(nb::module_& m) {
  nb::class_<Covering>(m, "Covering")
      .def(nb::init<Vector<std::uint64_t>, Vector<std::uint32_t>, std::size_t, std::optional<Vector<double>>>(),
           nb::arg("first"), nb::arg("examples"), nb::arg("n_examples"), nb::arg("weights").none())
      .def("price", &Covering::price, nb::arg("cost"))
      .def("costs", &Covering::costs, nb::arg("targets"), nb::arg("n_threads"))
      .def("cover", &Covering::cover, nb::arg("target"));
}
