#pragma once

#include <functional>
#include <span>
#include <vector>

#include "frontend/python/bind/convert/types.h"
#include "runtime/graph/op/op.h"

namespace catena::python {

/// A Python function of a list of Variables that returns a list of them, as exporters of models
/// take it.
inline std::function<Variables(std::span<const Variable>)> function_of_lists(nb::callable call) {
    return [call](std::span<const Variable> given) {
        const nb::object results =
            call(nb::cast(std::vector<Variable>(given.begin(), given.end())));
        Variables outputs;
        for (nb::handle result : results) outputs.push_back(nb::cast<Variable>(result));
        return outputs;
    };
}

}  // namespace catena::python
