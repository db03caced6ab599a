#include <nanobind/stl/string.h>

#include "frontend/python/bind/convert/dtype_caster.h"
#include "frontend/python/bind/module.h"
#include "runtime/graph/settings/config.h"

namespace catena::python {
namespace {

/// The settings of the thread that asks.
struct Settings {};

template <class T>
void setting(nb::class_<Settings>& type, const char* name, T Config::* key, const char* text) {
    type.def_prop_rw(
        name, [key](const Settings&) { return config().*key; },
        [key](const Settings&, T value) { mutable_config().*key = value; }, text);
}

nb::str text_of_settings(nb::handle self) {
    nb::list settings;
    for (nb::handle name : self.type().attr("__dict__"))
        if (nb::isinstance(self.type().attr(name), nb::handle((PyObject*)&PyProperty_Type)))
            settings.append(nb::str("{}={}").format(name, nb::getattr(self, name)));
    return nb::str("<settings of this thread: {}>").format(nb::str(", ").attr("join")(settings));
}

}  // namespace

void bind_settings(nb::module_& m) {
    nb::class_<Settings> type(m, "Settings", "Settings of the present thread.");
    setting(type, "train", &Config::train, "Training mode of dropout, batch normalization, ...");
    setting(type, "enable_backprop", &Config::enable_backprop, "Record the graph.");
    setting(type, "debug", &Config::debug,
            "NaN in a result or gradient, or an index out of range, is an error.");
    setting(type, "type_check", &Config::type_check, "Chainer's; types are always checked.");
    setting(type, "use_static_graph", &Config::use_static_graph,
            "False: static regions run eagerly.");
    setting(type, "keep_graph_on_report", &Config::keep_graph_on_report,
            "Reported values keep their graph.");
    setting(type, "fast_math", &Config::fast_math,
            "Compiled regions may change rounding, NaN and inf.");
    setting(type, "tf32", &Config::tf32, "Products of float32 on tensor cores in TensorFloat-32.");
    setting(type, "autotune", &Config::autotune, "Convolutions of CUDA are timed and chosen.");
    setting(type, "dtype", &Config::dtype, "Of new parameters, and of floats without a dtype.");
    type.def("__repr__", text_of_settings);
    m.attr("config") = Settings();
}

}  // namespace catena::python
