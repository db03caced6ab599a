#include "runtime/ops/noise/walker_alias.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/noise/random.h"

namespace catena {
namespace {

double checked_sum(const std::vector<double>& weights) {
    double sum = 0;
    for (size_t i = 0; i < weights.size(); ++i) {
        if (!(weights[i] >= 0) || std::isinf(weights[i]))
            fail<ValueError>("WalkerAlias: weight {} is {}, it should be finite and 0 or more", i,
                             weights[i]);
        sum += weights[i];
    }
    if (sum == 0)
        fail<ValueError>("WalkerAlias: the {} weights add up to 0; one should be positive",
                         weights.size());
    return sum;
}

}  // namespace

WalkerAlias::WalkerAlias(const std::vector<double>& weights) {
    const double sum = checked_sum(weights);
    const size_t n = weights.size();
    std::vector<double> share(n), threshold(n, 1);
    for (size_t i = 0; i < n; ++i) share[i] = weights[i] / sum * double(n);
    std::vector<int32_t> values(2 * n);
    std::vector<size_t> small, large;
    for (size_t i = 0; i < n; ++i) {
        values[2 * i] = values[2 * i + 1] = int32_t(i);
        (share[i] < 1 ? small : large).push_back(i);
    }
    // What an interval has left is filled from one that has too much. Those that remain are full,
    // but for rounding.
    while (!small.empty() && !large.empty()) {
        const size_t to = small.back(), from = large.back();
        small.pop_back();
        threshold[to] = share[to];
        values[2 * to + 1] = int32_t(from);
        share[from] -= 1 - share[to];
        if (share[from] < 1) {
            large.pop_back();
            small.push_back(from);
        }
    }
    threshold_ = Array::from(threshold, Shape{int64_t(n)});
    values_ = Array::from(values, Shape{int64_t(2 * n)});
}

Variable WalkerAlias::operator()(const Shape& shape) const {
    const DeviceScope beside(threshold_.device());
    const int64_t n = threshold_.size();
    const Variable place = random_uniform(shape, Dtype::float64) * double(n), whole = floor(place);
    const Variable interval = minimum(cast(whole, Dtype::int64), n - 1);
    const Variable rest = cast(take(threshold_, interval) <= place - whole, Dtype::int64);
    return take(values_, interval * 2 + rest);
}

void WalkerAlias::move(Device& device) {
    threshold_ = threshold_.to(device);
    values_ = values_.to(device);
}

}  // namespace catena
