// Functions of each element, and softmax.
#include "frontend/caffe/caffe.pb.h"
#include "frontend/caffe/net_writer.h"

namespace catena::caffe {
namespace {

LayerWriter plain(const char* type, const char* layer) {
    return {type, [layer](Operator& op) { op.layer(layer); }};
}

/// (shift + scale * x) ^ power.
void write_power(Operator& op, double power, double scale = 1, double shift = 0, int input = 0) {
    format::PowerParameter& p = *op.layer("Power", input).mutable_power_param();
    p.set_power(float(power));
    p.set_scale(float(scale));
    p.set_shift(float(shift));
}
LayerWriter as_power(const char* type, double power, double scale = 1) {
    return {type, [=](Operator& op) { write_power(op, power, scale); }};
}

void write_leaky_relu(Operator& op) {
    op.layer("ReLU").mutable_relu_param()->set_negative_slope(float(op.real("alpha", 0.01)));
}

void write_elu(Operator& op) {
    op.layer("ELU").mutable_elu_param()->set_alpha(float(op.real("alpha", 1)));
}

void write_softmax(Operator& op) {
    const int64_t axis = op.integer("axis", -1);
    format::LayerParameter& layer = op.layer("Softmax");
    if (axis != 1) layer.mutable_softmax_param()->set_axis(int32_t(axis));
}

void write_log_softmax(Operator& op) {
    write_softmax(op);
    op.then("Log", "_softmax");
}

void write_pow(Operator& op) {
    const std::optional<double> exponent = op.number(1);
    if (!exponent) op.unsupported("an exponent that is not a number");
    write_power(op, *exponent);
}

/// Sizes of a constant that is broadcast to x, without the ones around them, and the axis of x at
/// which they begin.
struct Place {
    Shape shape;
    int axis = 0;
};
std::optional<Place> place_of(const Shape& constant, const Shape& x) {
    const int offset = x.rank() - constant.rank();
    Place place;
    int end = constant.rank();
    while (end > 0 && constant[end - 1] == 1) --end;
    int begin = 0;
    while (begin < end && constant[begin] == 1) ++begin;
    if (offset < 0 || begin == end) return std::nullopt;
    for (int i = begin; i < end; ++i) {
        if (constant[i] != x[i + offset]) return std::nullopt;
        place.shape.push_back(constant[i]);
    }
    place.axis = begin + offset;
    return place;
}

/// The constant as a blob for a Scale or Bias layer.
std::pair<Place, Array> placed(Operator& op, int x, int constant) {
    const std::optional<Shape> shape = op.input_shape(x);
    const Array array = op.constant(constant, "an operand").astype(Dtype::float32).as_contiguous();
    const std::optional<Place> place = shape ? place_of(array.shape(), *shape) : std::nullopt;
    if (!place)
        op.unsupported(fmt::format("an array {} with {}", to_string(array.shape()),
                                   shape ? to_string(*shape) : "this blob"));
    return {*place,
            array.view(place->shape, contiguous_strides(place->shape), array.body()->offset)};
}

void write_scale(Operator& op, int x, int constant) {
    const auto [place, factors] = placed(op, x, constant);
    format::LayerParameter& layer = op.layer("Scale", x);
    if (place.axis != 1) layer.mutable_scale_param()->set_axis(place.axis);
    if (place.shape.rank() != 1) layer.mutable_scale_param()->set_num_axes(place.shape.rank());
    add_blob(layer, factors);
}

/// Offsets of channels become the bias of the deconvolution or product before.
void write_offsets(Operator& op, int x, int constant) {
    const auto [place, offsets] = placed(op, x, constant);
    format::LayerParameter* source = op.only_source(x);
    const bool is_channels = place.axis == 1 && place.shape.rank() == 1;
    if (source && is_channels && source->type() == "Deconvolution" &&
        !source->convolution_param().bias_term()) {
        source->mutable_convolution_param()->set_bias_term(true);
        add_blob(*source, offsets);
        return op.alias(x);
    }
    format::LayerParameter& layer = op.layer("Bias", x);
    if (place.axis != 1) layer.mutable_bias_param()->set_axis(place.axis);
    if (place.shape.rank() != 1) layer.mutable_bias_param()->set_num_axes(place.shape.rank());
    add_blob(layer, offsets);
}

using Operation = format::EltwiseParameter;

Operation& write_eltwise(Operator& op, Operation::EltwiseOp operation) {
    const std::optional<Shape> a = op.input_shape(0), b = op.input_shape(1);
    if (a && b && *a != *b) op.unsupported(fmt::format("{} with {}", to_string(*a), to_string(*b)));
    Operation& p = *op.layer("Eltwise", std::vector<int>{0, 1}).mutable_eltwise_param();
    if (operation != Operation::SUM) p.set_operation(operation);
    return p;
}

/// The operand that is constant, of two; -1 when both are computed.
int constant_operand(const Operator& op) {
    return op.is_constant(1) ? 1 : op.is_constant(0) ? 0 : -1;
}

void write_add(Operator& op) {
    const int constant = constant_operand(op);
    if (constant < 0) {
        write_eltwise(op, Operation::SUM);
    } else if (const auto number = op.number(constant)) {
        write_power(op, 1, 1, *number, 1 - constant);
    } else {
        write_offsets(op, 1 - constant, constant);
    }
}

void write_multiply(Operator& op) {
    const int constant = constant_operand(op);
    if (constant < 0) {
        write_eltwise(op, Operation::PROD);
    } else if (const auto number = op.number(constant)) {
        write_power(op, 1, *number, 0, 1 - constant);
    } else {
        write_scale(op, 1 - constant, constant);
    }
}

void write_subtract(Operator& op) {
    if (const auto number = op.number(1)) return write_power(op, 1, 1, -*number);
    if (const auto number = op.number(0)) return write_power(op, 1, -1, *number, 1);
    if (constant_operand(op) >= 0) op.unsupported("the difference of an array and a blob");
    Operation& p = write_eltwise(op, Operation::SUM);
    p.add_coeff(1);
    p.add_coeff(-1);
}

void write_divide(Operator& op) {
    if (const auto number = op.number(1)) return write_power(op, 1, 1 / *number);
    if (const auto number = op.number(0); number && *number != 0)
        return write_power(op, -1, 1 / *number, 0, 1);
    op.unsupported("this quotient");
}

void write_maximum(Operator& op) {
    if (op.count() != 2 || constant_operand(op) >= 0)
        op.unsupported("the maximum of a blob and a parameter");
    write_eltwise(op, Operation::MAX);
}

void write_prelu(Operator& op) {
    const Array slopes = op.constant(1, "slopes");
    if (slopes.size() == 1) {
        format::LayerParameter& layer = op.layer("PReLU");
        layer.mutable_prelu_param()->set_channel_shared(true);
        return add_blob(layer, slopes);
    }
    const auto [place, by_channel] = placed(op, 0, 1);
    if (place.axis != 1 || place.shape.rank() != 1)
        op.unsupported(fmt::format("slopes {}", to_string(slopes.shape())));
    add_blob(op.layer("PReLU"), by_channel);
}

const int elements_added = add_layer_writers({
    plain("Relu", "ReLU"),
    plain("Sigmoid", "Sigmoid"),
    plain("Tanh", "TanH"),
    plain("Abs", "AbsVal"),
    plain("Softplus", "BNLL"),
    plain("Exp", "Exp"),
    plain("Log", "Log"),
    as_power("Sqrt", 0.5),
    as_power("Reciprocal", -1),
    as_power("Neg", 1, -1),
    {"LeakyRelu", write_leaky_relu},
    {"Elu", write_elu},
    {"PRelu", write_prelu},
    {"Softmax", write_softmax},
    {"LogSoftmax", write_log_softmax},
    {"Pow", write_pow},
    {"Add", write_add},
    {"Mul", write_multiply},
    {"Sub", write_subtract},
    {"Div", write_divide},
    {"Max", write_maximum},
});

}  // namespace
}  // namespace catena::caffe
