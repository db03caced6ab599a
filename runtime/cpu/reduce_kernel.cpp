#include "runtime/cpu/reduce_kernel.h"

#include <algorithm>
#include <array>
#include <vector>

#include "runtime/core/error.h"
#include "runtime/core/loop_nest.h"

namespace catena {

namespace {

template <class A>
A identity(Combine combine) {
    return combine == Combine::product ? A(1) : A(0);
}

template <class A>
A combined(Combine combine, A a, A b) {
    switch (combine) {
        case Combine::sum: return a + b;
        case Combine::product: return a * b;
        case Combine::maximum: return a != a ? a : b != b ? b : std::max(a, b);
        default: return a != a ? a : b != b ? b : std::min(a, b);
    }
}

template <class A>
void reduce(const KernelCall& call, const Array& input, const Strides& target_strides, const Array& result) {
    A* to = static_cast<A*>(result.raw_data());
    const A* from = static_cast<const A*>(input.raw_data());
    std::vector<bool> started(size_t(result.size()));
    std::fill_n(to, result.size(), identity<A>(call.op.combine));
    const std::array<Strides, 2> strides = {target_strides, input.strides()};
    const LoopNest nest = make_loop_nest(input.shape(), strides);
    for (int64_t i = 0; i < input.size(); ++i) {
        const int64_t row = i / nest.inner(), column = i % nest.inner();
        const int64_t at = nest.row_offset(0, row) + column * nest.inner_stride(0);
        const A value = from[nest.row_offset(1, row) + column * nest.inner_stride(1)];
        to[at] = started[size_t(at)] ? combined(call.op.combine, to[at], value) : value;
        started[size_t(at)] = true;
    }
}

}  // namespace

void run_reduce(const KernelCall& call) {
    const Array& input = call.inputs[0];
    const Axes axes = normalize_axes(call.op.name.c_str(), call.attributes.dims("axes"), input.rank(), true);
    const bool empty = input.size() == 0 && call.outputs[0].size() > 0;
    if (empty && (call.op.combine == Combine::maximum || call.op.combine == Combine::minimum))
        fail<ValueError>("{}: the reduced axes {} of x {} hold no elements, and of none there is no {}",
                         call.op.name, to_string(axes), to_string(input.type()), call.op.name);
    Shape kept = input.shape();
    for (int64_t axis : axes) kept[int(axis)] = 1;
    const Dtype computed = is_float(input.dtype()) ? Dtype::float64 : Dtype::int64;
    const Array result = Array::empty({computed, kept}, input.device());
    const Strides strides = broadcast_strides(kept, contiguous_strides(kept), input.shape());
    if (computed == Dtype::float64)
        reduce<double>(call, input.astype(computed), strides, result);
    else
        reduce<int64_t>(call, input.astype(computed), strides, result);
    copy_elements(result.view(call.outputs[0].shape(), contiguous_strides(call.outputs[0].shape()), 0),
                  call.outputs[0]);
}

}  // namespace catena
