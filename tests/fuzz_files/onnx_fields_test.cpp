// Models of one operator whose fields were changed: an error of Catena's or a result, and nothing
// else.
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>
#include <unistd.h>

#include "frontend/catena.h"
#include "frontend/onnx/import.h"
#include "frontend/onnx/importer.h"
#include "runtime/file/limits.h"
#include "tests/fuzz_files/corpus.h"
#include "tests/fuzz_files/onnx_fields.h"
#include "tests/fuzz_files/supervised.h"
#include "tests/onnx/model_text.h"

namespace catena::fuzz {
namespace {

using testing::Random;

template <class T>
T number_of(std::string_view text, T fallback) {
    T value = fallback;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}
double number_of_environment(const char* name, double fallback) {
    const char* value = std::getenv(name);
    return value ? number_of<double>(value, fallback) : fallback;
}

Variable some_array(const onnx::Port& port) {
    Type type{port.dtype.value_or(Dtype::float32), {}};
    for (const std::string& size : port.shape.value_or(std::vector<std::string>()))
        type.shape.push_back(size.size() < 7 ? number_of<int64_t>(size, 2) : 2);
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

/// CATENA_FUZZ_SEED says where to begin (1), CATENA_FUZZ_FILES_SECONDS how long it runs (4 times
/// as many seconds); a failure prints its seed and the model, whose file stays in CATENA_FUZZ_KEEP.
TEST(FieldsOfOnnx, give_results_or_errors_whatever_they_are) {
    const std::vector<std::string> models = testing::small_models();
    const auto folder =
        std::filesystem::temp_directory_path() / fmt::format("catena_fields_{}", getpid());
    std::filesystem::create_directories(folder);
    const std::string path = (folder / "model.onnx").string();
    const uint64_t first = uint64_t(number_of_environment("CATENA_FUZZ_SEED", 1)) << 32;
    const Supervision supervision{
        .first_seed = first,
        .seconds = 4 * number_of_environment("CATENA_FUZZ_FILES_SECONDS", 1),
        .least_inputs = 500,
        .address_bytes = int64_t(4) << 30};
    const Tally tally = supervised(supervision, [&](uint64_t seed) {
        FileLimits limits;
        limits.bytes = uint64_t(64) << 20;
        limits.steps = 100;
        set_file_limits(limits);
        write_file(path, changed_model(models, seed).SerializeAsString());
        try {
            run(path, seed % 2 == 0);
            return true;
        } catch (const Error&) {
            return false;
        }
    });
    std::cout << "[          ] " << tally.inputs << " models from seed " << (first >> 32) << ", "
              << tally.accepted << " accepted, " << tally.refused << " refused, "
              << tally.failures.size() << " failures, at most " << (tally.peak_bytes >> 20)
              << " MiB\n";
    for (const Tally::Failure& failure : tally.failures) {
        const ::onnx::ModelProto model = changed_model(models, failure.seed);
        ADD_FAILURE() << "seed " << (failure.seed >> 32) << " model " << (failure.seed & 0xffffffff)
                      << ": " << failure.what << "\n"
                      << model.ShortDebugString();
        if (const char* keep = std::getenv("CATENA_FUZZ_KEEP"))
            write_file(fmt::format("{}/fields-{:x}.onnx", keep, failure.seed),
                       model.SerializeAsString());
    }
    EXPECT_GT(tally.accepted * 10, tally.inputs) << "hardly anything was accepted";
    EXPECT_GT(tally.refused * 10, tally.inputs) << "hardly anything was refused";
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace catena::fuzz
