#include <vector>

#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/define/constant.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/rnn/cell_steps.h"
#include "runtime/ops/rnn/recurrent_layer.h"

namespace catena {
namespace {

Variable rows_at(const Variable& x, std::span<const int64_t> rows) {
    return take(x, constant(std::vector(rows.begin(), rows.end()), {int64_t(rows.size())}, x), 0);
}
std::vector<int64_t> inverse(const std::vector<int64_t>& order) {
    std::vector<int64_t> places(order.size());
    for (size_t i = 0; i < order.size(); ++i) places[size_t(order[i])] = int64_t(i);
    return places;
}

/// `now` in place of the first rows of `all`.
Variable replaced(const Variable& now, const Variable& all) {
    const int64_t n = now.shape()[0], count = all.shape()[0];
    return n == count ? now : concat({now, slice_axis(all, 0, n, count - n)}, 0);
}

/// One step: from_x and from_h are the products of all gates with x and h.
LstmStep step(RecurrentCell kind, const GatePlaces& places, const Variable& from_x,
              const Variable& from_h, const LstmStep& before) {
    const int64_t units = before.h.shape()[1];
    const auto gate = [&](const Variable& all, int64_t k) {
        return slice_axis(all, 1, places[k] * units, units);
    };
    const auto sum = [&](int64_t k) { return gate(from_x, k) + gate(from_h, k); };
    switch (kind) {
        case RecurrentCell::tanh:
            return {tanh(from_x + from_h), {}};
        case RecurrentCell::relu:
            return {relu(from_x + from_h), {}};
        case RecurrentCell::gru: {
            const auto candidate = [&](const Variable& r) {
                return gate(from_x, 2) + r * gate(from_h, 2);
            };
            return {gru_step(sum(0), sum(1), candidate, before.h), {}};
        }
        default:
            return lstm_step({.i = sum(0), .f = sum(1), .a = sum(2), .o = sum(3)}, before.c);
    }
}

}  // namespace

SequenceSteps steps_of(const char* op, const Array& lengths, int64_t total,
                       const Attributes& attributes) {
    const Array wide = lengths.astype(Dtype::int64).as_contiguous();
    return SequenceSteps(op, std::span(wide.elements<int64_t>(), size_t(wide.size())), total,
                         RowOrder(attributes.integer("order")), attributes.flag("reverse"));
}

Variables recurrent_steps(RecurrentCell cell, std::span<const Variable> inputs,
                          const Attributes& attributes) {
    const bool has_memory = widths_of(cell).has_memory;
    const Variable &x = inputs[0], &R = inputs[inputs.size() - 3], &b = inputs[inputs.size() - 2];
    const SequenceSteps s =
        steps_of("recurrent_steps", inputs.back().array(), x.shape()[0], attributes);
    LstmStep all{rows_at(inputs[1], s.order),
                 has_memory ? rows_at(inputs[2], s.order) : Variable()};
    std::vector<Variable> ys;
    for (int64_t t = 0; t < s.count(); ++t) {
        const int64_t n = s.sizes[t];
        const LstmStep before{slice_axis(all.h, 0, 0, n),
                              has_memory ? slice_axis(all.c, 0, 0, n) : Variable()};
        const Variable from_x =
            rows_at(x, std::span(s.rows).subspan(size_t(s.starts[t]), size_t(n)));
        const LstmStep now =
            step(cell, places_of(attributes), from_x, linear(before.h, R, b), before);
        ys.push_back(now.h);
        all.h = replaced(now.h, all.h);
        if (has_memory) all.c = replaced(now.c, all.c);
    }
    const std::vector<int64_t> back = inverse(s.order);
    Variables results{ys.empty() ? slice_axis(x, 1, 0, all.h.shape()[1])
                                 : rows_at(concat(ys, 0), inverse(s.rows)),
                      rows_at(all.h, back)};
    if (has_memory) results.push_back(rows_at(all.c, back));
    return results;
}

}  // namespace catena
