#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/link/parameter.h"
#include "runtime/comm/collectives/rank_part.h"

namespace catena {

class Optimizer;
class ParameterHook;

/// The part of a parameter that one of several ranks updates (parts.h).
struct ParameterPart {
    RankPart elements;
    Shape shape;  ///< The whole parameter's.
    bool operator==(const ParameterPart&) const = default;
};

/// The data that an optimizer holds for one parameter.
struct UpdateSlot {
    std::string path;  ///< The parameter's path, "/l1/W".
    /// The variable that the update changes; while an update runs, a part of the parameter
    /// (parts.h) or a float32 master (masters.h) stands here.
    Variable param;
    std::shared_ptr<bool> enabled;  ///< The parameter's update flag.
    /// The moments, in the order of the rule's moment_names(); empty before the first update.
    std::vector<State> moments;
    /// The parameter's own hyperparameters, which replace the optimizer's of the same names.
    std::vector<Cell> own_numbers;
    /// The hooks of this parameter, with their names.
    std::vector<std::pair<std::string, std::shared_ptr<ParameterHook>>> hooks;
    bool use_fp32 = false;  ///< Whether a 16-bit parameter is updated through a float32 master.
    State master;           ///< The float32 master; empty before the first such update.
    /// The parameter while its master stands in its place.
    Variable replaced;
    /// The parameter while a part of it stands in its place.
    Variable whole;
    /// The part of the parameter that moments and master are of; none: all of it.
    std::optional<ParameterPart> part;
    /// The gradient that the parameter came with.
    Variable replaced_gradient;
    /// The optimizer whose formula and hyperparameters are used; null: the one that owns the slot.
    std::shared_ptr<Optimizer> rule;

    /// True when an update would change it: it is initialised, enabled and has a gradient.
    bool is_active() const;
    /// The dtype of the update: float32 for a parameter that is updated through a master, else its
    /// own. It must have a dtype.
    Dtype update_dtype() const;
    /// Whether the slot is that of this parameter.
    bool is_of(const VariableBody* parameter) const {
        return param.body() == parameter || replaced.body() == parameter ||
               whole.body() == parameter;
    }
    /// The parameter's own hyperparameter of that name; null when it has none.
    const Cell* own_number(const char* name) const;
    /// ShapeError unless the gradient has the parameter's shape, and the moments too if they
    /// should. They may differ when the parameter has got another content since.
    void check_shapes(bool has_moments_alike) const;
};

/// Parameters that are updated together, by the same formula and hyperparameters.
struct UpdateGroup {
    /// The slots of the parameters.
    std::vector<UpdateSlot*> slots;
    Variable t;  ///< The number of the present update, from 1; int64, 0-d.

    /// The hyperparameter for the group: the parameters' own of that name, else the optimizer's.
    const Cell& number(const Cell& of_optimizer) const;
};

}  // namespace catena
