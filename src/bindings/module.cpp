// The Python module of the compiled core: one file per family checks shapes, releases the GIL and calls a kernel.
#include <nanobind/nanobind.h>

#if !defined(_WIN32)
#include <signal.h>
#include <unistd.h>
#endif

#include <cstring>
#include <thread>

#include "core/parallel.hpp"

namespace nb = nanobind;

void bind_autopilot(nb::module_&);
void bind_formats(nb::module_&);
void bind_hyphenation(nb::module_&);
void bind_measures(nb::module_&);
void bind_memory(nb::module_&);
void bind_neighbours(nb::module_&);
void bind_oblivious(nb::module_&);
void bind_rules(nb::module_&);
void bind_smile(nb::module_&);
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

#if !defined(_WIN32)
constexpr char kTruncated[] =
    "Error: a file in use was truncated or cannot be read any more, and its content in memory is gone. Nothing was "
    "changed. Write model files under another name and rename them, as casebase does.\n";

void end_with_message(int) {
  const auto written = write(2, kTruncated, sizeof kTruncated - 1);
  _exit(written > 0 ? 1 : 2);
}
#endif

// A process that reads a mapped file which somebody truncates gets SIGBUS: let it say so before it ends.
void explain_bus_errors() {
#if !defined(_WIN32)
  struct sigaction action;
  std::memset(&action, 0, sizeof action);
  action.sa_handler = end_with_message;
  sigaction(SIGBUS, &action, nullptr);
#endif
}

}  // namespace

NB_MODULE(_native, m) {
  main_thread = std::this_thread::get_id();
  casebase::between_blocks = hear_signals;
  nb::set_leak_warnings(false);  // models that live until the interpreter exits are not leaks
  m.def("explain_bus_errors", explain_bus_errors);
  bind_autopilot(m);
  bind_formats(m);
  bind_hyphenation(m);
  bind_measures(m);
  bind_memory(m);
  bind_neighbours(m);
  bind_oblivious(m);
  bind_rules(m);
  bind_smile(m);
  bind_strings(m);
  bind_tagging(m);
  bind_live_committee(m);
  bind_trees(m);
}
