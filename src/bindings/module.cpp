// The Python module of the compiled core: one file per family checks shapes, releases the GIL and calls a kernel.
#include <nanobind/nanobind.h>

#include <thread>

#include "core/parallel.hpp"

namespace nb = nanobind;

void bind_autopilot(nb::module_&);
void bind_formats(nb::module_&);
void bind_hyphenation(nb::module_&);
void bind_mapped_files(nb::module_&);
void bind_measures(nb::module_&);
void bind_memory(nb::module_&);
void bind_neighbours(nb::module_&);
void bind_oblivious(nb::module_&);
void bind_rules(nb::module_&);
void bind_selection(nb::module_&);
void bind_smile(nb::module_&);
void bind_spelling(nb::module_&);
void bind_strings(nb::module_&);
void bind_tagging(nb::module_&);
void bind_live_committee(nb::module_&);
void bind_trees(nb::module_&);

namespace {

std::thread::id main_thread;

// Python handles signals in its main thread alone.
void hear_signals() {
  if (std::this_thread::get_id() != main_thread) return;
  nb::gil_scoped_acquire locked;
  if (PyErr_CheckSignals()) throw nb::python_error();
}

}  // namespace

NB_MODULE(_native, m) {
  main_thread = std::this_thread::get_id();
  casebase::between_blocks = hear_signals;
  nb::set_leak_warnings(false);  // models that live until the interpreter exits are not leaks
  bind_autopilot(m);
  bind_formats(m);
  bind_hyphenation(m);
  bind_mapped_files(m);
  bind_measures(m);
  bind_memory(m);
  bind_neighbours(m);
  bind_oblivious(m);
  bind_rules(m);
  bind_selection(m);
  bind_smile(m);
  bind_spelling(m);
  bind_strings(m);
  bind_tagging(m);
  bind_live_committee(m);
  bind_trees(m);
}
