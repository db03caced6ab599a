#include <cmath>

#include <gtest/gtest.h>

#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/math/math.h"
#include "tests/codegen/region.h"

namespace catena::test {

namespace {

std::vector<Variable> functions(const std::vector<Variable>& v) {
    const Variable& x = v[0];
    return {exp(x),    expm1(x), log(x),  log1p(x),    tanh(x),
            erf(x),    sin(x),   cos(x),  pow(x, 2.5), pow(absolute(x) + 0.1, x * 0.1),
            floor(x),  ceil(x),  sqrt(x), rsqrt(x),    fmod(x, x * 0.3 + 1.0),
            sigmoid(x)};
}

/// Ordinary numbers, far angles, and what is no number. Not a multiple of any vector's length.
std::vector<double> arguments() {
    std::vector<double> values{1e5, -3e6, 0.0, -0.0, NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 96; ++i) values.push_back((i - 30) * 0.37);
    return values;
}

}  // namespace

TEST(math, compiled_functions_give_the_bits_of_eager_ones) {
    for (Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::float16, Dtype::bfloat16}) {
        SCOPED_TRACE(name_of(dtype));
        std::vector<double> values = arguments();
        Region region(functions, {Array::from(values, {int64_t(values.size())}).astype(dtype)});
        std::vector<Array> compiled = region.run();
        for (size_t f = 0; f < compiled.size(); ++f) {
            std::vector<double> c = compiled[f].to_vector<double>(),
                                e = region.eager()[f].to_vector<double>();
            for (size_t i = 0; i < c.size(); ++i)
                EXPECT_TRUE(c[i] == e[i] || (std::isnan(c[i]) && std::isnan(e[i])))
                    << "function " << f << " of " << values[i] << ": " << c[i] << ", eager "
                    << e[i];
        }
    }
}

}  // namespace catena::test
