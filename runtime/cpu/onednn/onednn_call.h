#pragma once

#include <initializer_list>
#include <unordered_map>
#include <vector>

#include "runtime/core/system/per_thread.h"
#include "runtime/cpu/onednn/onednn.h"

namespace catena::onednn {

/// A primitive with the memory objects of its arguments. These are made once; a run only says where
/// the elements are. For one thread at a time.
class Call {
public:
    struct Argument {
        int name;  ///< The argument's number in oneDNN: DNNL_ARG_SRC, ...
        dnnl::memory::desc desc;
    };
    Call() = default;
    Call(const dnnl::primitive& primitive, std::initializer_list<Argument> arguments);

    /// Sets the address of an argument; `at` is its place in the list. Memory with padding is
    /// written by the primitive, padding included, so that it may have been used for something else
    /// between two runs.
    void set(size_t at, const void* elements);
    void run() const;

private:
    dnnl::primitive primitive_;
    std::vector<dnnl::memory> memories_;
    /// The arguments in the form of oneDNN's C interface, which copies nothing.
    std::vector<dnnl_exec_arg_t> arguments_;
};

/// This thread's call of `primitive`, for kernels that several threads run at once; `make()` makes
/// it at the first use. It is stored as long as the thread lives, and keeps the primitive alive.
template <class Make>
Call& call_of_this_thread(const dnnl::primitive& primitive, Make&& make) {
    static constinit PerThread<std::unordered_map<dnnl_primitive_t, Call>> calls_of_thread;
    auto& calls = calls_of_thread.get();
    const auto found = calls.find(primitive.get());
    return found != calls.end() ? found->second
                                : calls.emplace(primitive.get(), make()).first->second;
}

/// The conversion between both layouts of a tensor, as a call of two arguments: from, to. Empty if
/// there is nothing to convert.
Call conversion(const Tensor& tensor);

}  // namespace catena::onednn
