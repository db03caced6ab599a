#include "frontend/onnx/import.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "frontend/link/parameter.h"
#include "frontend/onnx/export.h"
#include "frontend/python/bind/convert/function_of_lists.h"

// `catena._onnx`: a module of its own, so that programs without ONNX load no protobuf. Its types
// are those of `_catena`, which is imported before it.

namespace nb = nanobind;
using namespace catena;

namespace {

nb::list run(const onnx::Model& model, const std::vector<Variable>& inputs) {
    nb::list results;
    for (const Variable& output : model.run(inputs)) results.append(nb::cast(output));
    return results;
}

/// The parameters themselves, which live as long as the model.
nb::list namedparams(nb::pointer_and_handle<onnx::Model> self) {
    nb::list list;
    for (const auto& [name, parameter] : self.p->namedparams())
        list.append(
            nb::make_tuple(name, nb::cast(parameter, nb::rv_policy::reference_internal, self.h)));
    return list;
}

std::string dtype_name(const onnx::Port& port) {
    return port.dtype ? std::string(name_of(*port.dtype)) : "";
}

/// `call` takes a list of Variables and returns one.
void export_function(nb::callable call, const std::vector<Variable>& inputs,
                     const std::string& path, int opset, const std::string& graph_name,
                     const std::vector<std::string>& input_names,
                     const std::vector<std::string>& output_names,
                     const std::vector<std::tuple<int, int, std::string>>& open_sizes, bool train) {
    onnx::ExportOptions options{.opset = opset,
                                .graph_name = graph_name,
                                .input_names = input_names,
                                .output_names = output_names,
                                .train = train};
    for (const auto& [input, axis, name] : open_sizes)
        options.open_sizes.push_back({input, axis, name});
    onnx::export_function(python::function_of_lists(std::move(call)), inputs, path, options);
}

}  // namespace

NB_MODULE(_onnx, m) {
    m.doc() = "The C++ side of catena.onnx.";
    nb::class_<onnx::Port>(m, "Port", "An input or output of a model.")
        .def_ro("name", &onnx::Port::name, "As the file has it.")
        .def_prop_ro("dtype_name", dtype_name, "\"float32\"; \"\" where the file does not say.")
        .def_ro("shape", &onnx::Port::shape,
                "Sizes as texts: numbers, names (\"batch\"), or \"\"; None where the file does not "
                "say.")
        .def_ro("is_sequence", &onnx::Port::is_sequence, "Whether it is a list of such arrays.")
        .def_ro("is_optional", &onnx::Port::is_optional, "Whether it may be absent.");
    nb::class_<onnx::Model>(m, "Model")
        .def("run", run)
        .def_prop_ro("inputs", &onnx::Model::inputs)
        .def_prop_ro("outputs", &onnx::Model::outputs)
        .def("initializers", &onnx::Model::initializers)
        .def("namedparams", namedparams);
    m.def("load", [](const std::string& path, bool trainable) {
        return onnx::import_model(path, {.trainable = trainable});
    });
    m.def("load_tensor",
          [](const std::string& path) { return Variable(onnx::load_tensor(path), false); });
    m.def("export", export_function);
}
