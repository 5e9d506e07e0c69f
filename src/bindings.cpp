#include <nanobind/nanobind.h>
namespace nb = nanobind;
void bind_text(nb::module_&);
NB_MODULE(_native, m) { bind_text(m); }
