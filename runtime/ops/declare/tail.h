#pragma once

#include <array>
#include <string>

#include "runtime/ops/declare/other_op.h"

namespace catena {

/// What can follow a tailed operation's own inputs, in this order:
///     min(max((y + before) * scale + shift + other, lowest), highest)
enum class TailOperand : uint8_t {
    range,  ///< One element: no magnitude in input 0 is larger, or it is not finite, and then
            ///< nothing is known.
    before,
    scale,
    shift,  ///< One number for each channel.
    other,  ///< An array like y.
    lowest,
    highest,  ///< One element.
};
constexpr int tail_operands = 7;
/// The place of each operand among all inputs; -1 where it is not given.
using TailPlaces = std::array<int, tail_operands>;

/// The attributes of `op` and those of its tail: which operands there are (a bit each), and what
/// bounds the result where no operand does.
Attributes with_tail(const Attributes& attributes, uint32_t operands, double lowest,
                     double highest);
/// The attributes of a tail to which nothing is told of the range of input 0.
Attributes without_range(const Attributes& attributes);
TailPlaces tail_places(const Attributes& attributes, int own_inputs);
/// The bounds that are constants.
double tail_lowest(const Attributes& attributes);
double tail_highest(const Attributes& attributes);

/// `tailed` computes the op and a tail. Its results are those of the op, and what is then known of
/// the first one's range.
Declaration tailed_by(OtherOp tailed);
/// The declaration of an op that computes another op and a tail.
Declaration adds_tail();
/// The op that computes this one and a tail; null without a declaration.
const OpDef* tailed_form(const OpDef& op);
/// Whether an op is the tailed form of another one: passes alone call it.
bool is_tailed_form(const OpDef& op);

/// No magnitude in output 0 is larger than the largest in input 0, and it is finite where that is.
Declaration range_kept();
bool keeps_range(const OpDef& op);

}  // namespace catena
