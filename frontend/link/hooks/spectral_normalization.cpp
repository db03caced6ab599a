#include "frontend/link/hooks/spectral_normalization.h"

#include <cmath>
#include <numeric>

#include "frontend/link/connection/convolution.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/assign.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/node/node.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena::link_hooks {
namespace {

/// [outputs, rest]; W of a transposed convolution begins with its inputs.
Variable matrix_of(const Link& link, const Variable& W) {
    const auto* convolution = dynamic_cast<const ConvolutionLink*>(&link);
    Variable turned = W;
    if (convolution && convolution->is_transposed()) {
        Axes order{1, 0};
        for (int i = 2; i < W.rank(); ++i) order.push_back(i);
        turned = transpose(W, order);
    }
    return reshape(turned, {turned.shape()[0], -1});
}

Variable unit(const Variable& v, double eps) { return v / (sqrt(sum(square(v))) + eps); }

/// The largest singular value of a matrix on the host, by power iteration until it changes no more.
double largest_singular_value(const Array& matrix) {
    const int64_t rows = matrix.shape()[0], columns = matrix.shape()[1];
    const std::vector<double> a = matrix.to_vector<double>();
    std::vector<double> v(size_t(columns), 1.0), u(static_cast<size_t>(rows));
    for (int64_t j = 0; j < columns; ++j)
        v[size_t(j)] += 0.01 * double(j % 7);  // Orthogonal to no likely vector.
    double sigma = 0;
    for (int step = 0; step < 10000; ++step) {
        const double length = std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
        if (length == 0) return 0;
        for (double& x : v) x /= length;
        for (int64_t i = 0; i < rows; ++i)
            u[size_t(i)] = std::inner_product(v.begin(), v.end(), a.begin() + i * columns, 0.0);
        const double next = std::sqrt(std::inner_product(u.begin(), u.end(), u.begin(), 0.0));
        std::fill(v.begin(), v.end(), 0.0);
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < columns; ++j)
                v[size_t(j)] += a[size_t(i * columns + j)] * u[size_t(i)];
        if (std::abs(next - sigma) <= 1e-14 * next) return next;
        sigma = next;
    }
    return sigma;
}

/// "/l1/W" and "gamma": "/l1/gamma".
std::string beside(const std::string& path, const std::string& name) {
    return path.substr(0, path.rfind('/') + 1) + name;
}

}  // namespace

SpectralNormalization::SpectralNormalization(SpectralNormalizationOptions options)
    : WeightHook(options.weight_name), options_(std::move(options)) {
    if (options_.n_power_iteration < 1)
        fail<ValueError>("SpectralNormalization: n_power_iteration is {}, it should be at least 1",
                         options_.n_power_iteration);
}

std::shared_ptr<LinkHook> SpectralNormalization::copied() const {
    return std::make_shared<SpectralNormalization>(*this);
}

void SpectralNormalization::added(Link* link) {
    WeightHook::added(link);
    const Parameter& weight = weight_of(*link);
    u.set_name(beside(weight.name(), weight_name() + "_u"));
    gamma.set_name(beside(weight.name(), "gamma"));
    if (weight.is_initialized()) initialize(*link, weight);
}

std::vector<std::pair<std::string, Parameter*>> SpectralNormalization::params() {
    if (!options_.use_gamma) return {};
    return {{"gamma", &gamma}};
}

std::vector<std::pair<std::string, State*>> SpectralNormalization::persistents() {
    return {{weight_name() + "_u", &u}};
}

/// Initialises the hook's vector and number outside of recordings, as a parameter is initialised:
/// loaded ones stay.
void SpectralNormalization::initialize(const Link& link, const Parameter& weight) {
    const RecorderScope paused(nullptr);
    const auto no_graph = no_backprop_mode();
    if (!u.is_initialized()) {
        const Variable matrix = matrix_of(link, weight);
        if (matrix.shape()[0] == 0)
            fail<ValueError>("SpectralNormalization: {} {} has no outputs", weight_name(),
                             to_string(weight.shape()));
        bind_state(
            *u.body(),
            initializers::Normal(1.0)({weight.dtype(), {matrix.shape()[0]}}).to(weight.device()));
    }
    if (!options_.use_gamma || gamma.is_initialized()) return;
    const double sigma = largest_singular_value(matrix_of(link, weight).array());
    bind_state(*gamma.body(), Array::from(std::vector<double>{sigma}, Shape{})
                                  .astype(weight.dtype())
                                  .to(weight.device()));
}

Variable SpectralNormalization::weight_for_call(Link& link, Parameter& weight) {
    initialize(link, weight);
    const Variable matrix = matrix_of(link, weight);
    Variable left = u, right;
    {
        const auto no_graph = no_backprop_mode();
        for (int i = 0; i < options_.n_power_iteration; ++i) {
            right = unit(matmul(left, matrix), options_.eps);
            left = unit(matmul(matrix, right), options_.eps);
        }
        if (config().train) assign(u, left);
    }
    Variable sigma = matmul(matmul(left, matrix), right);
    if (options_.factor) sigma = sigma / *options_.factor;
    return options_.use_gamma ? gamma * weight / sigma : weight / sigma;
}

}  // namespace catena::link_hooks
