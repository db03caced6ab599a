#pragma once

#include <cstdint>
#include <memory>

namespace mlir {
class MLIRContext;
}

namespace catena::codegen {

/// An MLIR context with all dialects, for one program at a time. Making one takes a millisecond, as
/// long as the passes over a small program, so contexts are reused; not for ever, because a context
/// stores every type and attribute that it has seen.
class PooledContext {
public:
    PooledContext();
    ~PooledContext();
    PooledContext(const PooledContext&) = delete;
    PooledContext& operator=(const PooledContext&) = delete;

    mlir::MLIRContext& operator*() const { return *context_; }

private:
    std::unique_ptr<mlir::MLIRContext> context_;
    int programs_ = 0;  ///< The number of programs that it was used for, this one included.
};

/// The number of programs after which a context is replaced.
constexpr int programs_per_context = 32;

int64_t contexts_made();

}  // namespace catena::codegen
