#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "frontend/optimizer/hooks.h"
#include "frontend/optimizer/parameter_rule.h"
#include "frontend/python/bind/converted.h"
#include "frontend/python/bind/module.h"
#include "frontend/python/bind/ndarray.h"
#include "frontend/python/bind/optimizer_parts.h"
#include "runtime/core/error.h"

namespace catena::python {
namespace {

template <class Hook, class... Bases>
void bind_number(nb::class_<Hook, Bases...>& type, const char* name, Cell Hook::* cell) {
    type.def_prop_rw(
        name, [=](const Hook& self) { return (self.*cell).value(); },
        [=](Hook& self, double value) { self.*cell = value; },
        "A number of the hook; a new one holds from the next update on.");
}

/// How an optimizer updates one parameter. It asks the optimizer each time, so it outlives the
/// optimizer's next setup().
struct PythonParameterRule {
    nb::object optimizer, parameter;

    ParameterRule rule() const {
        return nb::cast<Optimizer&>(optimizer).update_rule(
            object_in<Parameter>("update_rule(parameter)", parameter, "a Parameter"));
    }
};

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
                     "What add_hook() calls it unless it is given a name.");
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
                return self.rule().has_own(name)
                           ? self.rule().hyperparameter(name).value()
                           : nb::cast<Optimizer&>(self.optimizer).hyperparameter(name).value();
            },
            nb::arg("name"), "A number of the rule for this parameter.")
        .def(
            "__setitem__",
            [](const Rule& self, const std::string& name, double value) {
                self.rule().hyperparameter(name) = value;
            },
            nb::arg("name"), nb::arg("value"),
            "The parameter's own number, which no longer follows the optimizer's.")
        .def(
            "follow_optimizer", [](const Rule& self) { self.rule().follow_optimizer(); },
            "It has no numbers and no formula of its own any more.")
        .def(
            "use",
            [](const Rule& self, std::shared_ptr<Optimizer> other) {
                self.rule().use(std::move(other));
            },
            nb::arg("optimizer"),
            "The parameter is updated by the formula and numbers of another optimizer, which needs "
            "no setup().")
        .def(
            "add_hook",
            [](const Rule& self, std::shared_ptr<ParameterHook> hook, std::string name) {
                self.rule().add_hook(std::move(hook), std::move(name));
            },
            nb::arg("hook"), nb::arg("name") = "", "A hook for this parameter alone.")
        .def(
            "remove_hook",
            [](const Rule& self, const std::string& name) { self.rule().remove_hook(name); },
            nb::arg("name"), "ArgumentError where no hook has the name.")
        .def_prop_rw(
            "enabled", [](const Rule& self) { return self.rule().enabled(); },
            [](const Rule& self, bool enabled) { self.rule().set_enabled(enabled); },
            "False: the optimizer leaves the parameter as it is.")
        .def("state", moment_of, nb::arg("name"), "A moment, \"m\"; None before the first update.");
    optimizer.def(
        "update_rule",
        [](nb::pointer_and_handle<Optimizer> self, nb::object parameter) {
            Rule made{nb::borrow(self.h), std::move(parameter)};
            made.rule();  // Whether there is one.
            return made;
        },
        nb::arg("parameter"), "How this parameter is updated: its own numbers and hooks.");
}

}  // namespace catena::python
