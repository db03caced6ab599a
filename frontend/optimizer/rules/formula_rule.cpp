#include "frontend/optimizer/rules/formula_rule.h"

#include <memory>
#include <optional>

#include "frontend/optimizer/rules/update_rule.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/registered_together.h"
#include "runtime/ops/custom/unused_name.h"
#include "runtime/ops/define/symbolic.h"

namespace catena {

struct DefinedRule {
    RuleFormula rule;
    /// The op that computes what depends on t and the numbers alone; null where nothing does.
    const OpDef* step = nullptr;
    std::optional<Sweep> sweep;
};

namespace {

/// Divides a formula into what is the same for all elements and what is not.
class StepDivision {
public:
    /// `t` is the last input of the formula.
    explicit StepDivision(const Formula& whole) : whole_(whole), t_(whole.input_count - 1) {
        for (const Formula::Node& node : whole.nodes) is_common_.push_back(is_common(node));
        elements_.input_count = t_;
        elements_.scalar_count = step_.scalar_count = whole.scalar_count;
        step_.input_count = 1;
        in_elements_.resize(whole.nodes.size());
        in_step_.resize(whole.nodes.size());
        for (const int32_t output : whole.outputs)
            elements_.outputs.push_back(of_element(output).id());
        elements_.input_count += int(step_.outputs.size());
    }

    const Formula& step() const { return step_; }
    /// The formula of each element, whose last inputs are the results of step().
    const Formula& elements() const { return elements_; }

private:
    using Made = std::vector<std::optional<int32_t>>;

    bool is_common(const Formula::Node& node) const {
        if (node.leaf == Formula::Leaf::input) return node.args[0] == t_;
        if (node.leaf != Formula::Leaf::none) return true;
        for (int i = 0; i < info_of(node.op).arity; ++i)
            if (!is_common_[size_t(node.args[size_t(i)])]) return false;
        return true;
    }

    Symbol of_element(int32_t id) {
        std::optional<int32_t>& made = in_elements_[size_t(id)];
        if (made) return {&elements_, *made};
        const Formula::Node& node = whole_.nodes[size_t(id)];
        const bool is_leaf = node.leaf != Formula::Leaf::none;
        const bool is_t = node.leaf == Formula::Leaf::input && node.args[0] == t_;
        const Symbol result = is_common_[size_t(id)] && (is_t || !is_leaf) ? result_of_step(id)
                              : is_leaf ? emit(&elements_, node)
                                        : copied(node, &elements_, [this](int32_t argument) {
                                              return of_element(argument);
                                          });
        made = result.id();
        return result;
    }

    /// One more result of the step, which is one more input of the elements.
    Symbol result_of_step(int32_t id) {
        const int number = int(step_.outputs.size());
        step_.outputs.push_back(as_number(of_step(id)).id());
        const Symbol input = detail::input_symbol(&elements_, t_ + number);
        return whole_.nodes[size_t(id)].is_bool ? input != 0.0 : input;
    }

    Symbol of_step(int32_t id) {
        std::optional<int32_t>& made = in_step_[size_t(id)];
        if (made) return {&step_, *made};
        const Formula::Node& node = whole_.nodes[size_t(id)];
        const Symbol result =
            node.leaf == Formula::Leaf::input ? detail::input_symbol(&step_, 0)
            : node.leaf != Formula::Leaf::none
                ? emit(&step_, node)
                : copied(node, &step_, [this](int32_t argument) { return of_step(argument); });
        made = result.id();
        return result;
    }

    /// The operation of a node of `whole_` in another formula.
    template <class Argument>
    static Symbol copied(Formula::Node node, Formula* formula, Argument argument) {
        for (int i = 0; i < info_of(node.op).arity; ++i)
            node.args[size_t(i)] = argument(node.args[size_t(i)]).id();
        return emit(formula, node);
    }

    const Formula& whole_;
    const int t_;
    std::vector<bool> is_common_;
    Formula step_, elements_;
    Made in_elements_, in_step_;
};

std::vector<std::string> names_of(const std::vector<std::pair<std::string, double>>& named) {
    std::vector<std::string> names;
    for (const auto& [name, value] : named) names.push_back(name);
    return names;
}

void check_counts(const RuleFormula& rule) {
    const int states = int(rule.states.size()), outputs = int(rule.formula.outputs.size());
    if (rule.formula.input_count != states + 3 || outputs != states + 1 ||
        rule.formula.scalar_count != int(rule.numbers.size()))
        fail<ValueError>(
            "{}: with {} states and {} numbers a rule takes {} arrays (parameter, gradient, "
            "states, "
            "t) and gives {}; its formula takes {} and {} numbers, and gives {}",
            rule.name, states, rule.numbers.size(), states + 3, states + 1,
            rule.formula.input_count, rule.formula.scalar_count, outputs);
}

}  // namespace

const DefinedRule& define_rule(RuleFormula rule) {
    check_counts(rule);
    const StepDivision division(rule.formula);
    const std::vector<std::string> numbers = names_of(rule.numbers);
    const std::string name = unused_op_name(rule.name + "_update");
    auto defined = std::make_unique<DefinedRule>(DefinedRule{.rule = std::move(rule)});
    RegisteredTogether ops;
    SweepRule sweep{.values = 2 + int(defined->rule.states.size()),
                    .shared = int(division.step().outputs.size()),
                    .targets = {0},
                    .scalars = numbers,
                    .formula = division.elements()};
    for (int i = 2; i < sweep.values; ++i) sweep.targets.push_back(i);
    if (sweep.shared)
        defined->step = &ops.add(define_step_numbers(unused_op_name(name + "_step"), numbers,
                                                     sweep.shared, division.step()));
    defined->sweep.emplace(name, std::move(sweep));
    ops.keep();
    return *defined.release();  // As operations, until the process ends.
}

const RuleFormula& formula_of(const DefinedRule& rule) { return rule.rule; }

FormulaRule::FormulaRule(const DefinedRule& rule) : rule_(&rule) {
    for (const auto& [name, value] : rule.rule.numbers) numbers_.emplace_back(value, name.c_str());
}

std::string FormulaRule::type_name() const { return rule_->rule.name; }

std::vector<std::string> FormulaRule::moment_names() const { return names_of(rule_->rule.states); }

Array FormulaRule::first_moment(const std::string& name, const Type& type) const {
    for (const auto& [state, first] : rule_->rule.states)
        if (state == name) return Array::full(type, first);
    return Array::zeros(type);
}

void FormulaRule::update_group(const UpdateGroup& group) {
    for (const Cell& number : numbers_) check_eps(*this, group, number);
    const Variables shared =
        rule_->step ? step_numbers(*rule_->step, group, numbers_) : Variables();
    sweep_parameters(*rule_->sweep, group, numbers_, shared);
}

}  // namespace catena
