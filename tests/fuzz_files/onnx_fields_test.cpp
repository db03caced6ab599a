// Models of one operator whose fields were changed: an error of Catena's or a result, and nothing
// else.
#include <charconv>

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "frontend/catena.h"
#include "frontend/onnx/import.h"
#include "frontend/onnx/importer.h"
#include "tests/fuzz_files/corpus.h"
#include "tests/fuzz_files/fields.h"
#include "tests/fuzz_files/onnx_fields.h"
#include "tests/onnx/model_text.h"

namespace catena::fuzz {
namespace {

using testing::Random;

int64_t number_of(std::string_view text, int64_t fallback) {
    std::from_chars(text.data(), text.data() + text.size(), fallback);
    return fallback;
}

Variable some_array(const onnx::Port& port) {
    Type type{port.dtype.value_or(Dtype::float32), {}};
    for (const std::string& size : port.shape.value_or(std::vector<std::string>()))
        type.shape.push_back(size.size() < 7 ? number_of(size, 2) : 2);
    return Variable(Array::full(type, 1), false);
}

/// Imports the model and calls it, also backwards where it has weights.
void run(const std::string& path, bool trainable) {
    const onnx::Model model = onnx::import_model(path, {.trainable = trainable});
    onnx::Items inputs;
    for (const onnx::Port& port : model.inputs()) {
        const Variable x = some_array(port);
        inputs.push_back(port.is_sequence ? onnx::Item(std::vector<Variable>{x, x})
                                          : onnx::Item(x));
    }
    for (const onnx::Item& y : model.run_items(inputs))
        if (trainable && y.variable.defined() && is_float(y.variable.dtype()) &&
            y.variable.requires_grad())
            sum(y.variable).backward();
}

/// The model of a seed.
::onnx::ModelProto changed_model(const std::vector<std::string>& models, uint64_t seed) {
    Random random(seed);
    ::onnx::ModelProto model = testing::model_from_text(models[random() % models.size()]);
    change_fields(model, random);
    return model;
}

TEST(FieldsOfOnnx, give_results_or_errors_whatever_they_are) {
    const std::vector<std::string> models = testing::small_models();
    const auto write = [&](const std::string& path, uint64_t seed) {
        write_file(path, changed_model(models, seed).SerializeAsString());
    };
    const auto read = [](const std::string& path, uint64_t seed) { run(path, seed % 2 == 0); };
    fuzz_fields({.kind = "onnx", .seconds = 4, .least_inputs = 500}, write, read);
}

}  // namespace
}  // namespace catena::fuzz
