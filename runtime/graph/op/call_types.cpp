#include "runtime/graph/op/call_types.h"

#include "runtime/graph/op/map_type.h"

namespace catena {
namespace {

Types map_types(const OpDef& op, const Type& type) {
    Types types;
    do types.emplace_back(type);
    while (int(types.size()) < op.output_count);
    return types;
}

bool names_axes(const Attributes::Entry& entry) {
    const std::string_view name = entry.name;
    return (name == "axis" || name == "axes") && (std::holds_alternative<int64_t>(entry.value) ||
                                                  std::holds_alternative<Dims>(entry.value));
}

/// How many axes there are to choose from: those of the first input, or of the result where the op
/// is given its shape (scatters).
int rank_for_axes(const TypeCall& call) {
    if (call.attributes.has("shape")) return call.attributes.dims("shape").rank();
    return call.inputs.empty() ? 0 : call.inputs[0].shape.rank();
}

/// The axes of an attribute, each from 0 on, in their order.
Attribute plain_axes(const TypeCall& call, const Attribute& value) {
    const int rank = rank_for_axes(call);
    const char* const op = call.op.name.c_str();
    if (const int64_t* axis = std::get_if<int64_t>(&value))
        return int64_t(normalize_axis(op, *axis, rank));
    const Axes& given = std::get<Dims>(value);
    normalize_axes(op, given, rank, false);
    Axes plain;
    for (int64_t axis : given) plain.push_back(normalize_axis(op, axis, rank));
    return plain;
}

}  // namespace

Types call_types(const TypeCall& call) {
    return call.op.type ? call.op.type(call) : map_types(call.op, map_type(call.op, call.inputs));
}

Types call_types(const OpCall& call) {
    const OpDef& op = call.op;
    if (!op.type) return map_types(op, map_type(op, call.inputs));
    SmallVector<Type, 4> types;
    for (const Variable* input : call.inputs) types.push_back(input->type());
    return op.type(TypeCall{op, types, call.attributes});
}

Attributes axes_from_first(const TypeCall& call) {
    return blaming_caller(call.op, [&] {
        std::vector<Attributes::Entry> entries;
        for (const Attributes::Entry& entry : call.attributes.entries())
            entries.push_back(names_axes(entry)
                                  ? Attributes::Entry{entry.name, plain_axes(call, entry.value)}
                                  : entry);
        return Attributes(std::move(entries));
    });
}

Types foreign_call_types(const TypeCall& call) {
    if (call.op.input_count < 0 && call.inputs.empty())
        fail<ValueError>("{}: no inputs are given, it takes at least one", call.op.name);
    if (const Attributes plain = axes_from_first(call); !(plain == call.attributes))
        fail<ShapeError>(
            "{}: an axis is counted from the last one; calls in files count from the first",
            call.op.name);
    return blaming_caller(call.op, [&] { return call_types(call); });
}

}  // namespace catena
