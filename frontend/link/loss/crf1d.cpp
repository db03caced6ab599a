#include "frontend/link/loss/crf1d.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "runtime/ops/array/blocks.h"

namespace catena {
namespace {

/// The sequences by decreasing length; equally long ones keep their order.
std::vector<size_t> by_length(std::span<const Variable> xs) {
    std::vector<size_t> order(xs.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return xs[a].shape()[0] > xs[b].shape()[0]; });
    return order;
}

Variables positions(std::span<const Variable> xs, const std::vector<size_t>& order) {
    std::vector<Variable> sorted;
    for (size_t i : order) sorted.push_back(xs[i]);
    return transpose_sequence(sorted);
}

}  // namespace

CRF1d::CRF1d(int64_t n_label, const Initializer& initial_cost)
    : cost(initial_cost, Shape{n_label, n_label}) {
    add_param("cost", cost);
}

Variable CRF1d::operator()(std::span<const Variable> xs, std::span<const Variable> ys,
                           const std::string& reduce, bool transpose,
                           const std::source_location& at) {
    const LocationScope scope(at);
    if (xs.size() != ys.size())
        fail<ValueError>("CRF1d: {} xs and {} ys are given; each has labels", xs.size(), ys.size());
    return called_with(
        [&] {
            if (!transpose) return crf1d(cost, xs, ys, reduce);
            const std::vector<size_t> order = by_length(xs);
            for (size_t i = 0; i < xs.size(); ++i)
                if (ys[i].rank() != 1 || ys[i].shape()[0] != xs[i].shape()[0])
                    fail<ShapeError>("CRF1d: ys[{}] should be [{}], as xs[{}] is {}; it is {}", i,
                                     xs[i].shape()[0], i, to_string(xs[i].shape()),
                                     to_string(ys[i].shape()));
            return crf1d(cost, positions(xs, order), positions(ys, order), reduce);
        },
        xs, ys);
}

CrfPath CRF1d::argmax(std::span<const Variable> xs, bool transpose,
                      const std::source_location& at) {
    const LocationScope scope(at);
    if (!transpose) return argmax_crf1d(cost, xs);
    const std::vector<size_t> order = by_length(xs);
    CrfPath path = argmax_crf1d(cost, positions(xs, order));
    const Variables sorted = transpose_sequence(path.labels);
    path.labels = Variables(xs.size());
    for (size_t i = 0; i < order.size(); ++i) path.labels[order[i]] = sorted[i];
    return path;
}

}  // namespace catena
