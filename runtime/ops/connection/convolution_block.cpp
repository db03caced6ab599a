#include "runtime/ops/connection/convolution_block.h"

#include <algorithm>

#include "runtime/core/array/device.h"
#include "runtime/core/array/memory_order.h"
#include "runtime/cpu/convolution/depthwise_block.h"
#include "runtime/ops/connection/convolution_steps.h"
#include "runtime/ops/connection/convolution_tail.h"
#include "runtime/ops/declare/block.h"
#include "runtime/ops/declare/channels_last.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/declare/preparation.h"
#include "runtime/ops/declare/tail.h"
#include "runtime/ops/declare/work.h"

namespace catena {
namespace {

static_assert(block_calls == block_steps);
constexpr int own_block_inputs = 2;
constexpr const char* block_reason = "blocks are made of convolutions of programs for the host";

using Parts = std::array<BlockPart, block_calls>;

/// The inputs of one call, `x` being what the one before gives.
template <class Input>
std::vector<Input> inputs_of(const BlockPart& part, std::span<const Input> all, const Input& x) {
    std::vector<Input> inputs;
    if (part.first_input > 0) inputs.push_back(x);
    const auto own = all.subspan(size_t(part.first_input), size_t(part.input_count));
    inputs.insert(inputs.end(), own.begin(), own.end());
    return inputs;
}

/// The block's calls as they would be alone.
struct Calls {
    Parts parts;
    std::array<std::vector<Type>, block_calls> inputs;
    std::array<Types, block_calls> outputs;

    Calls(const OpDef& tailed, const TypeCall& c)
        : parts(block_parts(c.attributes, own_block_inputs)) {
        for (size_t i = 0; i < block_calls; ++i) {
            inputs[i] = inputs_of(parts[i], c.inputs, i > 0 ? outputs[i - 1][0] : c.inputs[0]);
            outputs[i] = tailed.type({tailed, inputs[i], parts[i].attributes});
        }
    }
    BlockSteps steps() const {
        BlockSteps steps;
        for (size_t i = 0; i < block_calls; ++i)
            steps[i] = {inputs[i][1].shape, window_steps(parts[i].attributes), outputs[i][0].shape};
        return steps;
    }
};

Array image_between(const Shape& shape) {
    return Array::empty({Dtype::float32, shape}, cpu_device())
        .view(shape, strides_in(MemoryOrder::channels_last, shape), 0);
}

class PreparedBlock final : public PreparedCall {
public:
    PreparedBlock(const OpDef& tailed, const KernelCall& c)
        : parts_(block_parts(c.attributes, own_block_inputs)),
          convolutions_{part(0), part(1), part(2)} {
        std::vector<Type> types;
        for (const Array& input : c.inputs) types.push_back(input.type());
        const Calls calls(tailed, {c.op, types, c.attributes});
        steps_ = calls.steps();
    }

    size_t scratch_bytes() const override { return scratch_bytes_; }

    void run(const KernelCall& call, std::span<std::byte> scratch) override {
        std::array<TailedConvolution::Operands, block_calls> operands;
        for (size_t i = 0; i < block_calls; ++i)
            operands[i] = operands_of_tail(inputs_of(parts_[i], call.inputs, call.inputs[0]),
                                           parts_[i].attributes);
        float& range = *call.outputs[1].to_fill<float>();
        if (const std::optional<float> found = run_as_block(operands, call.outputs[0], scratch))
            range = *found;
        else
            range = run_one_by_one(operands, call.outputs[0]);
    }

private:
    TailedConvolution part(size_t i) const {
        return TailedConvolution(window_steps(parts_[i].attributes));
    }

    std::optional<float> run_as_block(
        std::span<const TailedConvolution::Operands, block_calls> operands, const Array& y,
        std::span<std::byte> scratch) {
        const Array other = ordered_like(operands[2].other, y);
        BlockOperands block{.x = operands[0].x, .W = {}, .tails = {}};
        for (size_t i = 0; i < block_calls; ++i) {
            block.W[i] = operands[i].W;
            block.tails[i] =
                convolutions_[i]
                    .open_tail(operands[i], i + 1 < block_calls ? operands[i].other : other,
                               steps_[i].y[1])
                    .numbers;
        }
        scratch_bytes_ = block_scratch_bytes(block.x.shape(), steps_);
        return convolve_block(block, steps_, y, scratch);
    }

    float run_one_by_one(std::span<TailedConvolution::Operands, block_calls> operands,
                         const Array& y) {
        for (size_t i = 0; i + 1 < block_calls; ++i) {
            const Array between = image_between(steps_[i].y);
            operands[i + 1].range = convolutions_[i].run(operands[i], between);
            operands[i + 1].x = between;
        }
        return convolutions_[block_calls - 1].run(operands[block_calls - 1], y);
    }

    Parts parts_;
    std::array<TailedConvolution, block_calls> convolutions_;
    BlockSteps steps_;
    size_t scratch_bytes_ = 0;
};

Types block_types(const OpDef& tailed, const TypeCall& c) {
    return Calls(tailed, c).outputs[block_calls - 1];
}

/// What the first one says of x, and the last one of y and the array that it adds.
ChannelsLast block_images_last(const OpDef& tailed, const TypeCall& c) {
    const Calls calls(tailed, c);
    const auto rule_of = [&](size_t i) {
        return channels_last_of({tailed, calls.inputs[i], calls.parts[i].attributes});
    };
    const ChannelsLast first = rule_of(0), last = rule_of(block_calls - 1);
    // The last call's inputs but x are the block's last ones.
    const uint32_t others = (last.inputs >> 1) << calls.parts[block_calls - 1].first_input;
    return {.inputs = (first.inputs & 1) | others,
            .outputs = last.outputs,
            .indifferent_inputs = first.indifferent_inputs & 1,
            .indifferent_outputs = last.indifferent_outputs,
            .preferred = last.preferred,
            .preferred_packed = last.preferred_packed};
}

double operations_of(const OpDef& tailed, const TypeCall& c) {
    const Calls calls(tailed, c);
    double sum = 0;
    for (size_t i = 0; i < block_calls; ++i)
        sum += product_operations({tailed, calls.inputs[i], calls.parts[i].attributes},
                                  calls.outputs[i]);
    return sum;
}

}  // namespace

bool block_pays(std::span<const TypeCall, block_calls> calls) {
    BlockSteps steps;
    for (size_t i = 0; i < block_calls; ++i) {
        const TypeCall& c = calls[i];
        const bool adds =
            tail_places(c.attributes, own_block_inputs)[size_t(TailOperand::other)] >= 0;
        if (adds && i + 1 < block_calls) return false;
        steps[i] = {c.inputs[1].shape, window_steps(c.attributes), c.op.type(c)[0].shape};
    }
    return is_block(calls[0].inputs[0].shape, steps);
}

const OpDef& define_convolution_block(const OpDef& tailed) {
    return register_op({
        .name = "convolution_block",
        .kind = Kind::window,
        .input_count = -1,
        .output_count = 2,
        .type = [&tailed](const TypeCall& c) { return block_types(tailed, c); },
        .kernel = [&tailed](const KernelCall& c) { PreparedBlock(tailed, c).run(c, {}); },
        .declared = {preparation([&tailed](const KernelCall& c) {
                         return std::make_unique<PreparedBlock>(tailed, c);
                     }),
                     channels_last_rule(
                         [&tailed](const TypeCall& c) { return block_images_last(tailed, c); }),
                     counts_operations(
                         [&tailed](const TypeCall& c) { return operations_of(tailed, c); }),
                     computes_block(), host_only(block_reason)},
    });
}

}  // namespace catena
