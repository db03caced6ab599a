#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

/// Runs the kernel of `call`, which is run(context). Its outputs change, and errors about memory
/// and those of oneDNN become errors that name the operation and its inputs.
void run_with_kernel_errors(const KernelCall& call, void (*run)(void*), void* context);

template <class F>
void with_kernel_errors(const KernelCall& call, F&& f) {
    run_with_kernel_errors(
        call, [](void* context) { (*static_cast<std::remove_reference_t<F>*>(context))(); }, &f);
}

}  // namespace catena
