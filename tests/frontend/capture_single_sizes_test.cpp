// Reductions over axes of size 1 beside others of the same array, as a batch of one or a text of
// one word has: what converts elements and combines none must not be taken for a reduction of
// another axis.
#include <gtest/gtest.h>

#include "frontend/catena.h"

namespace catena::testing {
namespace {

using VariableList = std::vector<Variable>;

Variable small_numbers(const Shape& shape, Dtype dtype) {
    std::vector<double> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = double(i * 5 % 7) - (dtype == Dtype::bool_ || dtype == Dtype::uint8 ? 0 : 3);
    return Variable(Array::from(values, shape).astype(dtype), false);
}

std::vector<Axes> sets_of_axes(int rank) {
    std::vector<Axes> sets;
    for (unsigned bits = 1; bits < 1u << rank; ++bits) {
        Axes axes;
        for (int d = 0; d < rank; ++d)
            if (bits >> d & 1) axes.push_back(d);
        sets.push_back(axes);
    }
    return sets;
}

VariableList reductions(const Variable& x) {
    VariableList all;
    for (const Axes& axes : sets_of_axes(x.shape().rank())) {
        all.push_back(sum(x, axes));
        all.push_back(max(x, axes));
        all.push_back(min(x, axes));
        all.push_back(any(x, axes));
        all.push_back(count_nonzero(x, axes));
        all.push_back(sum(x > 0, axes));
        all.push_back(sum(x, axes) * count_nonzero(x, axes));
    }
    return all;
}

TEST(CaptureSingleSizes, reductions_give_what_eager_code_gives) {
    for (const Shape& shape : {Shape{1, 3}, Shape{4, 1}, Shape{1, 1}, Shape{1}, Shape{1, 3, 1, 1},
                               Shape{1, 2, 1, 4}, Shape{2, 1, 3}})
        for (const Dtype dtype :
             {Dtype::bool_, Dtype::uint8, Dtype::int8, Dtype::int16, Dtype::int32, Dtype::int64,
              Dtype::float16, Dtype::bfloat16, Dtype::float32, Dtype::float64}) {
            const Variable x = small_numbers(shape, dtype);
            const VariableList eager = reductions(x);
            auto region = static_graph(reductions, "reductions");
            for (int call = 0; call < 2; ++call) {
                const VariableList compiled = region(x);
                for (size_t i = 0; i < eager.size(); ++i) {
                    ASSERT_EQ(compiled[i].type(), eager[i].type());
                    EXPECT_EQ(compiled[i].array().to_vector<double>(),
                              eager[i].array().to_vector<double>())
                        << to_string(x.type()) << ", result " << i << ", call " << call;
                }
            }
        }
}

// A text of one word: its mask is summed over the words for each text, and over everything.
TEST(CaptureSingleSizes, masked_means_of_one_word) {
    const auto pooled = [](const Variable& h, const Variable& ids) {
        const Variable mask = cast(ids != 0, Dtype::float32);
        const Variable lengths = sum(ids != 0, {1});
        return VariableList{lengths, sum(ids != 0),
                            sum(h * mask, {1}) / maximum(cast(lengths, Dtype::float32), 1.0)};
    };
    for (const int64_t words : {1, 2, 3, 1}) {
        std::vector<float> h(size_t(3 * words));
        std::vector<int32_t> ids(h.size());
        for (size_t i = 0; i < h.size(); ++i)
            h[i] = float(i + 1), ids[i] = int32_t(i % 2 ? 0 : i + 1);
        const Variable a(Array::from(h, {3, words}), false), b(Array::from(ids, {3, words}), false);
        static auto region = static_graph(pooled, "pooled");
        const VariableList eager = pooled(a, b), compiled = region(a, b);
        for (size_t i = 0; i < eager.size(); ++i)
            EXPECT_EQ(compiled[i].array().to_vector<double>(), eager[i].array().to_vector<double>())
                << words << " words, result " << i;
    }
}

}  // namespace
}  // namespace catena::testing
