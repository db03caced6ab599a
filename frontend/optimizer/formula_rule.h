#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frontend/optimizer/optimizer.h"
#include "runtime/scalar/formula.h"

namespace catena {

/// What an update rule of one formula is.
struct RuleFormula {
    std::string name;
    std::vector<std::pair<std::string, double>> states;   ///< With what they begin.
    std::vector<std::pair<std::string, double>> numbers;  ///< Hyperparameters, with their defaults.
    /// Inputs: parameter, gradient, states, t (the number of the update, from 1); scalars: the
    /// numbers; outputs: parameter and states after the update.
    Formula formula;
};

/// A RuleFormula made ready: what it computes of t and the numbers alone is computed once for all
/// parameters and in float64, where 1 - beta^t keeps its digits; the rest is one sweep. It lives as
/// long as the process.
struct DefinedRule;
/// ValueError for a formula of another number of inputs or outputs.
const DefinedRule& define_rule(RuleFormula rule);
const RuleFormula& formula_of(const DefinedRule& rule);

/// An optimizer of such a rule.
class FormulaRule final : public Optimizer {
public:
    explicit FormulaRule(const DefinedRule& rule);
    std::string type_name() const override;
    std::vector<std::string> moment_names() const override;
    std::vector<Cell> hyperparameters() const override { return numbers_; }

private:
    void update_group(const UpdateGroup& group) override;
    Array first_moment(const std::string& name, const Type& type) const override;

    const DefinedRule* rule_;
    std::vector<Cell> numbers_;
};

}  // namespace catena
