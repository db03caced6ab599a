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

Emission::Emission(mlir::OpBuilder& builder, mlir::Location location, const Kernel& kernel, const KernelOptions& options,
                   const Processor& processor)
    : b(builder), loc(location), kernel(kernel), options(options), lanes(builder, location, lane_count(kernel, processor)),
      nest(kernel), scratch(options.row_scratch ? find_row_scratch(kernel, nest) : no_row_scratch(kernel)),
      memory(lanes, kernel, this->options, scratch), values(lanes, kernel, this->options, nest, scratch, memory) {}

mlir::Value Emission::whole_steps(mlir::Value low, mlir::Value high, int64_t step) {
    mlir::Value count = lanes.sub(high, low);
    return lanes.add(low, mlir::arith::AndIOp::create(b, loc, count, lanes.index(-step)));
}

mlir::Value Emission::high_of(int dim) const {
    return dim == kernel.split && high_of_split ? high_of_split : memory.sizes()[size_t(dim)];
}

}  // namespace catena::codegen::cpu
