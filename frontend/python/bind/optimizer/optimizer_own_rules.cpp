#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <set>

#include "frontend/optimizer/rules/formula_rule.h"
#include "frontend/python/bind/convert/call.h"
#include "frontend/python/bind/convert/ndarray.h"
#include "frontend/python/bind/convert/operand.h"
#include "frontend/python/bind/function/symbol.h"
#include "frontend/python/bind/module.h"
#include "frontend/python/bind/optimizer/optimizer_parts.h"
#include "runtime/graph/call/assign.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/define/symbolic.h"

// Update rules that are written in Python: catena.optim.formula_rule() and catena.optim.UpdateRule.

namespace catena::python {
namespace {

using NamedNumbers = std::vector<std::pair<std::string, double>>;

/// The rule, as Python holds it.
struct PythonDefinedRule {
    const DefinedRule* rule;
};

/// `formula` called with symbols for parameter, gradient, states and, where it has one, `t`, in the
/// order of `arguments`; and with the numbers by name.
Formula rule_formula(nb::handle formula, const std::vector<std::string>& arguments,
                     const NamedNumbers& numbers) {
    const auto made = std::make_shared<Formula>();
    const bool has_t = std::ranges::find(arguments, "t") != arguments.end();
    const int others = int(arguments.size()) - has_t;
    made->input_count = others + 1;
    made->scalar_count = int(numbers.size());
    nb::list given;
    int next = 0;
    for (const std::string& name : arguments) {
        const int number = name == "t" ? others : next++;
        given.append(nb::cast(PythonSymbol{made, detail::input_symbol(made.get(), number).id()}));
    }
    nb::dict by_name;
    for (size_t i = 0; i < numbers.size(); ++i)
        by_name[numbers[i].first.c_str()] =
            nb::cast(PythonSymbol{made, detail::scalar_symbol(made.get(), int(i)).id()});
    const nb::object results = formula(*given, **by_name);
    std::vector<int32_t> outputs;
    const auto add = [&](nb::handle result) {
        outputs.push_back(as_number(symbol_in(made, result.ptr(), "a result")).id());
    };
    if (nb::isinstance<nb::tuple>(results) || nb::isinstance<nb::list>(results))
        for (nb::handle result : results) add(result);
    else
        add(results);
    Formula whole = *made;
    whole.outputs = std::move(outputs);
    return whole;
}

PythonDefinedRule define_python_rule(const std::string& name, nb::object formula,
                                     const std::vector<std::string>& arguments,
                                     const NamedNumbers& states, const NamedNumbers& numbers) {
    Formula whole = rule_formula(formula, arguments, numbers);
    if (whole.outputs.size() != states.size() + 1)
        fail<ValueError>(
            "{}: the formula gives {} values; it should give the parameter{}, in the order of its "
            "arguments",
            name, whole.outputs.size(),
            states.empty()
                ? ""
                : fmt::format(" and {} state{}", states.size(), states.size() == 1 ? "" : "s"));
    return {&define_rule(
        {.name = name, .states = states, .numbers = numbers, .formula = std::move(whole)})};
}

/// A text that lasts as long as the process, one for all equal ones.
const char* lasting_name(const std::string& name) {
    static auto& names = *new std::set<std::string>;
    return names.insert(name).first->c_str();
}

/// A Variable whose content can be replaced: a parameter or a state while its rule runs.
class UpdatedVariable : public Variable {
public:
    explicit UpdatedVariable(const Variable& variable) : Variable(variable) {}
};

void assign_updated(UpdatedVariable& self, nb::object content) {
    const CallScope scope;
    Variable value = to_variable(content.ptr(), "assign", "value");
    if (value.dtype() != self.dtype()) value = cast(value, self.dtype());
    assign(self, value);
}

/// Elements of its own, in the dtype and on the device of the slot.
Array first_state_in(nb::handle content, const UpdateSlot& slot) {
    const Array given = is_variable(content.ptr())  ? variable_in(content.ptr()).array()
                        : is_ndarray(content.ptr()) ? copied_array_of(content.ptr())
                                                    : array_from(content.ptr(), std::nullopt);
    Array made = Array::empty({slot.update_dtype(), given.shape()}, given.device());
    copy_elements(given, made);
    return made.to(slot.param.device());
}

/// The parameters that a rule is updating on this thread: one rule may serve several optimizers at
/// a time.
class GroupScope {
public:
    GroupScope(const Optimizer& rule, const UpdateGroup& group)
        : rule_(&rule), group_(&group), before_(std::exchange(innermost, this)) {}
    ~GroupScope() { innermost = before_; }
    GroupScope(const GroupScope&) = delete;
    /// The group that a rule is updating; null where the rule is not the innermost one.
    static const UpdateGroup* of(const Optimizer& rule) {
        return innermost && innermost->rule_ == &rule ? innermost->group_ : nullptr;
    }

private:
    static constinit thread_local GroupScope* innermost;
    const Optimizer* rule_;
    const UpdateGroup* group_;
    GroupScope* before_;
};
constinit thread_local GroupScope* GroupScope::innermost = nullptr;

/// A rule whose update is a method of Python. It finds the object around it, an instance of
/// catena.optim.UpdateRule, which has `_update_slot` and `_first_states`.
class PythonRule final : public Optimizer {
public:
    PythonRule(std::string name, const NamedNumbers& numbers, std::vector<std::string> states)
        : name_(std::move(name)), states_(std::move(states)) {
        for (const auto& [number, value] : numbers)
            numbers_.emplace_back(value, lasting_name(number));
    }

    std::string type_name() const override { return name_; }
    std::vector<std::string> moment_names() const override { return states_; }
    std::vector<Cell> hyperparameters() const override { return numbers_; }

    /// The parameter's own number while it is updated, else the rule's.
    double number(const std::string& name) const {
        const Cell cell = hyperparameter(name);
        const UpdateGroup* const group = GroupScope::of(*this);
        return read_number(group ? group->number(cell).value() : cell.value());
    }
    void set_number(const std::string& name, double value) {
        python::set_number(hyperparameter(name), value);
    }

private:
    void update_group(const UpdateGroup& group) override {
        const nb::gil_scoped_acquire lock;
        const nb::object self = nb::find(static_cast<const Optimizer&>(*this));
        const GroupScope scope(*this, group);
        const nb::object t = nb::steal(new_variable(group.t));
        for (const UpdateSlot* slot : group.slots) {
            nb::list states;
            for (const State& moment : slot->moments) states.append(UpdatedVariable(moment));
            self.attr("_update_slot")(slot->path.substr(1), UpdatedVariable(slot->param), states,
                                      t);
        }
    }

    std::vector<Array> first_moments(const UpdateSlot& slot) const override {
        const nb::gil_scoped_acquire lock;
        const nb::object self = nb::find(static_cast<const Optimizer&>(*this));
        std::vector<Array> moments;
        const nb::object given =
            self.attr("_first_states")(slot.path.substr(1), UpdatedVariable(slot.param));
        for (nb::handle each : given) moments.push_back(first_state_in(each, slot));
        return moments;
    }
    bool has_moments_like_parameters() const override { return false; }

    std::string name_;
    std::vector<std::string> states_;
    std::vector<Cell> numbers_;
};

}  // namespace

void bind_own_rules(nb::module_& m) {
    nb::class_<PythonDefinedRule>(m, "_DefinedRule")
        .def_prop_ro("formula", [](const PythonDefinedRule& self) {
            return formula_of(*self.rule).formula.to_string();
        });
    m.def("_define_rule", define_python_rule, nb::arg("name"), nb::arg("formula"),
          nb::arg("arguments"), nb::arg("states"), nb::arg("numbers"));
    nb::class_<FormulaRule, Optimizer>(m, "_FormulaRule")
        .def("__init__",
             [](FormulaRule* place, const PythonDefinedRule& rule, const NamedNumbers& numbers) {
                 new (place) FormulaRule(*rule.rule);
                 for (const auto& [name, value] : numbers) place->hyperparameter(name) = value;
             })
        .def("_number",
             [](const FormulaRule& self, const std::string& name) {
                 return read_number(self.hyperparameter(name).value());
             })
        .def("_set_number", [](FormulaRule& self, const std::string& name, double value) {
            set_number(self.hyperparameter(name), value);
        });
    nb::class_<PythonRule, Optimizer>(m, "_PythonRule")
        .def(nb::init<std::string, const NamedNumbers&, std::vector<std::string>>())
        .def("_number", &PythonRule::number)
        .def("_set_number", &PythonRule::set_number);
    nb::class_<UpdatedVariable, Variable>(
        m, "UpdatedVariable",
        "A parameter or state in update_core(): assign() replaces its content.")
        .def("assign", assign_updated, nb::arg("value"),
             "New content of the same shape, a part of the program in a static region; other "
             "dtypes are converted.");
}

}  // namespace catena::python
