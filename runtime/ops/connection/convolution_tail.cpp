#include "runtime/ops/connection/convolution_tail.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/core/system/error.h"
#include "runtime/cpu/convolution/tailed_convolution.h"
#include "runtime/ops/connection/convolution_steps.h"
#include "runtime/ops/declare/channels_last.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/declare/library_role.h"
#include "runtime/ops/declare/preparation.h"
#include "runtime/ops/declare/tail.h"

namespace catena {
namespace {

constexpr int own_inputs = 2;
constexpr const char* tail_reason = "tails are given to convolutions of programs for the host";

int place_of(const TailPlaces& places, TailOperand operand) { return places[size_t(operand)]; }

void check_operand(bool is_right, const char* what, const Type& operand, const Type& y) {
    if (!is_right)
        fail<ShapeError>("convolution: its tail's {} is {}, which does not fit y {}", what,
                         to_string(operand), to_string(y));
}

Types tailed_types(const OpDef& convolution, const TypeCall& c) {
    const TailPlaces places = tail_places(c.attributes, own_inputs);
    const int last = *std::max_element(places.begin(), places.end());
    CATENA_ASSERT(int(c.inputs.size()) == std::max(last + 1, own_inputs),
                  "the attribute says which operands there are");
    const Type y = convolution.type({convolution, c.inputs.first(own_inputs), c.attributes})[0];
    if (y.dtype != Dtype::float32)
        fail<DtypeError>("convolution: a tail takes float32, y is {}", to_string(y));
    const auto check = [&](TailOperand operand, const char* what, int64_t size) {
        if (const int at = place_of(places, operand); at >= 0) {
            const Type& given = c.inputs[size_t(at)];
            check_operand(given.dtype == Dtype::float32 && element_count(given.shape) == size, what,
                          given, y);
        }
    };
    check(TailOperand::range, "range", 1);
    check(TailOperand::before, "first addition", y.shape[1]);
    check(TailOperand::scale, "scale", y.shape[1]);
    check(TailOperand::shift, "shift", y.shape[1]);
    check(TailOperand::lowest, "lower bound", 1);
    check(TailOperand::highest, "upper bound", 1);
    if (const int at = place_of(places, TailOperand::other); at >= 0)
        check_operand(c.inputs[size_t(at)] == y, "other array", c.inputs[size_t(at)], y);
    return {y, Type{Dtype::float32, Shape{1}}};
}

class PreparedTail final : public PreparedCall {
public:
    explicit PreparedTail(const WindowSteps& steps) : convolution_(steps) {}
    size_t scratch_bytes() const override { return convolution_.scratch_bytes(); }
    void run(const KernelCall& call, std::span<std::byte> scratch) override {
        *call.outputs[1].to_fill<float>() = convolution_.run(
            operands_of_tail(call.inputs, call.attributes), call.outputs[0], scratch);
    }

private:
    TailedConvolution convolution_;
};

/// What the convolution says of x and y, and the other array like them.
ChannelsLast images_last(const OpDef& convolution, const TypeCall& c) {
    ChannelsLast rule = channels_last_of({convolution, c.inputs.first(own_inputs), c.attributes});
    const int other = place_of(tail_places(c.attributes, own_inputs), TailOperand::other);
    if (other >= 0 && rule.inputs) rule.inputs |= uint32_t(1) << other;
    return rule;
}

}  // namespace

TailedConvolution::Operands operands_of_tail(std::span<const Array> inputs,
                                             const Attributes& attributes) {
    const TailPlaces places = tail_places(attributes, own_inputs);
    const auto array = [&](TailOperand operand) {
        const int at = place_of(places, operand);
        return at >= 0 ? inputs[size_t(at)] : Array();
    };
    const auto number = [&](TailOperand operand, double otherwise) {
        const Array given = array(operand);
        return given.defined() ? *given.elements<float>() : float(otherwise);
    };
    return {inputs[0],
            inputs[1],
            array(TailOperand::before),
            array(TailOperand::scale),
            array(TailOperand::shift),
            array(TailOperand::other),
            number(TailOperand::lowest, tail_lowest(attributes)),
            number(TailOperand::highest, tail_highest(attributes)),
            number(TailOperand::range, std::numeric_limits<double>::infinity())};
}

const OpDef& define_tailed_convolution(const OpDef& convolution, OtherOp block, BlockRule pays) {
    return register_op({
        .name = "tailed_convolution",
        .kind = Kind::window,
        .input_count = -1,
        .output_count = 2,
        .type = [&convolution](const TypeCall& c) { return tailed_types(convolution, c); },
        .kernel = [](const KernelCall& c) { PreparedTail(window_steps(c.attributes)).run(c, {}); },
        .declared = {library_role(LibraryRole::convolution), preparation([](const KernelCall& c) {
                         return std::make_unique<PreparedTail>(window_steps(c.attributes));
                     }),
                     channels_last_rule(
                         [&convolution](const TypeCall& c) { return images_last(convolution, c); }),
                     adds_tail(), in_blocks_by(block, std::move(pays)), host_only(tail_reason)},
    });
}

}  // namespace catena
