#include "codegen/kernel/collapse.h"

#include <algorithm>
#include <cstdlib>

#include "runtime/core/array/memory_order.h"

namespace catena::codegen {

using program::KernelGeometry;
using program::KernelOperand;

namespace {

template <class F>
void for_each_operand(KernelGeometry& geometry, F&& f) {
    for (KernelOperand& input : geometry.inputs) f(input);
    for (KernelOperand& output : geometry.outputs) f(output);
}

void drop_dimension(KernelGeometry& geometry, int dim) {
    geometry.domain.erase(dim);
    for_each_operand(geometry, [&](KernelOperand& o) { o.strides.erase(dim); });
    uint32_t below = geometry.reduced & ((1u << dim) - 1);
    geometry.reduced = below | (geometry.reduced >> (dim + 1) << dim);
}

/// Whether dimensions `dim` and `dim + 1` can be merged.
bool mergeable(KernelGeometry& geometry, int dim) {
    if (geometry.is_reduced(dim) != geometry.is_reduced(dim + 1)) return false;
    bool fits = true;
    for_each_operand(geometry, [&](KernelOperand& o) {
        fits &= o.strides[dim] == o.strides[dim + 1] * geometry.domain[dim + 1];
    });
    return fits;
}

/// Walks over the same elements with dimension order[d] as dimension d.
void reorder(KernelGeometry& geometry, const Dims& order) {
    const auto permuted = [&](const Dims& dims) {
        Dims result;
        for (int64_t dim : order) result.push_back(dims[int(dim)]);
        return result;
    };
    geometry.domain = permuted(geometry.domain);
    for_each_operand(geometry, [&](KernelOperand& o) { o.strides = permuted(o.strides); });
    uint32_t reduced = 0;
    for (int d = 0; d < order.rank(); ++d) reduced |= (geometry.reduced >> order[d] & 1) << d;
    geometry.reduced = reduced;
}

}  // namespace

void walk_channels_last(KernelGeometry& geometry) {
    const Strides last = strides_in(MemoryOrder::channels_last, geometry.domain);
    // A part of an image is further apart.
    const auto is_part_of_last = [&](const Strides& strides) {
        bool has_positions = false;
        for (int d = 0; d < geometry.domain.rank(); ++d) {
            if (geometry.domain[d] == 1 || d == 1) continue;
            if (std::abs(strides[d]) < geometry.domain[1]) return false;
            has_positions = has_positions || d > 1;
        }
        return has_positions && geometry.domain[1] > 1 && strides[1] == 1;
    };
    const auto lies_last = [&](const Strides& strides) {
        for (int d = 0; d < geometry.domain.rank(); ++d)
            if (geometry.domain[d] != 1 && strides[d] != last[d]) return false;
        return true;
    };
    const auto spans = [&](const Strides& strides) {
        for (int d = 0; d < geometry.domain.rank(); ++d)
            if (geometry.domain[d] != 1 && strides[d] == 0) return false;
        return true;
    };
    if (geometry.domain.rank() < 3) return;
    bool found = false, may = true;
    for (const KernelOperand& input : geometry.inputs)
        found = found || lies_last(input.strides) || is_part_of_last(input.strides);
    for (const KernelOperand& output : geometry.outputs) {
        const bool is_last = lies_last(output.strides);
        found = found || is_last;
        // Results are stored in vectors along the innermost dimension.
        may = may && (is_last || !spans(output.strides)) &&
              (geometry.domain[1] == 1 || output.strides[1] <= 1);
    }
    if (!found || !may) return;
    Dims order{0};
    for (int d = 2; d < geometry.domain.rank(); ++d) order.push_back(d);
    order.push_back(1);
    reorder(geometry, order);
}

void collapse(KernelGeometry& geometry) {
    for (int dim = geometry.domain.rank() - 1; dim >= 0; --dim)
        if (geometry.domain[dim] == 1 && geometry.domain.rank() > 1) drop_dimension(geometry, dim);
    for (int dim = geometry.domain.rank() - 2; dim >= 0; --dim) {
        if (!mergeable(geometry, dim)) continue;
        geometry.domain[dim + 1] *= geometry.domain[dim];
        drop_dimension(geometry, dim);
    }
    if (geometry.domain.empty()) {
        geometry.domain.push_back(1);
        for_each_operand(geometry, [](KernelOperand& o) { o.strides.push_back(0); });
    }
    // A lone dimension of size 1 is no loop: nothing varies along it.
    if (geometry.domain.rank() == 1 && geometry.domain[0] == 1) {
        geometry.reduced = 0;
        for_each_operand(geometry, [](KernelOperand& o) { o.strides[0] = 0; });
    }
}

}  // namespace catena::codegen
