// The gradient of an embedding that is added onto that of a product, as C.
#include <gtest/gtest.h>

#include "codegen/compiler.h"
#include "tests/export/exported_rows.h"
#include "tests/export/saved_step.h"

namespace catena::testing {
namespace {

TEST(CTiedEmbedding, has_the_gradient_that_eager_code_gives) {
    if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
    std::vector<float> values(20 * 6);
    for (size_t i = 0; i < values.size(); ++i) values[i] = float(int(i * 37 % 101) - 50) / 50;
    const Variable W(Array::from(values, {20, 6}), true), x(Array::from<int32_t>({3, 19, 3, 0}), false);
    ExportedRows rows(temporary("tied_embedding"));
    rows.row = "tied embedding";
    const Variables eager = rows.add(
        [](const std::vector<Variable>& v) { return grad({sum(square(linear(tanh(embed_id(v[1], v[0])), v[0])))}, {v[0]}); }, {W, x});
    ASSERT_EQ(rows.all().size(), 1u);
    const std::vector<float> expected = eager[0].array().to_vector<float>(), actual = rows.run_c()[0][0].to_vector<float>();
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-4) << i;
}

}  // namespace
}  // namespace catena::testing
