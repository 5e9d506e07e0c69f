// The Python module of the compiled core: one file per family checks shapes, releases the GIL and calls a kernel.
#include <nanobind/nanobind.h>

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
void bind_tagging(nb::module_&);
void bind_trees(nb::module_&);

NB_MODULE(_native, m) {
  nb::set_leak_warnings(false);  // models that live until the interpreter exits are not leaks
  bind_autopilot(m);
  bind_formats(m);
  bind_hyphenation(m);
  bind_measures(m);
  bind_memory(m);
  bind_neighbours(m);
  bind_oblivious(m);
  bind_rules(m);
  bind_smile(m);
  bind_tagging(m);
  bind_trees(m);
}
