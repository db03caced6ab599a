#include "frontend/testing/link_check.h"

#include "frontend/serializer/npz.h"
#include "frontend/testing/save_and_load.h"
#include "frontend/testing/variants.h"
#include "runtime/graph/settings/config.h"

namespace catena::checks {
namespace {

std::vector<Array> link_results(const ErasedLink& erased, Link& link,
                                const std::vector<Array>& xs) {
    const auto mode = no_backprop_mode();
    std::vector<Variable> inputs;
    for (const Array& x : xs) inputs.emplace_back(x, false);
    std::vector<Array> ys;
    for (const Variable& y : erased.call(link, inputs)) ys.push_back(y.array());
    return ys;
}

/// Makes the link's float parameters and states float64.
void widen(Link& link) {
    for (Parameter* param : link.params())
        if (param->is_initialized() && is_float(param->dtype()))
            param->set_array(param->array().astype(Dtype::float64));
    for (auto& [path, state] : link.namedpersistents())
        if (state->is_initialized() && is_float(state->dtype()))
            state->set_array(state->array().astype(Dtype::float64));
}

/// The leaves whose gradients are compared with slopes.
std::vector<Variable> float_params(const Link& link) {
    std::vector<Variable> params;
    for (const Parameter* param : link.params(false))
        if (is_float(param->dtype())) params.push_back(*param);
    return params;
}

void check_copy(const ErasedLink& erased, Link& link, const std::vector<Array>& xs,
                const std::vector<Array>& ys) {
    const std::shared_ptr<Link> copy = erased.copy(link);
    same_elements("check_link: a copy of the link gives other results",
                  link_results(erased, *copy, xs), ys);
    for (const Parameter* param : copy->params(false))
        param->set_array(Array::zeros(param->type()));
    same_elements("check_link: the link changes with the parameters of its copy",
                  link_results(erased, link, xs), ys);
}

void check_saved(const ErasedLink& erased, Link& link, const std::vector<Array>& xs,
                 const std::vector<Array>& ys) {
    const std::shared_ptr<Link> other = erased.make();
    link_results(erased, *other, xs);  // Its first call makes what is uninitialised.
    widen(*other);
    erased.save_and_load(link, *other);
    same_elements("check_link: a link that loaded its file gives other results",
                  link_results(erased, *other, xs), ys);
}

}  // namespace

void through_a_file(const std::function<void(const Serializer&)>& from,
                    const std::function<void(const Serializer&)>& to) {
    const TemporaryFile file(".npz");
    save_npz(file.path(), from);
    load_npz(file.path(), to);
}

void check_link(const ErasedLink& erased, const std::vector<Array>& inputs, bool backward,
                bool double_backward, bool compiled, const GradientCheck& gradients, double atol,
                double rtol, const std::source_location& at) {
    const LocationScope scope(at);
    const auto mode = using_config(&Config::train, false);
    const std::shared_ptr<Link> link = erased.make();
    link_results(erased, *link, inputs);  // As users call it first: makes what is uninitialised.
    link->check_all_listed();
    widen(*link);
    const std::vector<Array> xs = in_dtype(inputs, Dtype::float64),
                             ys = link_results(erased, *link, xs);
    if (erased.expected) near("check_link: results", ys, erased.expected(*link, xs), atol, rtol);
    check_copy(erased, *link, xs, ys);
    if (erased.save_and_load) check_saved(erased, *link, xs, ys);

    const TestedFunction function = [&](std::span<const Variable> given) {
        return erased.call(*link, given);
    };
    GradientCheck options = gradients;
    options.params = float_params(*link);
    if (backward) check_backward(function, xs, {}, options, at);
    if (backward && double_backward) check_double_backward(function, xs, {}, {}, options, at);
    if (compiled) check_compiled("check_link", function, xs, options.params, backward);
}

}  // namespace catena::checks
