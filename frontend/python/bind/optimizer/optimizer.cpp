#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "frontend/optimizer/loss_scaling.h"
#include "frontend/optimizer/optimizer.h"
#include "frontend/python/bind/archive.h"
#include "frontend/python/bind/convert/call.h"
#include "frontend/python/bind/convert/converted.h"
#include "frontend/python/bind/convert/ndarray.h"
#include "frontend/python/bind/module.h"
#include "frontend/python/bind/optimizer/optimizer_parts.h"
#include "frontend/serializer/memory_archive.h"

// The optimizers of C++ over parameters that Python holds.

namespace catena::python {
namespace {

std::vector<NamedParameter> named_parameters_in(nb::list pairs) {
    std::vector<NamedParameter> list;
    for (nb::handle pair : pairs)
        list.push_back({converted<std::string>("a path", pair[0], "a text"),
                        object_in<Parameter>("what is updated", pair[1], "a Parameter")});
    return list;
}

void setup_optimizer(Optimizer& self, nb::list pairs) { self.setup(named_parameters_in(pairs)); }
void add_optimizer_params(Optimizer& self, nb::list pairs) {
    self.add_params(named_parameters_in(pairs));
}

void run_update(Optimizer& self) {
    const CallScope scope;
    std::optional<OthersMayRun> others_may_run;
    if (computes_now()) others_may_run.emplace();
    self.update(std::source_location());
}

void run_update_with(Optimizer& self, nb::object lossfun, nb::args arguments, nb::kwargs keywords) {
    const CallScope scope;
    self.update([&] {
        const nb::object loss = lossfun(*arguments, **keywords);
        if (!is_variable(loss.ptr()))
            fail<DtypeError>("{}: update(lossfun): lossfun gives a {}, not a Variable",
                             self.type_name(), Py_TYPE(loss.ptr())->tp_name);
        return variable_in(loss.ptr());
    });
}

void run_scaled_backward(Optimizer& self, nb::object loss) {
    const CallScope scope;
    if (!is_variable(loss.ptr()))
        fail<DtypeError>("{}: backward() takes a Variable", self.type_name());
    const Variable start = variable_in(loss.ptr());
    std::optional<OthersMayRun> others_may_run;
    if (computes_now()) others_may_run.emplace();
    self.backward(start);
}

nb::dict numbers_of_rule(const Optimizer& self) {
    nb::dict numbers;
    for (const Cell& cell : self.hyperparameters())
        numbers[cell.name()] = read_number(cell.value());
    return numbers;
}

/// The path of each parameter, beside it the float32 copy that stands in the parameter's place
/// while it is updated.
nb::list paths_with_masters(Optimizer& self) {
    nb::list list;
    for (const UpdateSlot& slot : self.slots())
        list.append(nb::make_tuple(
            slot.path.substr(1),
            nb::steal(new_variable(slot.replaced.defined() ? slot.param : Variable()))));
    return list;
}

nb::dict optimizer_state(Optimizer& self) {
    MemoryArchive archive;
    save_to(archive, serialize_function(self));
    return read_all(archive);
}

void load_optimizer_state(Optimizer& self, nb::dict state, bool strict) {
    MemoryArchive archive;
    write_all(archive, state);
    load_from(archive, serialize_function(self), {.strict = strict});
}

void bind_steps(nb::class_<Optimizer>& type) {
    type.def("_setup", setup_optimizer)
        .def("_add_params", add_optimizer_params)
        .def("_update", run_update)
        .def("_update_with", run_update_with, nb::arg("lossfun"), nb::arg("args"),
             nb::arg("kwargs"))
        .def("backward", run_scaled_backward, nb::arg("loss"),
             "loss.backward() with the loss scale.")
        .def("_state", optimizer_state)
        .def("_load_state", load_optimizer_state)
        .def("_paths", paths_with_masters)
        .def("reallocate_cleared_grads", &Optimizer::reallocate_cleared_grads,
             "Gives zeros to parameters without a gradient: update() changes them by their moments "
             "and hooks,\ninstead of leaving them alone.")
        .def("use_cleargrads", &Optimizer::use_cleargrads, nb::arg("use") = true,
             "False: update(lossfun) fills gradients with zeros instead of clearing them.")
        .def("use_fp32_update", &Optimizer::use_fp32_update, nb::arg("use") = true,
             "Parameters of 16 bits are updated through float32 copies, so that small steps are "
             "not lost.");
}

void bind_numbers(nb::class_<Optimizer>& type) {
    type.def_prop_ro("hyperparameters", numbers_of_rule,
                     "The numbers of the rule by name; each is an attribute, too.")
        .def_prop_ro("learning_rate", &Optimizer::learning_rate,
                     "The step size of the last update.")
        .def_prop_rw("t", &Optimizer::t, &Optimizer::set_step_count, "Updates so far.")
        .def_prop_rw(
            "epoch",
            [](const Optimizer& self) { return int64_t(read_number(double(self.epoch()))); },
            [](Optimizer& self, int64_t epoch) {
                number_changes(double(self.epoch()), double(epoch));
                self.set_epoch(epoch);
            },
            "Epochs so far.")
        .def(
            "new_epoch",
            [](Optimizer& self, bool automatic) {
                self.new_epoch(automatic);
                number_changes(0, 1);
            },
            nb::arg("auto") = false, "Counts an epoch.")
        .def_rw("use_auto_new_epoch", &Optimizer::use_auto_new_epoch,
                "Whether an updater counts epochs, by new_epoch(auto=True); new_epoch() is an "
                "ArgumentError then.")
        .def_prop_rw("loss_scale", &Optimizer::loss_scale, &Optimizer::set_loss_scale,
                     "What gradients are divided by before any hook; backward(loss) multiplies by "
                     "it.")
        .def(
            "loss_scaling",
            [](Optimizer& self, int64_t interval, double initial, double highest) {
                return loss_scaling(self,
                                    {.interval = interval, .initial = initial, .highest = highest});
            },
            nb::arg("interval") = 1000, nb::arg("initial") = 1.0, nb::arg("highest") = 65504.0,
            "A loss scale that follows the gradients; an update whose gradients are not finite is "
            "left out.");
}

void bind_loss_scaling(nb::module_& m) {
    nb::class_<LossScaling>(m, "LossScaling", "What Optimizer.loss_scaling() gives.")
        .def_prop_ro("scale", &LossScaling::scale, "Of the next backward.")
        .def_prop_ro("is_safe_to_update", &LossScaling::is_safe_to_update,
                     "Whether the gradients of the last update were finite.");
}

}  // namespace

void bind_optimizer(nb::module_& m) {
    nb::module_ optim = m.def_submodule("optim", "Update rules and hooks, bound.");
    nb::class_<Optimizer> type(optim, "Optimizer", nb::dynamic_attr(), nb::is_weak_referenceable(),
                               "Updates parameters from their gradients.");
    bind_steps(type);
    bind_numbers(type);
    bind_loss_scaling(optim);
    bind_hooks(optim);
    bind_update_rules(optim);
    bind_own_rules(optim);
    bind_parameter_rule(optim, type);
}

}  // namespace catena::python
