#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "frontend/caffe/caffe_function.h"
#include "frontend/caffe/export.h"
#include "frontend/link/parameter.h"
#include "frontend/python/bind/convert/function_of_lists.h"

// `catena._caffe`: a module of its own, so that programs without Caffe's models load no protobuf.

namespace nb = nanobind;
using namespace catena;

namespace {

using caffe::CaffeFunction;
using Names = std::vector<std::string>;

nb::list run(const CaffeFunction& net, const CaffeFunction::Blobs& inputs, const Names& outputs,
             const Names& disable) {
    nb::list results;
    for (const Variable& output : net(inputs, outputs, disable)) results.append(nb::cast(output));
    return results;
}

nb::list namedparams(nb::pointer_and_handle<CaffeFunction> self) {
    nb::list list;
    for (const auto& [name, parameter] : self.p->namedparams())
        list.append(
            nb::make_tuple(name, nb::cast(parameter, nb::rv_policy::reference_internal, self.h)));
    return list;
}

void export_function(nb::callable call, const std::vector<Variable>& inputs,
                     const std::string& directory, bool export_params,
                     const std::string& graph_name, const std::string& file_name,
                     const Names& input_names, const Names& output_names) {
    caffe::export_function(python::function_of_lists(std::move(call)), inputs, directory,
                           {.export_params = export_params,
                            .graph_name = graph_name,
                            .file_name = file_name,
                            .input_names = input_names,
                            .output_names = output_names});
}

}  // namespace

NB_MODULE(_caffe, m) {
    m.doc() = "The C++ side of catena.caffe.";
    nb::class_<caffe::Layer>(
        m, "Layer",
        "A layer of the file: it reads the blobs `bottom` and writes the blobs "
        "`top`.")
        .def_ro("name", &caffe::Layer::name, "As the file has it.")
        .def_ro("type", &caffe::Layer::type, "Caffe's: \"Convolution\".")
        .def_ro("bottom", &caffe::Layer::bottom, "Names of the blobs that it reads.")
        .def_ro("top", &caffe::Layer::top, "Names of the blobs that it writes.");
    nb::class_<CaffeFunction>(m, "CaffeFunction")
        .def("__init__",
             [](CaffeFunction* place, const std::string& path,
                const std::optional<std::string>& prototxt) {
                 prototxt ? new (place) CaffeFunction(path, *prototxt)
                          : new (place) CaffeFunction(path);
             })
        .def("run", run)
        .def("blobs", &CaffeFunction::blobs)
        .def("forward", &CaffeFunction::forward)
        .def_prop_ro("layers", &CaffeFunction::layers)
        .def_prop_ro("skipped", &CaffeFunction::skipped)
        .def_prop_ro("inputs", &CaffeFunction::inputs)
        .def("results", &CaffeFunction::results)
        .def_prop_ro("net_name", &CaffeFunction::net_name)
        .def("namedparams", namedparams);
    m.def("export", export_function);
}
