#include <algorithm>
#include <map>

#include "tests/ops/op_table.h"

namespace catena::testing::einsum_rows {

namespace {

/// The sum over all values of the letters that the result lacks.
Truth sum_of_products(std::vector<std::string> terms, std::string result) {
    return one([=](const References& in) {
        std::map<char, int64_t> sizes;
        for (size_t i = 0; i < terms.size(); ++i)
            for (size_t k = 0; k < terms[i].size(); ++k) {
                int64_t& size = sizes.try_emplace(terms[i][k], 1).first->second;
                size = std::max(size, in[i].dim(int(k)));
            }
        std::string letters;
        Shape all, shape;
        for (const auto& [letter, size] : sizes) {
            letters += letter;
            all.push_back(size);
        }
        for (char c : result) shape.push_back(sizes[c]);
        Reference y(shape);
        const auto at = [&](const std::string& names, const Shape& sizes, const Dims& index) {
            Dims own;
            for (size_t k = 0; k < names.size(); ++k)
                own.push_back(sizes[int(k)] == 1 ? 0 : index[int(letters.find(names[k]))]);
            return own;
        };
        for_each_index(all, [&](const Dims& index) {
            double product = 1;
            for (size_t i = 0; i < terms.size(); ++i)
                product *= in[i][at(terms[i], in[i].shape, index)];
            y[at(result, shape, index)] += product;
        });
        return y;
    });
}

Row einsum(const char* note, const char* equation, std::vector<Input> inputs,
           std::vector<std::string> terms, std::string result) {
    return {.function = "einsum",
            .note = note,
            .set = {{"subscripts", "'" + std::string(equation) + "'"}},
            .inputs = std::move(inputs),
            .truth = sum_of_products(std::move(terms), std::move(result)),
            .tolerance = 16};
}

const Input ij = {.shape = {3, 4}}, jk = {.shape = {4, 2}}, square = {.shape = {3, 3}},
            vector = {.shape = {4}};

Row with_errors(Row row) {
    row.rejects = {
        {.inputs = {ij},
         .message = "einsum: the equation 'ij,jk->ik' has more terms than the 1 operands"},
        {.inputs = {ij, jk, jk},
         .message = "einsum: the equation 'ij,jk->ik' has 2 terms, there are 3 operands"},
        {.inputs = {ij, {.shape = {3, 2}}},
         .message = "einsum: axes named 'j' in 'ij,jk->ik' have sizes 4 and 3"},
        {.inputs = {ij, vector},
         .message = "einsum: the equation 'ij,jk->ik' names 2 axes of operand 1, which has 1"},
        {.set = {{"subscripts", "'ij,jk->im'"}}, .message = "has 'm' in its result alone"},
        {.set = {{"subscripts", "'ij,jk->ii'"}}, .message = "has 'i' twice in its result"},
        {.set = {{"subscripts", "'i1,jk->ij'"}}, .message = "has '1' in place of a letter"}};
    return row;
}

const int einsum_rows = add_rows(taking_whole({
    with_errors(einsum("product", "ij,jk->ik", {ij, jk}, {"ij", "jk"}, "ik")),
    einsum("implied", "ij, jk", {ij, jk}, {"ij", "jk"}, "ik"),
    einsum("transposed", "ij->ji", {ij}, {"ij"}, "ji"),
    einsum("trace", "ii", {square}, {"ii"}, ""),
    einsum("diagonal", "iji->ij", {{.shape = {3, 2, 3}}}, {"iji"}, "ij"),
    einsum("outer", "abcd,e->eabcd", {{.shape = {2, 3, 2, 2}}, {.shape = {3}}}, {"abcd", "e"},
           "eabcd"),
    einsum("dot", "ij,ij->", {ij, ij}, {"ij", "ij"}, ""),
    einsum("batch", "bij,bkj->bik", {{.shape = {2, 3, 4}}, {.shape = {2, 5, 4}}}, {"bij", "bkj"},
           "bik"),
    einsum("bilinear", "bi,oij,bj->bo",
           {{.shape = {2, 3}}, {.shape = {2, 3, 4}}, {.shape = {2, 4}}}, {"bi", "oij", "bj"}, "bo"),
    einsum("alone", "ij,kl->il", {ij, jk}, {"ij", "kl"}, "il"),
    einsum("ellipsis", "i...j,...jk->...ik", {{.shape = {3, 2, 4}}, {.shape = {5, 1, 4, 2}}},
           {"ibj", "abjk"}, "abik"),
    einsum("ellipsis_implied", "...i", {ij}, {"ai"}, "ai"),
}));

double running(const Reference& x, int64_t count, int64_t first, int64_t step) {
    double product = 1;
    for (int64_t k = 0; k <= count; ++k) product *= x.values[size_t(first + k * step)];
    return product;
}
Truth running_products(int axis) {
    return one([=](const References& in) {
        const Reference& x = in[0];
        Reference y = axis < 0 ? Reference(Shape{x.size()}) : Reference(x.shape);
        if (axis < 0) {
            for (int64_t i = 0; i < x.size(); ++i) y.values[size_t(i)] = running(x, i, 0, 1);
            return y;
        }
        int64_t step = 1;
        for (int i = axis + 1; i < x.rank(); ++i) step *= x.dim(i);
        for_each_index(x.shape, [&](const Dims& at) {
            Dims first = at;
            first[axis] = 0;
            y[at] = running(x, at[axis], x.offset(first), step);
        });
        return y;
    });
}

Truth combined(double (*f)(double, double)) {
    return one([=](const References& in) {
        Reference y = in[0];
        // y's axes are x's from 1 on.
        for_each_index(y.shape, [&](const Dims& i) { y[i] = f(in[0][i], in[1](i[1], i[2])); });
        return y;
    });
}

const std::vector<Input> beside = {{.shape = {2, 3, 4, 2}}, {.shape = {3, 4}}};

const int rows = add_rows({
    {.function = "tensordot",
     .inputs = {{.shape = {2, 3, 4}}, {.shape = {3, 4, 5}}},
     .truth = sum_of_products({"iab", "abj"}, "ij"),
     .tolerance = 16,
     .rejects =
         {{.set = {{"axes", "4"}},
           .message = "tensordot: axes is 4; it should be 0 to 3, as a has 3"},
          {.set = {{"axes", "((0, 1), (2,))"}},
           .message = "tensordot: 2 axes of a and 1 of b are named; the numbers should be equal"},
          {.set = {{"axes", "((0, 0), (1, 2))"}},
           .message = "tensordot: axis 0 is named twice in [0,0]"},
          {.set = {{"axes", "1"}},
           .message = "tensordot: axis 2 of a [2,3,4] and axis 0 of b [3,4,5] differ in size"}}},
    {.function = "tensordot",
     .note = "axes",
     .set = {{"axes", "((0, -1), (1, 0))"}},
     .inputs = {{.shape = {2, 3, 4}}, {.shape = {4, 2}}},
     .truth = sum_of_products({"aib", "ba"}, "i"),
     .tolerance = 16},
    {.function = "tensordot",
     .note = "outer",
     .set = {{"axes", "0"}},
     .inputs = {{.shape = {2, 3}}, {.shape = {4}}},
     .truth = sum_of_products({"ij", "k"}, "ijk")},
    {.function = "cumprod",
     .set = {{"axis", "1"}},
     .inputs = {{.shape = {2, 5, 3}}},
     .truth = running_products(1),
     .dtypes = float_dtypes(),
     .tolerance = 8,
     .rejects = {{.set = {{"axis", "3"}}, .message = "cumprod: "}}},
    {.function = "cumprod",
     .note = "flat",
     .inputs = {{.shape = {2, 3}}},
     .truth = running_products(-1),
     .tolerance = 8},
    {.function = "cumprod",
     .note = "zeros",
     .set = {{"axis", "0"}},
     .inputs = {{.shape = {6}, .values = {1, -2, 0, 3, 0, 2}}},
     .truth = running_products(0),
     .tolerance = 8},
    {.function = "cumprod",
     .note = "integers",
     .inputs = {{.shape = {6}, .low = 0, .high = 3}},
     .truth = running_products(-1),
     .dtypes = {Dtype::int8, Dtype::int16, Dtype::int32, Dtype::int64, Dtype::uint8, Dtype::bool_},
     .result = always(Dtype::int64),
     .gradient = false},
    {.function = "batch_l2_norm_squared",
     .inputs = {{.shape = {3, 2, 4}}},
     .truth = one([](const References& in) {
         Reference y(Shape{in[0].dim(0)});
         for_each_index(in[0].shape,
                        [&](const Dims& i) { y.values[size_t(i[0])] += in[0][i] * in[0][i]; });
         return y;
     }),
     .tolerance = 4,
     .rejects =
         {{.inputs = {{.shape = {3}}},
           .message =
               "batch_l2_norm_squared: x should have a second axis to sum along, it is [3]"}}},
    {.function = "scale",
     .inputs = {{.shape = {2, 3, 4, 2}}, {.shape = {3, 4}}},
     .truth = combined([](double x, double y) { return x * y; }),
     .dtypes = all_dtypes(),
     .rejects = {{.set = {{"axis", "2"}},
                  .message =
                      "scale: y [3,4] should have the sizes of x [2,3,4,2] from axis 2 on"}}},
    {.function = "bias",
     .inputs = beside,
     .truth = combined([](double x, double y) { return x + y; }),
     .dtypes = all_dtypes(),
     .rejects = {{.set = {{"axis", "3"}},
                  .message = "bias: y [3,4] should have the sizes of x [2,3,4,2] from axis 3 on"}}},
    {.op = "linear_interpolate",
     .inputs = {{.shape = {3, 4}}, {.shape = {3, 4}}, {.shape = {3, 4}}},
     .truth = each([](double p, double x, double y) { return p * x + (1 - p) * y; }),
     .tolerance = 4},
    {.function = "identity",
     .inputs = {{.shape = {3, 4}}, {.shape = {2}}},
     .truth = [](const References& in) { return in; },
     .dtypes = all_dtypes()},
});

}  // namespace

}  // namespace catena::testing::einsum_rows
