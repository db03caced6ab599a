#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::bits_rows {

namespace {

const std::vector<Dtype> integers = {Dtype::int8, Dtype::int16, Dtype::int32, Dtype::int64,
                                     Dtype::uint8};
std::vector<Dtype> integers_and_bool() {
    std::vector<Dtype> dtypes = integers;
    dtypes.push_back(Dtype::bool_);
    return dtypes;
}

/// f of the elements of two arrays that broadcast, as 64-bit integers.
Truth of_bits(int64_t (*f)(int64_t, int64_t)) {
    return each([f](double a, double b) { return double(f(int64_t(a), int64_t(b))); });
}

Row pair(const char* op, int64_t (*f)(int64_t, int64_t)) {
    return {.op = op,
            .inputs = {{.shape = {3, 4}, .low = 0, .high = 120},
                       {.shape = {3, 4}, .low = 0, .high = 120}},
            .truth = of_bits(f),
            .dtypes = integers_and_bool(),
            .specials = false,
            .gradient = false,
            .rejects = {{.inputs = {{.shape = {2}}, {.shape = {3}}},
                         .message = "shapes must broadcast",
                         .run = Dtype::int32},
                        {.message = "integers or bools are right"}}};
}
Row negative(Row row) {
    row.note = "negative";
    row.inputs[0].low = -120;
    row.dtypes = {Dtype::int8, Dtype::int16, Dtype::int32, Dtype::int64};
    row.rejects = {};
    return row;
}

Row shift(const char* op, double low, double high, double most) {
    return {.op = op,
            .inputs = {{.shape = {3, 4}, .low = low, .high = high},
                       {.shape = {3, 4}, .low = 0, .high = most}},
            .specials = false,
            .gradient = false};
}
Row left() {
    Row row = shift("left_shift", 0, 7, 4);
    row.truth = of_bits([](int64_t a, int64_t b) { return a * (int64_t(1) << b); });
    row.dtypes = integers;
    row.rejects = {
        {.message = "left_shift: x1 is float32[3,4], x2 is float32[3,4]; integers are right"}};
    return row;
}
Row right() {
    Row row = shift("right_shift", -120, 120, 6);
    row.truth = of_bits(
        [](int64_t a, int64_t b) { return int64_t(std::floor(std::ldexp(double(a), -int(b)))); });
    row.dtypes = {Dtype::int8, Dtype::int16, Dtype::int32, Dtype::int64};
    return row;
}
Row right_of_bytes() {
    Row row = right();
    row.note = "bytes";
    row.inputs[0].low = 0;
    row.inputs[0].high = 255;
    row.dtypes = {Dtype::uint8};
    return row;
}

/// Places that are lost, beyond the width and below 0.
Row lost(const char* op, Dtype dtype, std::vector<double> x, std::vector<double> by,
         std::vector<double> right) {
    return {.op = op,
            .note = "lost_" + std::string(name_of(dtype)),
            .inputs = {{.shape = {int64_t(x.size())}, .values = x},
                       {.shape = {int64_t(x.size())}, .values = by}},
            .truth = one(
                [right](const References&) { return Reference({int64_t(right.size())}, right); }),
            .dtypes = {dtype},
            .gradient = false};
}

Row inverted(std::vector<Dtype> dtypes, const char* note, double (*f)(double)) {
    return {.function = "bitwise_not",
            .note = note,
            .inputs = {{.shape = {3, 4}, .low = 0, .high = 120}},
            .truth = each(f),
            .dtypes = dtypes,
            .specials = false,
            .gradient = false};
}

const int rows = add_rows({
    pair("bitwise_and", [](int64_t a, int64_t b) { return a & b; }),
    negative(pair("bitwise_and", [](int64_t a, int64_t b) { return a & b; })),
    pair("bitwise_or", [](int64_t a, int64_t b) { return a | b; }),
    negative(pair("bitwise_or", [](int64_t a, int64_t b) { return a | b; })),
    pair("bitwise_xor", [](int64_t a, int64_t b) { return a ^ b; }),
    negative(pair("bitwise_xor", [](int64_t a, int64_t b) { return a ^ b; })),
    left(),
    right(),
    right_of_bytes(),
    lost("left_shift", Dtype::int8, {64, 1, 1, 3, -1}, {1, 7, 8, -1, 7}, {-128, -128, 0, 0, -128}),
    lost("left_shift", Dtype::uint8, {255, 1, 1}, {1, 7, 8}, {254, 128, 0}),
    lost("left_shift", Dtype::int64, {1, 1}, {62, 64}, {0x1p62, 0}),
    lost("right_shift", Dtype::int32, {-5, 5, -1}, {32, 40, -1}, {-1, 0, -1}),
    inverted({Dtype::int8, Dtype::int16, Dtype::int32, Dtype::int64}, "signed",
             [](double x) { return -x - 1; }),
    inverted({Dtype::uint8}, "bytes", [](double x) { return 255 - x; }),
    inverted({Dtype::bool_}, "bools", [](double x) { return 1 - x; }),
});

}  // namespace

}  // namespace catena::testing::bits_rows
