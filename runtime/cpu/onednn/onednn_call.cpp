#include "runtime/cpu/onednn/onednn_call.h"

namespace catena::onednn {

Call::Call(const dnnl::primitive& primitive, std::initializer_list<Argument> arguments)
    : primitive_(primitive) {
    for (const Argument& argument : arguments) {
        memories_.push_back(memory(argument.desc, nullptr));
        arguments_.push_back({argument.name, memories_.back().get()});
    }
}

void Call::set(size_t at, const void* elements) {
    memories_[at].set_data_handle(const_cast<void*>(elements));
}

void Call::run() const {
    dnnl::error::wrap_c_api(dnnl_primitive_execute(primitive_.get(), stream().get(),
                                                   int(arguments_.size()), arguments_.data()),
                            "could not execute a primitive");
    stream().wait();
}

Call conversion(const Tensor& tensor) {
    if (!tensor.is_converted()) return {};
    return {tensor.reorder(), {{DNNL_ARG_FROM, tensor.from()}, {DNNL_ARG_TO, tensor.to()}}};
}

}  // namespace catena::onednn
