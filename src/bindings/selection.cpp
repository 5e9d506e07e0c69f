// Hitting sets, for Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/selection/hitting_set.hpp"

using namespace casebase;

namespace {

using Elements = HittingSets::Elements;

constexpr std::size_t kBranchesPerStep = 1024;  // some milliseconds

// Sets that are searched, and whose search calls Python for a choice that hits all of them.
class Sets {
 public:
  explicit Sets(std::size_t n_elements) : sets_(n_elements) {}

  void add(Elements set) {
    check(set);
    sets_.add(std::move(set));
  }

  nb::object find(Elements chosen, const Elements& candidates, std::size_t size, const nb::callable& missed,
                  const nb::callable& step) {
    check(chosen);
    check(candidates);
    require(!is_searching_, "a search cannot begin another one");
    std::vector<std::uint8_t> is_taken(sets_.n_elements());
    const auto take = [&](auto e) { require(!std::exchange(is_taken[e], 1), "an element is given twice"); };
    std::for_each(chosen.begin(), chosen.end(), take);
    std::for_each(candidates.begin(), candidates.end(), take);
    is_searching_ = true;
    const Searching end{is_searching_};
    std::size_t n_branches = 0;
    const bool is_found = sets_.find(
        std::move(chosen), candidates, std::min(size, candidates.size()), [&] { return is_accepted(missed); },
        [&] {
          if (++n_branches % kBranchesPerStep) return;
          step(kBranchesPerStep);
          if (PyErr_CheckSignals()) throw nb::python_error();
        });
    return is_found ? nb::cast(sets_.chosen()) : nb::none();
  }

 private:
  struct Searching {
    bool& is_searching;
    ~Searching() { is_searching = false; }
  };

  void check(const Elements& elements) const {
    for (const auto e : elements) require(e < sets_.n_elements(), "there is no such element");
  }

  bool is_accepted(const nb::callable& missed) {
    auto sets = nb::cast<std::vector<Elements>>(missed(sets_.chosen()));
    for (auto& set : sets) {
      check(set);
      for (const auto e : set)
        require(std::find(sets_.chosen().begin(), sets_.chosen().end(), e) == sets_.chosen().end(),
                "a set that was missed has a chosen element");
      sets_.add(std::move(set));
    }
    return sets.empty();
  }

  HittingSets sets_;
  bool is_searching_ = false;
};

}  // namespace

void bind_selection(nb::module_& m) {
  nb::class_<Sets>(m, "HittingSets")
      .def(nb::init<std::size_t>(), nb::arg("n_elements"))
      .def("add", &Sets::add, nb::arg("set"))
      .def("find", &Sets::find, nb::arg("chosen"), nb::arg("candidates"), nb::arg("size"), nb::arg("missed"),
           nb::arg("step"));
}
