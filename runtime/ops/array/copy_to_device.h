#pragma once

#include <string_view>

#include "runtime/graph/variable/variable.h"

namespace catena {

class Device;

/// x on another device, as a function of the graph: its gradient goes back to x's device. Chainer's
/// copy(x, dst) and Variable.to_device. In a static region the elements are read, so the region is
/// cut there.
Variable copy(const Operand& x, Device& device);
/// x on the device of that name, "cpu" or "cuda:0", as copy(x, device).
Variable copy(const Operand& x, std::string_view device);

}  // namespace catena
