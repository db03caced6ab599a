// Functions of each element, softmax and dropout.
#include "runtime/ops/activation/activation.h"

#include <cmath>

#include "frontend/caffe/caffe.pb.h"
#include "frontend/caffe/layer_reader.h"
#include "frontend/link/activation/prelu.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/activation/softmax.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/noise/noise.h"

namespace catena::caffe {
namespace {

LayerFunction read_relu(const LayerInFile& layer) {
    const double slope = layer->relu_param().negative_slope();
    if (slope == 0) return of_one([](const Variable& x) { return relu(x); });
    return of_one([slope](const Variable& x) { return leaky_relu(x, slope); });
}

LayerFunction read_prelu(const LayerInFile& layer) {
    const bool shared = layer->prelu_param().channel_shared();
    const Shape shape = shared ? Shape{} : Shape{layer.blob(0).size()};
    return of_link(PReLU(shape, layer.blob(0, shape, shared ? "a shared slope" : "slopes")));
}

LayerFunction read_softmax(const LayerInFile& layer) {
    const int64_t axis = layer->softmax_param().axis();
    return of_one([axis](const Variable& x) { return softmax(x, axis); });
}

LayerFunction read_dropout(const LayerInFile& layer) {
    const double ratio = layer->dropout_param().dropout_ratio();
    if (!(ratio >= 0 && ratio < 1))
        layer.wrong(
            fmt::format("drops a part of {}; that must be at least 0 and less than 1", ratio));
    return of_one([ratio](const Variable& x) { return dropout(x, ratio); });
}

LayerFunction read_elu(const LayerInFile& layer) {
    const double alpha = layer->elu_param().alpha();
    return of_one([alpha](const Variable& x) { return elu(x, alpha); });
}

/// (shift + scale * x) ^ power.
LayerFunction read_power(const LayerInFile& layer) {
    const double power = layer->power_param().power(), scale = layer->power_param().scale(),
                 shift = layer->power_param().shift();
    return of_one([=](const Variable& x) {
        const Variable inner = x * scale + shift;
        return power == 1 ? inner : pow(inner, power);
    });
}

/// The natural logarithm of a base, of which -1 is e.
double log_of_base(const LayerInFile& layer, double base) {
    if (base == -1) return 1;
    if (!(base > 0))
        layer.wrong(fmt::format("has the base {}; that must be positive, or -1 for e", base));
    return std::log(base);
}

/// base ^ (shift + scale * x).
LayerFunction read_exp(const LayerInFile& layer) {
    const double log_base = log_of_base(layer, layer->exp_param().base());
    const double scale = layer->exp_param().scale() * log_base,
                 shift = layer->exp_param().shift() * log_base;
    return of_one([=](const Variable& x) { return exp(x * scale + shift); });
}

/// The logarithm of shift + scale * x to the base.
LayerFunction read_log(const LayerInFile& layer) {
    const double log_base = log_of_base(layer, layer->log_param().base());
    const double scale = layer->log_param().scale(), shift = layer->log_param().shift();
    return of_one([=](const Variable& x) { return log(x * scale + shift) / log_base; });
}

template <class F>
std::function<LayerFunction(const LayerInFile&)> plain(F f) {
    return [f](const LayerInFile&) { return of_one(f); };
}

const int activation_added = add_layer_readers({
    {"ReLU", read_relu},
    {"PReLU", read_prelu},
    {"ELU", read_elu},
    {"Sigmoid", plain([](const Variable& x) { return sigmoid(x); })},
    {"TanH", plain([](const Variable& x) { return tanh(x); })},
    {"AbsVal", plain([](const Variable& x) { return absolute(x); })},
    {"BNLL", plain([](const Variable& x) { return softplus(x); })},
    {"Power", read_power},
    {"Exp", read_exp},
    {"Log", read_log},
    {"Softmax", read_softmax},
    {"Dropout", read_dropout},
});

}  // namespace
}  // namespace catena::caffe
