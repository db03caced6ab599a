// Wrong calls of operations and links: one of each kind of mistake, with the whole text and the
// user's line. What each operation refuses by itself stands in its row in tests/ops.
#include "frontend/catena.h"
#include "runtime/graph/call/assign.h"
#include "runtime/core/memory/out_of_memory.h"
#include "tests/reject/rejection.h"

namespace catena::testing {
namespace {

Variable floats(const Shape& shape) { return Variable(Array::full({Dtype::float32, shape}, 0.5)); }
Variable integers(const Shape& shape) { return Variable(Array::full({Dtype::int32, shape}, 1)); }

TEST(RejectedCall, shapes_that_do_not_broadcast) {
    Variable a = floats({2, 3}), b = floats({4});
    EXPECT_REFUSED(
        ShapeError,
        "add: shapes must broadcast, dimension by dimension equal or 1 (float32[2,3], float32[4])",
        a + b);
}

TEST(RejectedCall, an_operator_deep_in_an_expression_names_its_line) {
    Variable a = floats({2, 3}), b = floats({2, 4});
    EXPECT_REFUSED(ShapeError, "matmul: a has 3 columns, b has 2 rows (a [2,3], b [2,4])",
                   exp(a) * 2.0 + matmul(a, b));
}

TEST(RejectedCall, integers_where_floats_are_needed) {
    EXPECT_REFUSED(DtypeError, "huber_loss: takes floats (int32[3,1], int32[3,1]); cast first",
                   huber_loss(integers({3, 1}), integers({3, 1}), 1.0));
}

TEST(RejectedCall, floats_where_integers_are_needed) {
    Variable W = floats({5, 2}), x = floats({3});
    EXPECT_REFUSED(DtypeError, "embed_id: x is float32, an integer dtype is needed",
                   embed_id(x, W));
}

TEST(RejectedCall, an_axis_that_is_not_there) {
    EXPECT_REFUSED(ShapeError,
                   "sum: axis 2 is not one of an array of 2 dimensions; it must be in [-2, 2)",
                   sum(floats({2, 3}), 2));
}

TEST(RejectedCall, an_axis_given_twice) {
    EXPECT_REFUSED(ShapeError, "sum: axis 1 appears twice in [1,-1]; each axis may be named once",
                   sum(floats({2, 3}), Dims{1, -1}));
}

TEST(RejectedCall, more_dimensions_than_there_can_be) {
    EXPECT_REFUSED_WITHOUT_LINE(ShapeError,
                                "an array of 9 dimensions was asked for; at most 8 are possible",
                                Shape({1, 1, 1, 1, 1, 1, 1, 1, 1}));
    Variable x = floats({1, 1, 1, 1, 1, 1, 1, 1});
    EXPECT_REFUSED(ShapeError, "an array of 9 dimensions was asked for; at most 8 are possible",
                   expand_dims(x, 0));
}

TEST(RejectedCall, a_text_option_that_does_not_exist) {
    Variable x = floats({2, 3}), t = integers({2});
    EXPECT_REFUSED(ValueError,
                   "softmax_cross_entropy: reduce is 'sum' and should be 'mean' or 'no'",
                   softmax_cross_entropy(x, t, {.reduce = "sum"}));
}

TEST(RejectedCall, a_label_that_is_no_class) {
    Variable x = floats({2, 3}), t(Array::from<int32_t>({0, 3}));
    EXPECT_REFUSED(ValueError,
                   "softmax_cross_entropy: label 3 at index 1 is not a class (x has 3 classes, 0 "
                   "to 2; ignore_label is -1)",
                   softmax_cross_entropy(x, t));
}

TEST(RejectedCall, an_index_outside_of_its_axis) {
    EXPECT_REFUSED(ValueError,
                   "get_item: index 3 is outside of axis 0 of size 3, which takes -3 to 2",
                   floats({3})[3]);
}

TEST(RejectedCall, an_undefined_variable) {
    Variable x = floats({3}), nothing;
    const std::string what_to_do =
        "holds no array: it is an undefined Variable; make it of one, Variable x(array), and begin "
        "a sum with "
        "its first term, loss = l";
    EXPECT_REFUSED(ValueError, "multiply: input 1 " + what_to_do, x * nothing);
    EXPECT_REFUSED(ValueError, "add: input 0 " + what_to_do, nothing += x);
}

TEST(RejectedCall, a_parameter_without_content) {
    const Parameter later;
    EXPECT_REFUSED(ValueError,
                   "multiply: input 1 holds no array; an uninitialised parameter gets one by "
                   "initialize(shape) or at "
                   "its link's first call",
                   floats({3}) * later);
}

TEST(RejectedCall, a_link_names_the_line_that_called_it) {
    Linear layer(4, 2);
    Variable x = floats({5, 3});
    EXPECT_REFUSED(ShapeError, "linear: W takes 4 features, x has 3 (x [5,3], W [2,4])", layer(x));
    Convolution2D convolution(3, 8, 3);
    EXPECT_REFUSED(ShapeError,
                   "convolution_2d: W takes 3 channels, x has 1 (x [2,1,8,8], W [8,3,3,3])",
                   convolution(floats({2, 1, 8, 8})));
}

TEST(RejectedCall, a_layer_says_how_it_takes_words_of_a_sentence) {
    Linear layer(4, 2);
    EXPECT_REFUSED(ShapeError,
                   "linear: W takes 4 features, x has 12 (x [5,3,4], W [2,4]); with 2 batch axes "
                   "(n_batch_axes, layer(x, 2)) it has 4",
                   layer(floats({5, 3, 4})));
}

TEST(RejectedCall, the_line_is_the_outermost_one_that_is_known) {
    struct Model : Chain {
        Linear layer{4, 2};
        Model() { add_children({{"layer", layer}}); }
        Variable operator()(const Operand& x) {
            LocationScope scope(x.location());
            return relu(layer(x));
        }
    } model;
    Variable x = floats({5, 3});
    EXPECT_REFUSED(ShapeError, "linear: W takes 4 features, x has 3 (x [5,3], W [2,4])", model(x));
}

TEST(RejectedCall, a_gradient_that_is_not_like_its_variable) {
    Variable x = floats({2});
    x.set_name("x");
    EXPECT_REFUSED_WITHOUT_LINE(
        ShapeError, "grad: the gradient of x float32[2] must have its shape, not float32[3]",
        x.set_grad(Array::zeros({Dtype::float32, {3}})));
    EXPECT_REFUSED_WITHOUT_LINE(
        DtypeError, "grad: the gradient of x float32[2] must have its dtype, not float64[2]",
        x.set_grad(Array::zeros({Dtype::float64, {2}})));
}

TEST(RejectedCall, backward_from_an_array_without_a_start) {
    Variable y = exp(floats({2, 3}));
    EXPECT_REFUSED(ValueError,
                   "backward: a variable of float32[2,3] needs a gradient set first; only size 1 "
                   "has a default",
                   y.backward());
}

TEST(RejectedCall, grad_with_the_wrong_starts) {
    Variable x = floats({2}), y = exp(x);
    std::vector<Variable> starts{floats({2}), floats({2})}, wide{floats({3})};
    EXPECT_REFUSED_WITHOUT_LINE(ValueError,
                                "grad: 1 outputs have 2 grad_outputs; give one for each, or none",
                                grad(std::span(&y, 1), std::span(&x, 1), starts));
    EXPECT_REFUSED_WITHOUT_LINE(
        ShapeError,
        "grad: output 0 is float32[2], its grad_output float32[3]; they should be alike",
        grad(std::span(&y, 1), std::span(&x, 1), wide));
}

TEST(RejectedCall, a_state_keeps_its_type) {
    State state(Array::zeros({Dtype::float32, {2}}));
    state.set_name("average");
    EXPECT_REFUSED_WITHOUT_LINE(
        ShapeError,
        "assign: average holds float32[2], the new value is float32[3]; shapes should be equal",
        assign(state, floats({3})));
    EXPECT_REFUSED_WITHOUT_LINE(
        DtypeError,
        "assign: average holds float32[2], the new value is int32[2]; dtypes should be equal",
        assign(state, integers({2})));
}

TEST(RejectedCall, nan_in_debug_mode) {
    auto debug = using_config(&Config::debug, true);
    Variable x(Array::from<float>({-1, 4}));
    EXPECT_REFUSED(ValueError, "sqrt: NaN in its output float32[2] (debug mode)", sqrt(x));
}

TEST(RejectedCall, arrays_read_as_what_they_are_not) {
    Array x = Array::from<float>({1, 2});
    const std::string many =
        "item: the array has 2 elements (shape [2]); item() is for arrays of one, to_vector() "
        "gives all";
    EXPECT_REFUSED(ShapeError, many, x.item<float>());
    EXPECT_REFUSED(ShapeError, many, Variable(x).item<float>());
    EXPECT_REFUSED(
        DtypeError,
        std::string("data<float64>() of an array of float32; astype(Dtype::float64) converts it"),
        x.data<double>());
    EXPECT_REFUSED(ValueError,
                   "item: this Array is undefined: nothing was assigned to it, or it is a gradient "
                   "or a parameter that is not there "
                   "yet (see defined())",
                   Array().item<float>());
    EXPECT_REFUSED_WITHOUT_LINE(ShapeError,
                                "Array::from: 3 elements do not fill the shape [2,2], which has 4",
                                Array::from(std::vector<float>{1, 2, 3}, {2, 2}));
}

TEST(RejectedCall, what_no_device_can_hold) {
    EXPECT_REFUSED_WITHOUT_LINE(ShapeError, "an array cannot have the shape [2,-1]",
                                Array::empty({Dtype::float32, {2, -1}}));
    EXPECT_EQ(refusal<OutOfMemory>([] { Array::empty({Dtype::float32, {int64_t(1) << 60}}); })
                  .find("cpu: an array float32[1152921504606846976]: out of memory: the system "
                        "refused 4611686018427387904 bytes"),
              0u);
}

TEST(RejectedCall, more_elements_than_64_bits_count) {
    const int64_t huge = int64_t(1) << 40;  // The product of two of them is 0 in 64 bits.
    EXPECT_REFUSED_WITHOUT_LINE(
        ShapeError,
        "an array of float32[1099511627776,1099511627776] has more elements than can be counted",
        Array::empty({Dtype::float32, {huge, huge}}));
    EXPECT_REFUSED(
        ShapeError,
        "an array of float32[1099511627776,1099511627776] has more elements than can be counted",
        broadcast_to(floats({1, 1}), {huge, huge}));
    EXPECT_REFUSED(
        ShapeError,
        "an array of float32[64,1099511627776,1099511627776] has more elements than can be counted",
        broadcast_to(floats({64, 1, 1}), {64, huge, huge}));
    EXPECT_EQ(broadcast_to(floats({1, 1}), {huge, 1 << 20}).size(), huge << 20);
    EXPECT_EQ(Array::empty({Dtype::float32, {huge, huge, 0}}).size(), 0);
}

TEST(RejectedCall, sizes_of_results_that_64_bits_do_not_hold) {
    const int64_t most = INT64_MAX, half = int64_t(1) << 62;
    EXPECT_REFUSED(ShapeError,
                   "pad: 2 + 9223372036854775807 + 9223372036854775807 is a size that 64 bits do "
                   "not hold",
                   pad(floats({2, 3}), {most, 0}, {most, 0}));
    EXPECT_REFUSED(ShapeError,
                   "repeat: 64 x 1152921504606846976 is a size that 64 bits do not hold",
                   repeat(floats({64, 64}), int64_t(1) << 60, 0));
    EXPECT_REFUSED(ShapeError, "tile: 4 x 4611686018427387904 is a size that 64 bits do not hold",
                   tile(floats({4}), {half}));
    const Variable wide = broadcast_to(floats({1}), {half});
    EXPECT_REFUSED(ShapeError,
                   "concat: 4611686018427387904 + 4611686018427387904 is a size that 64 bits do "
                   "not hold",
                   concat({wide, wide}, 0));
    EXPECT_REFUSED(ShapeError, "slice: 4 x 4611686018427387904 is a size that 64 bits do not hold",
                   strided_slice(floats({8}), {0}, {half}, {5}));
    EXPECT_REFUSED(ShapeError,
                   "as_strided: 4 x 4611686018427387904 is a size that 64 bits do not hold",
                   as_strided(floats({8}), {5}, {half}, 0));
    EXPECT_REFUSED_WITHOUT_LINE(
        ShapeError,
        "get_deconv_outsize: 4611686018427387904 x 3 is a size that 64 bits do not hold",
        get_deconv_outsize(4, 1, half, 0));
    EXPECT_EQ(strided_slice(floats({8}), {7}, {most}, {1}).shape(), Shape{1});
    auto region =
        static_graph([&](const Variable& x) { return pad(x, {most, 0}, {most, 0}) + 1; }, "padded");
    EXPECT_THROW(region(floats({2, 3})), ShapeError);
}

TEST(RejectedCall, names_that_do_not_exist) {
    EXPECT_REFUSED_WITHOUT_LINE(
        DeviceError, "there is no device 'gpu'; there are cpu, meta, and cuda:0 where there is one",
        Linear(2, 3).to_device("gpu"));
    EXPECT_EQ(refusal<DtypeError>([] {
                  parse_dtype("float31");
              }).find("'float31' is not a dtype; there are "),
              0u);
}

TEST(RejectedCall, an_optimizer_without_a_target) {
    EXPECT_REFUSED(ValueError, "Adam: call setup() first", Adam().update());
}

}  // namespace
}  // namespace catena::testing
