#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "frontend/optimizer/optimizer.h"

namespace catena {

// float32 masters of 16-bit parameters (Micikevicius et al. 2018,
// https://arxiv.org/abs/1710.03740), Chainer's use_fp32_update. During an update a slot's `param`
// is the master, with the gradient converted to float32, so that hooks, the loss scale and the rule
// work on it as on any parameter; the 16-bit parameter is its rounding. A parameter that others
// have changed since, by loading a file or an assignment, replaces those elements of its master
// that do not round to it.

/// The key of a master in a file, beside the moments.
inline constexpr std::string_view master_key = "fp32_param";

/// Puts masters in the place of the active parameters that use them, and makes missing ones. Once
/// per update: no effect on those that stand there already. Without graph.
void take_masters(std::span<UpdateSlot> slots);

/// An update: brings the parameters back to their slots at its end.
class MastersScope {
public:
    explicit MastersScope(Optimizer& optimizer) : optimizer_(optimizer) {}
    ~MastersScope();
    MastersScope(const MastersScope&) = delete;
    /// Rounds the masters to the parameters. ValueError when a hook changed the gradient of a
    /// parameter instead of its slot's.
    void store_updates();
    void store_changes();  ///< The same for masters that were changed since.

private:
    Optimizer& optimizer_;
    std::vector<std::pair<UpdateSlot*, Array>> stored_;
};

/// Reads a master from a file that has it; without one it will be made from the parameter.
void load_master(const Serializer& s, UpdateSlot& slot);

}  // namespace catena
