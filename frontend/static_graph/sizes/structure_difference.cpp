#include "frontend/static_graph/sizes/structure_difference.h"

#include <algorithm>

#include "frontend/static_graph/sizes/outside_arrays.h"

namespace catena {
namespace {

using Step = Trace::Step;

std::string either(const std::string& what, const std::string& a, const std::string& b) {
    return what + " is " + a + " or " + b;
}

std::string counts(const std::string& what, size_t a, size_t b) {
    return a == b ? "" : fmt::format("{} {} or {}", what, a, b);
}

bool same_structure(const Attribute& a, const Attribute& b) {
    const Dims *some = std::get_if<Dims>(&a), *others = std::get_if<Dims>(&b);
    return some && others ? some->rank() == others->rank() : to_string(a) == to_string(b);
}

std::string attribute_difference(const Step& a, const Step& b) {
    const auto some = a.attributes.entries(), others = b.attributes.entries();
    for (size_t i = 0; i < std::min(some.size(), others.size()); ++i) {
        const std::string_view name = some[i].name, other = others[i].name;
        if (name != other)
            return fmt::format("{} has the attribute '{}' or '{}'", to_string(a), name, other);
        if (!same_structure(some[i].value, others[i].value))
            return either(fmt::format("attribute '{}' of {}", name, to_string(a)),
                          to_string(some[i].value), to_string(others[i].value));
    }
    return counts("the number of attributes of " + to_string(a) + " is", some.size(),
                  others.size());
}

std::string step_difference(const Step& a, const Step& b, size_t index) {
    if (a.op != b.op) {
        auto described = [](const Step& step) {
            return fmt::format("{}, for {}", step.op->name, to_string(step));
        };
        return either(fmt::format("step {}", index), described(a), described(b));
    }
    if (std::string text = attribute_difference(a, b); !text.empty()) return text;
    if (std::string text = counts(to_string(a) + " takes a number of arrays that is",
                                  a.inputs.size(), b.inputs.size());
        !text.empty())
        return text;
    if (std::string text = counts(to_string(a) + " takes a number of numbers that is",
                                  a.scalars.size(), b.scalars.size());
        !text.empty())
        return text;
    return counts(to_string(a) + " gives a number of arrays that is", a.outputs.size(),
                  b.outputs.size());
}

std::string use_of(const Trace& trace, int value) {
    const std::string use = first_use(trace, value);
    return use.empty() ? "an array" : "what " + use;
}

std::string input_difference(const Trace& was, const Trace& is) {
    for (size_t i = 0; i < std::min(was.inputs.size(), is.inputs.size()); ++i) {
        static constexpr const char* roles[] = {"an argument", "a state", "a gradient",
                                                "an array from outside", "computed"};
        const Trace::Value &a = was.values[size_t(was.inputs[i])],
                           &b = is.values[size_t(is.inputs[i])];
        const std::string use = use_of(was, was.inputs[i]);
        if (a.role != b.role) return either(use, roles[size_t(a.role)], roles[size_t(b.role)]);
        if (a.type.dtype != b.type.dtype || a.type.shape.rank() != b.type.shape.rank())
            return either(use, to_string(a.type), to_string(b.type));
        if (a.state.get() != b.state.get())
            return a.name == b.name ? use + " is another parameter or state"
                                    : either(use, "'" + a.name + "'", "'" + b.name + "'");
    }
    return counts("the number of arrays, parameters and states that it reads is", was.inputs.size(),
                  is.inputs.size());
}

/// The first step at which a value is another one.
std::string wiring_difference(const Trace& was, const Trace& is) {
    for (size_t s = 0; s < std::min(was.steps.size(), is.steps.size()); ++s)
        for (size_t i = 0; i < was.steps[s].inputs.size(); ++i)
            if (was.steps[s].inputs[i] != is.steps[s].inputs[i])
                return fmt::format("input {} of {} is another value", i, to_string(was.steps[s]));
    return "";
}

std::string end_difference(const Trace& was, const Trace& is) {
    if (std::string text =
            counts("the number of its results is", was.outputs.size(), is.outputs.size());
        !text.empty())
        return text;
    for (size_t i = 0; i < was.outputs.size(); ++i)
        if (was.outputs[i] != is.outputs[i]) return fmt::format("result {} is another value", i);
    if (std::string text = counts("the number of states that it changes is", was.assigns.size(),
                                  is.assigns.size());
        !text.empty())
        return text;
    for (size_t i = 0; i < was.assigns.size(); ++i)
        if (was.assigns[i].target != is.assigns[i].target ||
            was.assigns[i].value != is.assigns[i].value)
            return fmt::format("'{}' becomes another value",
                               was.values[size_t(was.assigns[i].target)].name);
    return "";
}

}  // namespace

std::string structure_difference(const Trace& was, const Trace& is) {
    if (was.structure_hash() == is.structure_hash()) return "";
    for (size_t s = 0; s < std::min(was.steps.size(), is.steps.size()); ++s)
        if (std::string text = step_difference(was.steps[s], is.steps[s], s); !text.empty())
            return text;
    if (was.steps.size() != is.steps.size()) {
        const std::vector<Step>& longer = was.steps.size() > is.steps.size() ? was.steps : is.steps;
        return fmt::format("it has {} or {} steps, the first one more is {}", was.steps.size(),
                           is.steps.size(),
                           to_string(longer[std::min(was.steps.size(), is.steps.size())]));
    }
    for (const auto& find : {input_difference, wiring_difference, end_difference})
        if (std::string text = find(was, is); !text.empty()) return text;
    return "the numbering of its values is another one";
}

}  // namespace catena
