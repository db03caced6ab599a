#include "frontend/python/bind/module.h"

#include <nanobind/stl/string.h>

#include "frontend/python/bind/convert/location.h"
#include "frontend/python/bind/convert/ndarray.h"

NB_MODULE(_catena, m) {
    using namespace catena::python;
    m.doc() = "The C++ side of the package catena.";
    import_numpy();
    bind_errors(m);
    bind_devices(m);
    bind_variable(m);
    bind_parameter(m);
    bind_members(m);
    bind_graph(m);
    bind_functions(m);
    bind_dlpack(m);
    bind_settings(m);
    bind_random(m);
    bind_user_function(m);
    bind_forget(m);
    bind_optimizer(m);
    bind_distributed(m);
    bind_files(m);
    bind_symbol(m);
    bind_elementwise(m);
    bind_region(m);
    bind_program(m);
    m.def("set_own_folder", &set_own_folder, "Where frames of the package itself lie.");
    m.attr("__version__") = CATENA_VERSION;
}
