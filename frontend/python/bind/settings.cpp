#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "frontend/python/bind/convert/dtype_caster.h"
#include "frontend/python/bind/module.h"
#include "runtime/file/limits.h"
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

nb::dict limits_by_name() {
    const FileLimits limits = file_limits();
    nb::dict named;
    named["bytes"] = limits.bytes;
    named["ratio"] = limits.ratio;
    named["entries"] = limits.entries;
    named["json"] = limits.json;
    named["depth"] = limits.depth;
    named["steps"] = limits.steps;
    named["memory"] = limits.memory;
    return named;
}

void set_limits(std::optional<uint64_t> bytes, std::optional<uint64_t> ratio,
                std::optional<uint64_t> entries, std::optional<uint64_t> json,
                std::optional<int> depth, std::optional<int64_t> steps,
                std::optional<uint64_t> memory) {
    FileLimits limits = file_limits();
    limits.bytes = bytes.value_or(limits.bytes);
    limits.ratio = ratio.value_or(limits.ratio);
    limits.entries = entries.value_or(limits.entries);
    limits.json = json.value_or(limits.json);
    limits.depth = depth.value_or(limits.depth);
    limits.steps = steps.value_or(limits.steps);
    limits.memory = memory.value_or(limits.memory);
    set_file_limits(limits);
}

void bind_file_limits(nb::module_& m) {
    m.def("file_limits", limits_by_name,
          "The limits for what a file may declare, by name: those that set_file_limits() sets.");
    m.def("set_file_limits", set_limits, nb::kw_only(), nb::arg("bytes") = nb::none(),
          nb::arg("ratio") = nb::none(), nb::arg("entries") = nb::none(),
          nb::arg("json") = nb::none(), nb::arg("depth") = nb::none(),
          nb::arg("steps") = nb::none(), nb::arg("memory") = nb::none(),
          "Sets limits for what files may declare, for the whole process; what is not named stays. "
          "For files that are trusted.\n\n"
          "Arguments:\n"
          "    bytes: Of content that any file may declare, however small it is.\n"
          "    ratio: A file may declare more, up to this many times its own size.\n"
          "    entries: Of an archive.\n"
          "    json: Bytes of a JSON document.\n"
          "    depth: Of nested brackets.\n"
          "    steps: Loop bodies and branches of one run of an ONNX model.\n"
          "    memory: Bytes of arrays that one run of a model may take at a time; 0: as many as "
          "the machine has.\n\n"
          "Raises:\n"
          "    ArgumentError: For depth, steps or entries below 1.");
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
    bind_file_limits(m);
}

}  // namespace catena::python
