#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/optimizer/update_slot.h"
#include "runtime/core/memory/function_ref.h"

namespace catena {

class Serializer;

// float32 masters of 16-bit parameters (Micikevicius et al. 2018,
// https://arxiv.org/abs/1710.03740), Chainer's use_fp32_update. During an update a slot's `param`
// is the master, with the gradient converted to float32, so that hooks, the loss scale and the rule
// work on it as on any parameter; the 16-bit parameter is its rounding. A parameter that others
// have changed since, by loading a file or an assignment, replaces those elements of its master
// that do not round to it.

/// The name under which a master is stored in a file, among the moments.
inline constexpr std::string_view master_key = "fp32_param";

/// Puts float32 masters in the place of the active parameters that use them, and makes missing
/// ones. Called once per update: no effect on masters that are in place already. Not recorded in
/// the graph.
void take_masters(std::span<UpdateSlot> slots);

/// A scope of one update of these slots; at its end the parameters return to them.
class MastersScope {
public:
    /// `type_name`: gives the optimizer's, for errors.
    MastersScope(std::vector<UpdateSlot>& slots, FunctionRef<std::string()> type_name)
        : slots_(slots), type_name_(type_name) {}
    ~MastersScope();
    MastersScope(const MastersScope&) = delete;
    /// Rounds the masters to the parameters. ValueError when a hook changed the gradient of a
    /// parameter instead of its slot's.
    void store_updates();
    /// Rounds those masters to their parameters that were changed since store_updates().
    void store_changes();

private:
    std::vector<UpdateSlot>& slots_;
    FunctionRef<std::string()> type_name_;
    std::vector<std::pair<UpdateSlot*, Array>> stored_;
};

/// Reads a master from a file that has it; without one it will be made from the parameter.
void load_master(const Serializer& s, UpdateSlot& slot);

}  // namespace catena
