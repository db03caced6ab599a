#include "runtime/cpu/product/prepared_product.h"

#include <algorithm>

#include "runtime/cpu/product/float_product.h"
#include "runtime/cpu/product/matrices.h"

namespace catena {
namespace {

class PreparedProduct final : public PreparedCall {
public:
    PreparedProduct(bool transa, bool transb, const KernelCall& call)
        : product_(call.inputs[0], call.inputs[1], transa, transb, call.outputs[0]) {}

    size_t scratch_bytes() const override { return product_.scratch_bytes(); }
    void run(const KernelCall& call, std::span<std::byte> scratch) override {
        product_.run(call.inputs[0].elements<float>(), call.inputs[1],
                     call.outputs[0].to_fill<float>(), false, scratch,
                     call.inputs.size() > 2 ? call.inputs[2].elements<float>() : nullptr);
    }

private:
    FloatProduct product_;
};

bool is_float32(const Array& array) { return array.dtype() == Dtype::float32; }

}  // namespace

std::unique_ptr<PreparedCall> prepare_product(bool transa, bool transb, const KernelCall& call) {
    const Array& y = call.outputs[0];
    if (!std::ranges::all_of(call.inputs, is_float32) || !is_float32(y) || !y.contiguous() ||
        y.size() == 0)
        return nullptr;
    if (call.inputs.size() > 2 && !call.inputs[2].contiguous()) return nullptr;
    const Shape batch = batch_of(y);
    if (!ProductBatches::reads(call.inputs[0], transa, batch) ||
        !ProductBatches::reads(call.inputs[1], transb, batch))
        return nullptr;
    return std::make_unique<PreparedProduct>(transa, transb, call);
}

}  // namespace catena
