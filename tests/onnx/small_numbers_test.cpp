// What is exact near 0 is so in an ONNX model, too, and right at infinity.
#include <cmath>

#include <gtest/gtest.h>

#include "frontend/onnx/export.h"
#include "frontend/onnx/import.h"
#include "runtime/graph/op/variable_math.h"
#include "tests/onnx/exported.h"

namespace catena::testing {
namespace {

using Function = Variable (*)(const Operand&);

void expect_exported(const std::string& name, Function f, double (*truth)(double), Dtype dtype,
                     double tolerance) {
    std::vector<float> values = {NAN, INFINITY, -INFINITY, 0.f,  -0.f,   -1.f,  -2.f,
                                 1.f, 20.f,     -20.f,     80.f, 1.7e7f, 3e38f, 1e-42f};
    for (float x = 1e-12f; x < 8; x *= 1.37f)
        for (float sign : {1.f, -1.f}) values.push_back(sign * x);
    const std::vector<Variable> x{
        Variable(Array::from(values, {int64_t(values.size())}).astype(dtype), false)};
    const std::string path = fresh_folder("small_numbers_" + name) + "/" + name + ".onnx";
    onnx::export_function([&](std::span<const Variable> xs) { return Variables{f(xs[0])}; }, x,
                          path, {});
    const std::vector<double> y = onnx::import_model(path).run(x)[0].array().to_vector<double>();
    const std::vector<double> given = x[0].array().to_vector<double>();
    const double least = dtype == Dtype::float16 ? 6e-8 : 1e-44;  // The least subnormal number.
    for (size_t i = 0; i < given.size(); ++i) {
        const double right = Array::full({Dtype::float64, {1}}, truth(given[i]))
                                 .astype(dtype)
                                 .to_vector<double>()[0];
        if (std::isnan(right))
            EXPECT_TRUE(std::isnan(y[i])) << name << " of " << given[i] << " is " << y[i];
        else if (std::isinf(right) || right == 0)
            EXPECT_EQ(y[i], right) << name << " of " << given[i];
        else
            EXPECT_NEAR(y[i], right, tolerance * std::abs(right) + least)
                << name << " of " << given[i];
    }
}

TEST(SmallNumbers, keep_their_digits_in_expm1_and_log1p) {
    for (auto [dtype, tolerance] :
         {std::pair(Dtype::float32, 4e-7), {Dtype::float64, 1e-15}, {Dtype::float16, 1e-3}}) {
        expect_exported("expm1", expm1, std::expm1, dtype, tolerance);
        expect_exported("log1p", log1p, std::log1p, dtype, tolerance);
    }
}

}  // namespace
}  // namespace catena::testing
