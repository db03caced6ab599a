#include "tests/onnx/exported.h"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "frontend/serializer/npz.h"
#include "tests/onnx/python.h"
#include "tests/support/command.h"

namespace catena::testing {

std::string fresh_folder(const std::string& name) {
    const std::filesystem::path path =
        std::filesystem::path(::testing::TempDir()) / ("catena_onnx_" + name);
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
    return path.string();
}

void write_case(const std::string& folder, const std::string& name,
                const std::vector<Variable>& inputs, const Variables& outputs) {
    NamedArrays arrays;
    for (size_t i = 0; i < inputs.size(); ++i)
        arrays.emplace_back("x" + std::to_string(i), inputs[i].array());
    for (size_t i = 0; i < outputs.size(); ++i)
        arrays.emplace_back("y" + std::to_string(i), outputs[i].array());
    save_npz(folder + "/" + name + ".npz", arrays);
}

void expect_agreement_in_onnx_runtime(const std::string& folder) {
    CATENA_SKIP_WITHOUT_ONNX_PYTHON();
    const CommandResult result =
        run(onnx_python() + " " CATENA_SOURCE_DIR "/tests/onnx/run_models.py " + folder);
    EXPECT_EQ(result.status, 0) << result.output;
    std::printf("%s", result.output.c_str());
}

void expect_equal(const Array& actual, const Array& expected, double tolerance,
                  const std::string& what) {
    ASSERT_EQ(to_string(actual.type()), to_string(expected.type())) << what;
    const std::vector<double> a = actual.to_vector<double>(), e = expected.to_vector<double>();
    for (size_t i = 0; i < a.size(); ++i) {
        if (std::isnan(e[i]) ? std::isnan(a[i]) : a[i] == e[i]) continue;
        ASSERT_LE(std::abs(a[i] - e[i]), tolerance * (1 + std::abs(e[i])))
            << what << ": element " << i;
    }
}

}  // namespace catena::testing
