#pragma once

#include <span>
#include <string>
#include <vector>

#include "frontend/optimizer/gradient_exchange.h"
#include "frontend/optimizer/optimizer_hook.h"
#include "frontend/optimizer/update_slot.h"
#include "runtime/core/memory/function_ref.h"

namespace catena {

// Updates of which each rank makes a part (ZeRO, Rajbhandari et al. 2020,
// https://arxiv.org/abs/1910.02054). The exchange of gradients puts this rank's part of a parameter
// in its place, with the mean of that part's gradient: a variable that lasts as long as the update.
// Moments and masters are then of the part alone. After the update the parts are gathered, so that
// every rank has the whole parameter again; the whole gradient is on no rank, and is cleared.

/// Puts a part of the parameter in its place. Moments and master of the whole parameter, which come
/// from a file, are cut once. ValueError when they are of another part. Not recorded.
void take_part(UpdateSlot& slot, const RankPart& part, const Variable& gradient);

/// ValueError when moments or master are of a part of the parameter, and the update is to be of all
/// of it.
void check_is_whole(const UpdateSlot& slot);

/// What a slot holds beside its parameter, for a file.
struct SavedSlot {
    std::vector<Array> moments;
    Array master;  ///< Undefined when there is none.
};
/// The moments and the master of a slot, whole. Where they are parts, all ranks call it.
SavedSlot whole_of(const UpdateSlot& slot, GradientExchange* exchange);

/// Called after loading, which gives a master of the whole parameter, or none, and perhaps moments.
/// Moments that stay are of the same part.
void take_loaded(UpdateSlot& slot, bool has_moments);

/// A scope of one update of these slots; at its end the parameters return to them.
class PartsScope {
public:
    /// `current`, of the optimizer, is this scope while it lasts. `type_name`: gives the
    /// optimizer's, for errors.
    PartsScope(std::vector<UpdateSlot>& slots, GradientExchange* exchange, PartsScope*& current,
               FunctionRef<std::string()> type_name);
    ~PartsScope();
    PartsScope(const PartsScope&) = delete;

    /// Called after the exchange of gradients has put parts in their places.
    void begin();
    /// Gives the slots what this hook takes: parts, or whole parameters with whole gradients.
    void suit(const OptimizerHook& hook, std::span<UpdateSlot> slots);
    /// Gives all slots their parts.
    void use_parts();
    /// Writes those parts to their parameters, on all ranks, that have changed since the last time.
    /// ValueError when a hook that takes parts has changed a parameter or its gradient instead.
    void store();

private:
    /// A part, or what stands for it while a hook sees whole parameters.
    struct Held {
        UpdateSlot* slot;
        Variable part;          ///< In the parameter's dtype.
        Variable updated;       ///< The part, or its master: `slot->param` unless a hook sees more.
        Array stored;           ///< The part's content when the parameter had it, too.
        Array whole;            ///< The parameter's content then.
        bool is_whole = false;  ///< Whether the slot has the whole parameter, or a whole master.
        Array seen;             ///< Its content when it got that.
    };
    void use_wholes(std::span<UpdateSlot> slots);
    void cut_again(Held& held);

    std::vector<UpdateSlot>& slots_;
    GradientExchange* exchange_;
    PartsScope*& current_;
    FunctionRef<std::string()> type_name_;
    std::vector<Held> held_;
};

}  // namespace catena
