#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <fmt/ranges.h>

#include "frontend/optimizer/hooks.h"
#include "frontend/optimizer/parameter_rule.h"
#include "frontend/python/bind/convert/converted.h"
#include "frontend/python/bind/convert/ndarray.h"
#include "frontend/python/bind/module.h"
#include "frontend/python/bind/optimizer/optimizer_parts.h"
#include "runtime/core/system/error.h"

namespace catena::python {
namespace {

template <class Hook, class... Bases>
void bind_number(nb::class_<Hook, Bases...>& type, const char* name, Cell Hook::* cell) {
    type.def_prop_rw(
        name, [=](const Hook& self) { return read_number((self.*cell).value()); },
        [=](Hook& self, double value) { set_number(self.*cell, value); },
        "A number of the hook; a new one holds from the next update on.");
}

/// How an optimizer updates one parameter. It asks the optimizer each time, so it outlives the
/// optimizer's next setup().
struct PythonParameterRule {
    nb::object optimizer, parameter;

    /// The rule of the parameter, found also by the float32 copy that stands in its place while it
    /// is updated.
    ParameterRule rule() const {
        auto& updating = nb::cast<Optimizer&>(optimizer);
        updating.target();  // Whether there is one.
        const Variable& sought = variable_in(parameter.ptr());
        for (UpdateSlot& slot : updating.slots())
            if (slot.is_of(sought.body())) return {updating, slot};
        fail<ValueError>("{}: update_rule: '{}' is not a parameter of what setup() was given: {}",
                         updating.type_name(), sought.name(), fmt::join(paths_of(updating), ", "));
    }

private:
    static std::vector<std::string> paths_of(Optimizer& optimizer) {
        std::vector<std::string> paths;
        for (const UpdateSlot& slot : optimizer.slots()) paths.push_back(slot.path.substr(1));
        return paths;
    }
};

using Timing = OptimizerHook::Timing;

/// A callable of Python. It lies in the attribute `_hooks` of the Python object around the
/// optimizer, where Python's collector finds it.
class PythonHook final : public OptimizerHook {
public:
    PythonHook(std::string name, Timing timing) : name_(std::move(name)), timing_(timing) {}
    std::string name() const override { return name_; }
    Timing timing() const override { return timing_; }
    void operator()(Optimizer& optimizer) override {
        const nb::gil_scoped_acquire lock;
        nb::find(optimizer).attr("_call_hook")(name_);
    }

private:
    std::string name_;
    Timing timing_;
};

/// A Python hook for one parameter of `optimizer`, whose slot owns it.
class PythonParameterHook final : public ParameterHook {
public:
    PythonParameterHook(Optimizer& optimizer, std::string name, Timing timing)
        : optimizer_(optimizer), name_(std::move(name)), timing_(timing) {}
    std::string name() const override { return name_; }
    Timing timing() const override { return timing_; }
    void change(std::span<UpdateSlot* const> slots, const Variable&) override {
        const nb::gil_scoped_acquire lock;
        const nb::object self = nb::find(optimizer_);
        for (const UpdateSlot* slot : slots)
            self.attr("_call_parameter_hook")(slot->path.substr(1), name_,
                                              nb::steal(new_variable(slot->param)));
    }

private:
    Optimizer& optimizer_;
    std::string name_;
    Timing timing_;
};

/// A hook of C++ at another time than its own.
class HookAt final : public OptimizerHook {
public:
    HookAt(std::shared_ptr<OptimizerHook> hook, Timing timing)
        : hook_(std::move(hook)), timing_(timing) {}
    std::string name() const override { return hook_->name(); }
    Timing timing() const override { return timing_; }
    void operator()(Optimizer& optimizer) override { (*hook_)(optimizer); }

private:
    std::shared_ptr<OptimizerHook> hook_;
    Timing timing_;
};
class ParameterHookAt final : public ParameterHook {
public:
    ParameterHookAt(std::shared_ptr<ParameterHook> hook, Timing timing)
        : hook_(std::move(hook)), timing_(timing) {}
    std::string name() const override { return hook_->name(); }
    Timing timing() const override { return timing_; }
    void change(std::span<UpdateSlot* const> slots, const Variable& t) override {
        hook_->change(slots, t);
    }

private:
    std::shared_ptr<ParameterHook> hook_;
    Timing timing_;
};

Timing timing_of(bool is_post) { return is_post ? Timing::post : Timing::pre; }

void add_optimizer_hook(Optimizer& self, nb::object hook, const std::string& name, bool is_post) {
    if (!nb::isinstance<OptimizerHook>(hook)) {
        self.add_hook(std::make_shared<PythonHook>(name, timing_of(is_post)), name);
        return;
    }
    auto given = nb::cast<std::shared_ptr<OptimizerHook>>(hook);
    if (given->timing() != timing_of(is_post))
        given = std::make_shared<HookAt>(std::move(given), timing_of(is_post));
    self.add_hook(std::move(given), name);
}

void add_hook_of_parameter(const PythonParameterRule& self, nb::object hook,
                           const std::string& name, bool is_post) {
    if (!nb::isinstance<ParameterHook>(hook)) {
        auto& optimizer = nb::cast<Optimizer&>(self.optimizer);
        self.rule().add_hook(
            std::make_shared<PythonParameterHook>(optimizer, name, timing_of(is_post)), name);
        return;
    }
    auto given = nb::cast<std::shared_ptr<ParameterHook>>(hook);
    if (given->timing() != timing_of(is_post))
        given = std::make_shared<ParameterHookAt>(std::move(given), timing_of(is_post));
    self.rule().add_hook(std::move(given), name);
}

/// The parameter's own number, or that of the rule that updates it.
Cell number_of_parameter(const PythonParameterRule& self, const std::string& name) {
    ParameterRule rule = self.rule();
    if (rule.has_own(name)) return rule.hyperparameter(name);
    return nb::cast<Optimizer&>(self.optimizer).rule_of(rule.slot()).hyperparameter(name);
}

nb::dict own_numbers_of(const PythonParameterRule& self) {
    nb::dict numbers;
    for (const Cell& cell : self.rule().slot().own_numbers) numbers[cell.name()] = cell.value();
    return numbers;
}

nb::object moment_of(const PythonParameterRule& self, const std::string& name) {
    return nb::steal(new_variable(self.rule().state(name)));
}

int traverse_rule(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    const auto* const rule = nb::inst_ptr<PythonParameterRule>(self);
    Py_VISIT(rule->optimizer.ptr());
    Py_VISIT(rule->parameter.ptr());
    return 0;
}
int clear_rule(PyObject* self) {
    auto* const rule = nb::inst_ptr<PythonParameterRule>(self);
    rule->optimizer.reset();
    rule->parameter.reset();
    return 0;
}
PyType_Slot rule_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_rule)},
                            {Py_tp_clear, reinterpret_cast<void*>(clear_rule)},
                            {0, nullptr}};

}  // namespace

void bind_hooks(nb::module_& m) {
    nb::class_<OptimizerHook>(m, "Hook", "Changes gradients or parameters at every update.")
        .def_prop_ro("name", &OptimizerHook::name,
                     "What add_hook() calls it unless it is given a name.")
        .def_prop_ro(
            "timing",
            [](const OptimizerHook& self) {
                return self.timing() == Timing::post ? "post" : "pre";
            },
            "When it is called, unless add_hook() says otherwise.");
    nb::class_<ParameterHook, OptimizerHook>(m, "ParameterHook",
                                             "A hook that changes each gradient by itself.");
    nb::class_<WeightDecay, ParameterHook> weight_decay(m, "WeightDecay", "g += rate p");
    weight_decay.def(nb::init<double>(), nb::arg("rate"));
    bind_number(weight_decay, "rate", &WeightDecay::rate);
    nb::class_<Lasso, ParameterHook> lasso(m, "Lasso", "g += rate sign(p)");
    lasso.def(nb::init<double>(), nb::arg("rate"));
    bind_number(lasso, "rate", &Lasso::rate);
    nb::class_<GradientClipping, OptimizerHook> clipping(
        m, "GradientClipping",
        "Scales all gradients by threshold / norm where the L2 norm of all of them is larger.");
    clipping.def(nb::init<double>(), nb::arg("threshold"));
    bind_number(clipping, "threshold", &GradientClipping::threshold);
    nb::class_<GradientHardClipping, ParameterHook> hard(
        m, "GradientHardClipping", "g = min(max(g, lower_bound), upper_bound)");
    hard.def(nb::init<double, double>(), nb::arg("lower_bound"), nb::arg("upper_bound"));
    bind_number(hard, "lower_bound", &GradientHardClipping::lower_bound);
    bind_number(hard, "upper_bound", &GradientHardClipping::upper_bound);
    nb::class_<GradientLARS, ParameterHook> lars(
        m, "GradientLARS",
        "g = rate (g + weight_decay p), where rate is |p| / (eps + |g| + weight_decay |p|) for a "
        "parameter\nwhose norm is larger than the threshold, else 1: layer-wise adaptive rates,\n"
        "https://arxiv.org/abs/1708.03888.");
    lars.def(nb::init<double, double, double>(), nb::arg("threshold") = 1e-2,
             nb::arg("weight_decay") = 0.0, nb::arg("eps") = 1e-9);
    bind_number(lars, "threshold", &GradientLARS::threshold);
    bind_number(lars, "weight_decay", &GradientLARS::weight_decay);
    bind_number(lars, "eps", &GradientLARS::eps);
    nb::class_<GradientNoise, ParameterHook> noise(
        m, "GradientNoise",
        "g += normal noise of variance eta / (1 + t)^0.55 (Neelakantan et al. 2015).");
    noise.def(nb::init<double>(), nb::arg("eta"));
    bind_number(noise, "eta", &GradientNoise::eta);
}

void bind_parameter_rule(nb::module_& m, nb::class_<Optimizer>& optimizer) {
    using Rule = PythonParameterRule;
    nb::class_<Rule>(m, "ParameterRule", nb::type_slots(rule_slots),
                     "How an optimizer updates one parameter.")
        .def(
            "__getitem__",
            [](const Rule& self, const std::string& name) {
                return read_number(number_of_parameter(self, name).value());
            },
            nb::arg("name"), "A number of the rule for this parameter.")
        .def(
            "__setitem__",
            [](const Rule& self, const std::string& name, double value) {
                set_number(self.rule().hyperparameter(name), value);
            },
            nb::arg("name"), nb::arg("value"),
            "The parameter's own number, which no longer follows the optimizer's.")
        .def("_follow_optimizer", [](const Rule& self) { self.rule().follow_optimizer(); })
        .def("_use",
             [](const Rule& self, Optimizer& other) {
                 // Python's optimizer keeps the other one in `_own`, where Python's collector finds
                 // it.
                 self.rule().use(std::shared_ptr<Optimizer>(&other, [](Optimizer*) {}));
             })
        .def("_add_hook", add_hook_of_parameter)
        .def("_remove_hook",
             [](const Rule& self, const std::string& name) { self.rule().remove_hook(name); })
        .def("_use_fp32_update",
             [](const Rule& self, bool use) { self.rule().use_fp32_update(use); })
        .def_ro("optimizer", &Rule::optimizer, "The optimizer whose rule it is.")
        .def_ro("parameter", &Rule::parameter, "The parameter that is updated.")
        .def_prop_ro(
            "path", [](const Rule& self) { return self.rule().slot().path.substr(1); },
            "The parameter's path in what setup() was given: \"l1/W\".")
        .def_prop_ro("own_numbers", own_numbers_of,
                     "The numbers that this parameter has for itself.")
        .def_prop_rw(
            "enabled", [](const Rule& self) { return self.rule().enabled(); },
            [](const Rule& self, bool enabled) { self.rule().set_enabled(enabled); },
            "False: the optimizer leaves the parameter as it is.")
        .def("state", moment_of, nb::arg("name"), "A moment, \"m\"; None before the first update.");
    optimizer.def("_add_hook", add_optimizer_hook).def("_remove_hook", &Optimizer::remove_hook);
    optimizer.def(
        "update_rule",
        [](nb::pointer_and_handle<Optimizer> self, nb::object parameter) {
            if (!is_variable(parameter.ptr()))
                throw nb::type_error("update_rule() takes one of the optimizer's Parameters");
            Rule made{nb::borrow(self.h), std::move(parameter)};
            made.rule();  // Whether there is one.
            return made;
        },
        nb::arg("parameter"), "How this parameter is updated: its own numbers and hooks.");
}

}  // namespace catena::python
