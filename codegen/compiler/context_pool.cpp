#include "codegen/compiler/context_pool.h"

#include <mutex>
#include <utility>

#include "mlir/IR/MLIRContext.h"

#include "codegen/cpu/lower.h"
#include "ir/import.h"
#include "runtime/core/system/fork.h"

namespace catena::codegen {

namespace {

/// One context that nobody uses; threads that compile at the same time make others.
struct Pool {
    std::mutex& mutex = taken_by_forks(*new std::mutex);
    std::unique_ptr<mlir::MLIRContext> idle;
    int programs = 0;  ///< The number of programs that the contexts in `idle` have compiled.
    int64_t made = 0;
};

/// The contexts of the process. Never destroyed: a thread may compile while the process ends.
Pool& pool() {
    static Pool& instance = *new Pool;
    return instance;
}

std::unique_ptr<mlir::MLIRContext> make_context() {
    mlir::DialectRegistry registry;
    cpu::register_kernel_dialects(registry);
    auto context =
        std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
    ir::load_dialects(*context);
    context->loadAllAvailableDialects();
    return context;
}

}  // namespace

PooledContext::PooledContext() {
    {
        const std::lock_guard lock(pool().mutex);
        context_ = std::move(pool().idle);
        programs_ = (context_ ? pool().programs : 0) + 1;
        pool().made += !context_;
    }
    if (!context_) context_ = make_context();
}

PooledContext::~PooledContext() {
    if (programs_ >= programs_per_context) return;
    const std::lock_guard lock(pool().mutex);
    if (pool().idle) return;
    pool().idle = std::move(context_);
    pool().programs = programs_;
}

int64_t contexts_made() {
    const std::lock_guard lock(pool().mutex);
    return pool().made;
}

}  // namespace catena::codegen
