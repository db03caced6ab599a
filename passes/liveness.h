#pragma once

#include <optional>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "runtime/core/shape.h"

namespace catena::passes {

/// Memory that values of a program look into.
struct Buffer {
    enum class Place : uint8_t {
        argument,  ///< Given by the caller.
        output,    ///< Returned or assigned: fresh memory that outlives the call.
        temporary, ///< Lives in the arena.
    };
    mlir::Value root;  ///< The value that makes it, contiguous.
    Place place = Place::temporary;
    int64_t bytes = 0;
    int first = -1;  ///< Position of the operation that fills it; -1 for arguments.
    int last = -1;   ///< Position of the last one that reads it; that of the terminator if it escapes.
};

/// How a value looks into its buffer.
struct Look {
    int buffer = -1;
    int64_t offset = 0;  ///< In elements.
    Strides strides;     ///< In elements.
};

/// Which buffers a program has and when each is needed. Arguments are taken to be contiguous. Structural
/// operations are looks into their operand's buffer, except a reshape that strides cannot say, which copies.
/// What is computed by nobody (function arguments) has position -1; operations count from 0.
class Liveness {
public:
    explicit Liveness(mlir::func::FuncOp function);

    const std::vector<Buffer>& buffers() const { return buffers_; }
    const Look& look(mlir::Value value) const { return looks_.find(value)->second; }
    const Buffer& buffer(mlir::Value value) const { return buffers_[look(value).buffer]; }
    int position(mlir::Operation* op) const { return positions_.lookup(op); }
    /// True when `op` makes nothing: its result is a look into its operand's buffer.
    bool is_view(mlir::Operation* op) const;
    /// Contiguous and the whole of its buffer.
    bool is_whole(mlir::Value value) const;

private:
    void add_buffer(mlir::Value root, Buffer::Place place, int first);
    void visit(mlir::Operation& op, int position);

    std::vector<Buffer> buffers_;
    llvm::DenseMap<mlir::Value, Look> looks_;
    llvm::DenseMap<mlir::Operation*, int> positions_;
};

/// Bytes of a tensor's elements as stored.
int64_t bytes_of(mlir::Value tensor);

}  // namespace catena::passes
