#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frontend/optimizer/optimizer.h"
#include "runtime/scalar/formula.h"

namespace catena {

/// The description of an update rule that is one formula.
struct RuleFormula {
    std::string name;
    /// Names of the states and the numbers that they begin with.
    std::vector<std::pair<std::string, double>> states;
    /// Names of the hyperparameters and their defaults.
    std::vector<std::pair<std::string, double>> numbers;
    /// The update. Inputs: parameter, gradient, states, t (the number of the update, from 1);
    /// scalars: the hyperparameters; outputs: parameter and states after the update.
    Formula formula;
};

/// A RuleFormula prepared for running. Parts that depend on t and the hyperparameters alone are
/// computed once for all parameters and in float64, where 1 - beta^t keeps its digits; the rest is
/// one sweep. It lives as long as the process.
struct DefinedRule;
/// Prepares a rule; ValueError for a formula with a different number of inputs or outputs.
const DefinedRule& define_rule(RuleFormula rule);
const RuleFormula& formula_of(const DefinedRule& rule);

/// An optimizer whose update rule is a DefinedRule.
class FormulaRule final : public Optimizer {
public:
    explicit FormulaRule(const DefinedRule& rule);
    std::string type_name() const override;
    bool is_elementwise() const override { return true; }
    std::vector<std::string> moment_names() const override;
    std::vector<Cell> hyperparameters() const override { return numbers_; }

private:
    void update_group(const UpdateGroup& group) override;
    Array first_moment(const std::string& name, const Type& type) const override;

    const DefinedRule* rule_;
    std::vector<Cell> numbers_;
};

}  // namespace catena
