#pragma once

#include <functional>

#include "runtime/graph/op.h"

namespace catena {

/// Which op computes a call of another one and measures its result y [N, C, ...] meanwhile. Its
/// results are y, and as [1, C, 1, ...] the sum of each channel over all images and positions and
/// the sum of squares of the differences from that channel's mean. Inputs and attributes are the
/// same. Null where that would not pay.
using MeasuredForm = std::function<const OpDef*(const TypeCall&)>;

/// Declares that of `op`, `measured` being what the rule gives. Used once, beside the definitions.
/// Returns true.
bool set_measured(const OpDef& op, const OpDef& measured, MeasuredForm rule);
/// Null without a declaration, too.
const OpDef* measured_form(const TypeCall& call);
/// Whether an op is the measured form of another one: passes alone call it.
bool is_measured_form(const OpDef& op);

}  // namespace catena
