#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/link/parameter.h"

namespace catena {

class Optimizer;
class ParameterHook;

/// An optimizer's data of one parameter.
struct UpdateSlot {
    std::string path;  ///< "/l1/W"
    Variable param;    ///< What the update changes; while it runs, a float32 master stands here
                       ///< (masters.h).
    std::shared_ptr<bool> enabled;  ///< The parameter's update flag.
    std::vector<State>
        moments;  ///< In the order of its rule's moment_names(); empty before the first update.
    std::vector<Cell>
        own_numbers;  ///< They stand for the optimizer's hyperparameters of the same names.
    std::vector<std::pair<std::string, std::shared_ptr<ParameterHook>>> hooks;
    bool use_fp32 = false;  ///< Update a 16-bit parameter through a float32 master.
    State master;           ///< Empty before the first such update.
    Variable replaced;  ///< The parameter while its master stands in its place, and the gradient it
                        ///< came with.
    Variable replaced_gradient;
    std::shared_ptr<Optimizer>
        rule;  ///< Whose formula and hyperparameters are used; null: those of its optimizer.

    /// True when an update would change it: it is initialised, enabled and has a gradient.
    bool is_active() const;
    /// float32 for a parameter that is updated through a master, else its own. It must have a
    /// dtype.
    Dtype update_dtype() const;
    bool is_of(const VariableBody* parameter) const {
        return param.body() == parameter || replaced.body() == parameter;
    }
    const Cell* own_number(const char* name) const;  ///< Null when it has none of that name.
    /// ShapeError unless the gradient has the parameter's shape, and the moments if they should: it
    /// may have got another content since.
    void check_shapes(bool has_moments_alike) const;
};

/// Parameters that are updated together, by the same numbers.
struct UpdateGroup {
    std::vector<UpdateSlot*> slots;
    Variable t;  ///< int64, 0-d: the number of their present update, from 1.

    /// The parameters' own number of that name, else the optimizer's.
    const Cell& number(const Cell& of_optimizer) const;
};

}  // namespace catena
