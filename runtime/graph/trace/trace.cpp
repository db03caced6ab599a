#include "runtime/graph/trace/trace.h"

namespace catena {
namespace {

void mix(uint64_t& hash, uint64_t value) {
    hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
}

void mix_values(uint64_t& hash, const std::vector<int>& values) {
    mix(hash, values.size());
    for (int v : values) mix(hash, uint64_t(v));
}

}  // namespace

uint64_t Trace::structure_hash() const {
    uint64_t hash = values.size();
    mix_values(hash, inputs);
    for (int i : inputs) {
        mix(hash, uint64_t(values[i].role));
        mix(hash, uint64_t(values[i].type.dtype));
        mix(hash, uint64_t(values[i].type.shape.rank()));
        mix(hash, reinterpret_cast<uintptr_t>(values[i].state.get()));
    }
    for (const Step& step : steps) {
        mix(hash, step.op->id);
        mix_values(hash, step.inputs);
        mix_values(hash, step.outputs);
        mix(hash, step.scalars.size());
        for (const Attributes::Entry& e : step.attributes.entries())
            if (const Dims* dims = std::get_if<Dims>(&e.value))
                mix(hash, uint64_t(dims->rank()));
            else
                mix(hash, std::hash<std::string>()(catena::to_string(e.value)));
    }
    mix_values(hash, outputs);
    for (const Assign& a : assigns) {
        mix(hash, uint64_t(a.target));
        mix(hash, uint64_t(a.value));
    }
    return hash;
}

std::string Trace::to_string() const {
    static constexpr const char* roles[] = {"argument", "state", "gradient", "captured",
                                            "computed"};
    std::string text = "trace " + name + "\n";
    for (int i : inputs)
        text += fmt::format("  %{} = {} {} : {}\n", i, roles[size_t(values[i].role)],
                            values[i].name, catena::to_string(values[i].type));
    for (const Step& step : steps) {
        text += "  ";
        for (int o : step.outputs) text += fmt::format("%{} ", o);
        text += "= " + step.op->name + "(";
        for (size_t i = 0; i < step.inputs.size(); ++i)
            text += fmt::format("{}%{}", i ? ", " : "", step.inputs[i]);
        for (int s : step.scalars) text += fmt::format("; {}", scalars[s].value);
        text += ")";
        for (const Attributes::Entry& e : step.attributes.entries())
            text += fmt::format(" {}={}", e.name, catena::to_string(e.value));
        for (int o : step.outputs) text += " : " + catena::to_string(values[o].type);
        text += "  " + catena::to_string(step.location) + "\n";
    }
    for (const Assign& a : assigns) text += fmt::format("  %{} := %{}\n", a.target, a.value);
    text += "  return";
    for (int o : outputs) text += fmt::format(" %{}", o);
    return text + "\n";
}

}  // namespace catena
