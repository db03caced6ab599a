// Models are written with points by programs whose locale has a decimal comma.
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/onnx/import.h"
#include "tests/onnx/exported.h"
#include "tests/support/decimal_comma.h"

namespace catena::testing {
namespace {

TEST(DecimalCommaInModelsInOwnProcess, numbers_of_expressions_keep_their_value) {
    const std::string folder = fresh_folder("decimal_comma");
    const test::DecimalComma comma(folder);
    if (!test::DecimalComma::is_on()) GTEST_SKIP() << "this libc has no locale with a comma";
    const Variable x = array({4.0f, 2.25f});
    const auto f = [](const Variable& x) { return pow(x, 0.5) + leaky_relu(-x, 0.25); };
    onnx::export_model(f, {x}, folder + "/pow.onnx");
    const onnx::Model model = onnx::import_model(folder + "/pow.onnx");
    expect_equal(model(x).array(), f(x).array(), 1e-6, "pow");
}

}  // namespace
}  // namespace catena::testing
