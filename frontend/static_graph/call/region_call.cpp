#include "frontend/static_graph/call/region_call.h"

namespace catena::detail {

constexpr ValueType variable_type = TypedValue<Variable>::type;
constexpr ValueType array_type = TypedValue<Array>::type;
constexpr ValueType variable_list_type = TypedValue<std::vector<Variable>>::type;
constexpr ResultType variable_result = {&variable_type, nullptr};

void* store(Variable&& result, void* place, Flat& outputs) {
    outputs.variable(result);
    if (!place) return nullptr;
    Variable& there = static_cast<Place<Variable>*>(place)->value;
    there = std::move(result);
    return &there;
}

}  // namespace catena::detail
