#include "frontend/link/recurrent_memory.h"

#include <algorithm>
#include <string_view>

#include "runtime/core/device.h"
#include "runtime/core/error.h"
#include "runtime/graph/recorder.h"

namespace catena {

RecurrentMemory::RecurrentMemory(std::vector<std::string> names) {
    for (std::string& name : names) {
        memories_.push_back({.name = name, .state = {}, .recent = {}});
        memories_.back().state.set_name(name);
    }
}

Variable RecurrentMemory::Memory::value() const {
    // A compiled program, or a copy of the link, has assigned the state: the stored graph is outdated.
    const bool current = recent.defined() && recent.array() == state.array();
    return current && (!chained || recent.body()->creator) ? recent : Variable(state);
}

void RecurrentMemory::Memory::make_room(const Variable& value, Device& device) {
    if (state.is_initialized() && state.type() == value.type()) return;
    DeviceScope scope(device);
    bind_state(*state.body(), Array::zeros(value.type()));
}

void RecurrentMemory::Memory::store(const Variable& value) {
    recent = value;
    chained = bool(value.body()->creator);
    assign(state, value);
    if (Recorder* recorder = current_recorder()) recorder->stands_for(state, recent);
}

bool RecurrentMemory::is_empty() const {
    return empty_ || (before_recording_.defined() && memories_.back().state.array() == before_recording_);
}

Variable RecurrentMemory::operator[](size_t k) const { return is_empty() ? Variable() : memories_[k].value(); }

void RecurrentMemory::reset() {
    empty_ = true;
    for (Memory& memory : memories_) memory.recent = Variable();
}

void RecurrentMemory::store(std::initializer_list<Variable> values, Device& home) {
    CATENA_ASSERT(values.size() == memories_.size(), "a value for each state");
    const bool began_empty = is_empty();
    const Variable* value = values.begin();
    for (Memory& memory : memories_) memory.make_room(*value++, home);
    const bool on_shapes = values.begin()->device().is_meta();
    if (began_empty) before_recording_ = on_shapes ? memories_.back().state.array() : Array();
    value = values.begin();
    for (Memory& memory : memories_) memory.store(*value++);
    empty_ = false;
}

void RecurrentMemory::set(std::initializer_list<Variable> values, Device& home) {
    const Variable* value = values.begin();
    for (Memory& memory : memories_) {
        memory.make_room(*value, home);
        memory.store(*value++);
    }
    before_recording_ = Array();
    empty_ = false;
}

void RecurrentMemory::move(Device& device) {
    for (Memory& memory : memories_) {
        memory.recent = Variable();
        if (memory.state.is_initialized()) memory.state.set_array(memory.state.array().to(device));
    }
}

void RecurrentMemory::name_beside(const Parameter& parameter, const std::string& own) {
    const std::string_view name = parameter.name();
    std::string_view path = name.substr(0, name.size() - std::min(own.size(), name.size()));
    if (path == "/" || !path.ends_with('/') || !name.ends_with(own)) path = {};
    for (Memory& memory : memories_) {
        const std::string_view known = memory.state.name();
        if (known.starts_with(path) && known.substr(path.size()) == memory.name) continue;  // As after every step but the first.
        memory.state.set_name(std::string(path) + memory.name);
    }
}

}  // namespace catena
