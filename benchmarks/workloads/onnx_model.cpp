// Rows of models from ONNX files.
#include "benchmarks/workloads/inference.h"
#include "benchmarks/workloads/prepare.h"
#include "runtime/core/system/error.h"
#include "tools/catena/random_inputs.h"
#ifdef CATENA_HAS_ONNX
#include <charconv>

#include "frontend/onnx/import.h"
#endif

namespace catena::tool {

#ifdef CATENA_HAS_ONNX
namespace {

Variable made_for(const onnx::Port& port, RandomInputs& random, const std::string& path) {
    if (!port.dtype || !port.shape)
        fail<ValueError>("bench: {} does not say what its input {} is", path, port.name);
    Shape shape;
    for (const std::string& text : *port.shape) {
        int64_t size = 1;
        std::from_chars(text.data(), text.data() + text.size(), size);
        shape.push_back(size);
    }
    return Variable(is_float(*port.dtype) ? random.uniform(shape).astype(*port.dtype)
                                          : Array::zeros({*port.dtype, shape}),
                    false);
}

}  // namespace

Iteration prepare_onnx(const std::string& path, Variant variant) {
    auto model = std::make_shared<onnx::Model>(onnx::import_model(path));
    RandomInputs random;
    std::vector<Variable> inputs;
    for (const onnx::Port& port : model->inputs()) inputs.push_back(made_for(port, random, path));
    return infer(
        "onnx", variant, [model](const std::vector<Variable>& xs) { return (*model)(xs); }, inputs);
}

#else

Iteration prepare_onnx(const std::string& path, Variant) {
    fail<ValueError>(
        "bench: {} cannot be read, this Catena was built without ONNX (libprotobuf-dev "
        "libonnx-dev)",
        path);
}

#endif

}  // namespace catena::tool
