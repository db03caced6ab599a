#include "tests/ops/op_table.h"

namespace catena::testing::as_strided_rows {

namespace {

Truth strided(const Shape& shape, const Dims& strides, int64_t offset) {
    return one([=](const References& in) {
        Reference y(shape);
        for_each_index(shape, [&](const Dims& i) {
            int64_t place = offset;
            for (int k = 0; k < shape.rank(); ++k) place += i[k] * strides[k];
            y[i] = in[0].values[size_t(place)];
        });
        return y;
    });
}

const int rows = add_rows({
    {.function = "as_strided",
     .set = {{"shape", "(3, 2)"}, {"strides", "(1, 1)"}},
     .inputs = {{.shape = {4}}},
     .truth = strided({3, 2}, {1, 1}, 0),
     .dtypes = all_dtypes(),
     .rejects = {{.set = {{"storage_offset", "1"}},
                  .message = "lead to the elements 1 to 4, x [4] has 4"},
                 {.set = {{"strides", "(-1, 1)"}}, .message = "lead to the elements -2 to 1"},
                 {.set = {{"strides", "(1,)"}}, .message = "must be equally many numbers"}}},
    {.function = "as_strided",
     .note = "backwards",
     .set = {{"shape", "(2, 3)"}, {"strides", "(-4, 1)"}, {"storage_offset", "5"}},
     .inputs = {{.shape = {3, 4}}},
     .truth = strided({2, 3}, {-4, 1}, 5)},
    {.function = "as_strided",
     .note = "repeated",
     .set = {{"shape", "(5,)"}, {"strides", "(0,)"}, {"storage_offset", "2"}},
     .inputs = {{.shape = {3}}},
     .truth = strided({5}, {0}, 2)},
});

}  // namespace

}  // namespace catena::testing::as_strided_rows
