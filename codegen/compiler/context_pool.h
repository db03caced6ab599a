#pragma once

#include <cstdint>
#include <memory>

namespace mlir {
class MLIRContext;
}

namespace catena::codegen {

/// An MLIR context with all dialects, for one program at a time. Making one takes a millisecond, as
/// long as the passes over a small program, so it is used again; not for ever, because a context
/// keeps every type and attribute it has seen.
class PooledContext {
public:
    PooledContext();
    ~PooledContext();
    PooledContext(const PooledContext&) = delete;
    PooledContext& operator=(const PooledContext&) = delete;

    mlir::MLIRContext& operator*() const { return *context_; }

private:
    std::unique_ptr<mlir::MLIRContext> context_;
    int programs_ = 0;  ///< For how many it has been used, this one included.
};

/// Programs that a context is used for.
constexpr int programs_per_context = 32;

int64_t contexts_made();

}  // namespace catena::codegen
