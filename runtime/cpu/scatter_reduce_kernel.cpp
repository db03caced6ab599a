#include "runtime/cpu/scatter_reduce_kernel.h"

#include "runtime/core/system/error.h"

namespace catena {
namespace {

/// y with b's elements combined into it one after the other.
template <class T, class F>
void combine(const Array& b, const int64_t* places, const Array& y, F&& both) {
    const T* const from = b.elements<T>();
    T* const to = y.to_fill<T>();
    for (int64_t k = 0; k < b.size(); ++k) to[places[k]] = both(to[places[k]], from[k]);
}

template <class T>
void combine(const Array& b, const int64_t* places, const Array& y, ScatterReduction reduction) {
    // A NaN is neither larger nor equal; once there, nothing replaces it.
    const auto is_nan = [](T v) { return !(v == v); };
    switch (reduction) {
        case ScatterReduction::maximum:
            return combine<T>(b, places, y, [&](T old, T more) {
                return more > old || is_nan(more) ? more : old;
            });
        case ScatterReduction::minimum:
            return combine<T>(b, places, y, [&](T old, T more) {
                return more < old || is_nan(more) ? more : old;
            });
        case ScatterReduction::product:
            return combine<T>(b, places, y, [](T old, T more) { return T(old * more); });
    }
}

}  // namespace

void run_scatter_reduce(const KernelCall& call, ScatterReduction reduction) {
    const Array b = call.inputs[1].as_contiguous(), places = call.inputs[2].as_contiguous();
    const Array& y = call.outputs[0];
    const int64_t* const place = places.elements<int64_t>();
    for (int64_t k = 0; k < places.size(); ++k)
        if (place[k] < 0 || place[k] >= y.size())
            fail<ValueError>("{}: place {} is outside of a vector of {} elements", call.op.name,
                             place[k], y.size());
    copy_elements(call.inputs[0], y);
    visit_dtype(y.dtype(), [&](auto zero) { combine<decltype(zero)>(b, place, y, reduction); });
}

}  // namespace catena
