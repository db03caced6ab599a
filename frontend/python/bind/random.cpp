#include <nanobind/stl/vector.h>

#include "frontend/python/bind/module.h"
#include "runtime/ops/noise/random.h"

namespace catena::python {

void bind_random(nb::module_& m) {
    nb::module_ random = m.def_submodule("random", "Random numbers of the present thread.");
    random.def("seed", &set_seed, nb::arg("seed"),
               "Seeds this thread's random numbers, including those of initial parameters.");
    random.def("get_state", &save_random_state, "All of this thread's random state.");
    random.def("set_state", &restore_random_state, nb::arg("state"),
               "What get_state() returned is the state again.");
}

}  // namespace catena::python
