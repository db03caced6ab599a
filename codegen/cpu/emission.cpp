#include "codegen/cpu/emission.h"

#include <algorithm>

namespace catena::codegen::cpu {

namespace {

int lane_count(const Kernel& kernel, const Processor& processor) {
    int widest = 4;
    for (const KernelValue& value : kernel.values)
        if (value.type == Register::f64 || value.type == Register::i64) widest = 8;
    return std::max(processor.vector_bytes / widest, 1);
}

}  // namespace

Emission::Emission(mlir::OpBuilder& builder, mlir::Location location, const Kernel& kernel,
                   const KernelOptions& options, const Processor& processor)
    : b(builder),
      loc(location),
      kernel(kernel),
      options(options),
      lanes(builder, location, lane_count(kernel, processor)),
      nest(kernel),
      scratch(options.row_scratch ? find_row_scratch(kernel, nest) : no_row_scratch(kernel)),
      memory(lanes, kernel, this->options, scratch),
      values(lanes, kernel, this->options, nest, scratch, memory) {}

mlir::Value Emission::whole_steps(mlir::Value low, mlir::Value high, int64_t step) {
    mlir::Value count = lanes.sub(high, low);
    return lanes.add(low, mlir::arith::AndIOp::create(b, loc, count, lanes.index(-step)));
}

void Emission::fetch_ahead(const std::vector<bool>& inputs) {
    constexpr int64_t bytes_ahead = 2048;  // About the latency of memory at its speed.
    const int inner = kernel.inner();
    // Sums of columns in memory: their rows follow each other, but each is one loop over whole
    // vectors.
    const bool rows_in_order = kernel.serial > 0 && nest.dependence().last_stage() == 0;
    if (lanes.width() == 1 || (nest.lanes_reduced && !rows_in_order)) return;
    const int along =
        nest.reduced_dims.empty() || nest.lanes_reduced ? inner : nest.reduced_dims.back();
    if (along == inner && !memory.mask() && !rows_in_order) return;
    for (size_t i = 0; i < inputs.size(); ++i) {
        const KernelOperand& input = kernel.inputs[i];
        if (!inputs[i] || stride_class(kernel, input, inner) != StrideClass::one ||
            input.strides[along] == 0)
            continue;
        const bool stays = along == inner && inner > 0 &&
                           Dependence::dims_of(input) == 1u << inner;  // The same row each time.
        if (stays) continue;
        const int64_t size = int64_t(size_of(input.dtype)),
                      step = values.copies() * lanes.width() * size;
        const int64_t indices =
            along == inner ? bytes_ahead / size : std::max<int64_t>(bytes_ahead / step, 1);
        for (int c = 0; c < values.copies(); ++c) memory.fetch(int(i), along, indices, c);
    }
}

mlir::Value Emission::high_of(int dim) const {
    return dim == kernel.split && high_of_split ? high_of_split : memory.sizes()[size_t(dim)];
}

}  // namespace catena::codegen::cpu
