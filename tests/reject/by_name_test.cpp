// Wrong calls of all functions, by their names.
#include <random>

#include "frontend/catena.h"
#include "runtime/ops/by_name/function.h"
#include "tests/reject/rejection.h"

namespace catena::testing {
namespace {

Variable floats(const Shape& shape) { return Variable(Array::full({Dtype::float32, shape}, 0.5)); }

Variables call(const char* name, std::vector<Variable> arrays,
               const std::map<std::string, const char*>& arguments = {}) {
    NamedValues values;
    for (const auto& [key, text] : arguments) values[key] = parse_literal(text);
    return call_function(name, std::move(arrays), std::move(values));
}

/// Arrays and arguments of any kind, the same for each seed.
class RandomCall {
public:
    RandomCall(const FunctionDef& f, unsigned seed) : random_(seed) {
        const size_t count = f.takes_list ? below(4) : f.array_count;
        const Shape common = shape();
        const Dtype one = dtype();
        const bool alike = below(2);
        for (size_t i = 0; i < count; ++i)
            arrays.push_back(array(alike ? common : shape(), alike ? one : dtype()));
        for (const FunctionParameter& p : f.parameters)
            if (p.fallback && below(3) == 0) arguments[p.name] = parse_literal(text());
        for (const char* name : {"axis", "shape", "ksize", "r", "n", "size", "start", "stop",
                                 "indices_or_sections", "slices"})
            if (f.signature.find(std::string("(") + name + ")") != f.signature.npos ||
                f.signature.find(std::string(", ") + name + ",") != f.signature.npos ||
                f.signature.find(std::string(", ") + name + ")") != f.signature.npos)
                arguments[name] = parse_literal(text());
    }
    std::vector<Variable> arrays;
    NamedValues arguments;

private:
    size_t below(size_t n) { return random_() % n; }
    Shape shape() {
        static const Shape all[] = {{},     {0},       {3},          {2, 3},       {3, 3},
                                    {0, 3}, {2, 3, 4}, {2, 3, 4, 4}, {2, 0, 4, 4}, {1, 2, 3, 4, 5}};
        return all[below(std::size(all))];
    }
    Dtype dtype() {
        static const Dtype all[] = {Dtype::float32, Dtype::float32, Dtype::float64, Dtype::float16,
                                    Dtype::int32,   Dtype::int64,   Dtype::uint8,   Dtype::bool_};
        return all[below(std::size(all))];
    }
    const char* text() {
        static const char* const all[] = {"-1",
                                          "0",
                                          "2",
                                          "99",
                                          "0.5",
                                          "1e30",
                                          "None",
                                          "True",
                                          "'x'",
                                          "[]",
                                          "[0]",
                                          "[-5]",
                                          "[1,2,3]",
                                          "1099511627776",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "[2,2]",
                                          "[[1,2],[3]]"};
        return all[below(std::size(all))];
    }
    Variable array(const Shape& shape, Dtype dtype) {
        std::vector<double> values(size_t(element_count(shape)));
        for (double& value : values) value = double(below(7)) - 2;
        return Variable(Array::from(values, shape).astype(dtype));
    }
    std::mt19937 random_;
};

TEST(RejectedByName, every_function_computes_or_says_by_its_name_what_is_wrong) {
    int refused = 0, computed = 0;
    for (const FunctionDef* f : all_functions()) {
        for (unsigned seed = 0; seed < 25; ++seed) {
            RandomCall call(*f, seed);
            try {
                for (const Variable& y : call_function(f->name, call.arrays, call.arguments))
                    if (y.defined() && y.requires_grad() && y.size() < 100'000) {
                        y.set_grad(Array::full(y.type(), 1));
                        y.backward();
                    }
                ++computed;
            } catch (const DeviceError&) {  // More memory than there is.
                ++refused;
            } catch (const Error& error) {
                ++refused;
                EXPECT_EQ(std::string(error.what()).find(f->name), 0u)
                    << "seed " << seed << ": " << error.what();
            } catch (const std::exception& error) {
                ADD_FAILURE() << f->name << ", seed " << seed << ": " << error.what();
            }
        }
    }
    EXPECT_GT(refused, 1000);
    EXPECT_GT(computed, 1000);
}

TEST(RejectedByName, a_part_of_the_function_is_named_behind_it) {
    EXPECT_EQ(
        refusal<ShapeError>([] {
            call("hsplit", {floats({2, 3})}, {{"indices_or_sections", "2"}});
        }).find("hsplit: split_axis: axis 1 of x [2,3] has size 3, which 2 sections do not divide"),
        0u);
}

TEST(RejectedByName, a_list_of_arrays_is_no_argument) {
    EXPECT_REFUSED_WITHOUT_LINE(ValueError,
                                "concat: xs is a list of arrays, which are given in order; it is "
                                "called as concat(xs, axis=1)",
                                call("concat", {floats({2, 3})}, {{"xs", "5"}}));
}

TEST(RejectedByName, an_array_beside_a_list_is_no_argument) {
    EXPECT_REFUSED_WITHOUT_LINE(ValueError,
                                "argmax_crf1d: cost is an array, which is given in order; it is "
                                "called as argmax_crf1d(cost, xs)",
                                call("argmax_crf1d", {floats({2, 3})}, {{"cost", "5"}}));
}

TEST(RejectedByName, axes_that_are_no_integers) {
    EXPECT_EQ(
        refusal<ValueError>(
            [] { call("tensordot", {floats({2, 3}), floats({2, 3})}, {{"axes", "[[0.5], [1]]"}}); })
            .find("tensordot: axes should be an integer or two lists of integers, not [[0.5], "
                  "[1]]"),
        0u);
}

TEST(RejectedByName, windows_larger_than_can_be_counted) {
    const Variable x = floats({1, 1, 4, 4});
    EXPECT_EQ(
        refusal<ValueError>([&] {
            max_pooling_2d(x, {1, 1}, {.stride = {int64_t(1) << 40, 1}});
        }).find("max_pooling_2d: stride is [1099511627776,1], at most 2147483647 is possible"),
        0u);
    EXPECT_EQ(refusal<ShapeError>([&] { max_pooling_2d(x, {1 << 20, 1 << 20}); })
                  .find("max_pooling: a window of [1048576,1048576] has more elements than an "
                        "int32 can number"),
              0u);
    EXPECT_EQ(refusal<ValueError>([&] {
                  depth2space(x, int64_t(1) << 62);
              }).find("depth2space: r is 4611686018427387904, at most 1048576 is possible"),
              0u);
    EXPECT_EQ(refusal<ShapeError>([&] {
                  split_axis(floats({0, 3}), int64_t(1) << 40, 0);
              }).find("split_axis: 1099511627776 sections, at most 16777216 are possible"),
              0u);
}

TEST(RejectedByName, not_a_mixture_of_precisions) {
    const Variable a(Array::from<double>(std::vector<double>{2, 0, 0, 3}, Shape{2, 2})),
        q = floats({2, 2});
    sum(lyapunov(a, q)).backward();
    EXPECT_EQ(q.grad().dtype(), Dtype::float32);
}

}  // namespace
}  // namespace catena::testing
