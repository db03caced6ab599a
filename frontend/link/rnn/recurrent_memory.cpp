#include "frontend/link/rnn/recurrent_memory.h"

#include <algorithm>
#include <string_view>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/call_changes.h"
#include "runtime/graph/call/recorder.h"

namespace catena {

/// What the memory held beside the content of its states. Does not own the memory: a graph that is
/// remembered there may own this.
class RecurrentMemory::HeldContents final : public Held {
public:
    explicit HeldContents(const std::shared_ptr<Contents>& contents)
        : contents_(contents),
          empty_(contents->empty),
          before_recording_(contents->before_recording) {
        for (const Memory& memory : contents->memories)
            graphs_.push_back({memory.recent, memory.chained});
    }

    std::unique_ptr<Held> now() const override {
        const std::shared_ptr<Contents> contents = contents_.lock();
        return contents ? std::make_unique<HeldContents>(contents) : nullptr;
    }

    void put_back() const override {
        const std::shared_ptr<Contents> contents = contents_.lock();
        if (!contents) return;
        contents->empty = empty_;
        contents->before_recording = before_recording_;
        for (size_t k = 0; k < graphs_.size(); ++k) {
            contents->memories[k].recent = graphs_[k].recent;
            contents->memories[k].chained = graphs_[k].chained;
        }
    }

    bool is_reachable() const override { return !contents_.expired(); }

    std::vector<Variable*> variables() const override {
        std::vector<Variable*> all;
        if (const std::shared_ptr<Contents> contents = contents_.lock())
            for (Memory& memory : contents->memories) all.push_back(&memory.recent);
        return all;
    }

    void drop_graphs(const std::function<bool(const Variable&)>& wanted) override {
        for (auto& [recent, chained] : graphs_)
            if (chained && recent.defined() && !wanted(recent))
                recent = Variable();  // The state itself has the same content.
    }

private:
    struct Graph {
        Variable recent;
        bool chained;
    };
    std::weak_ptr<Contents> contents_;
    bool empty_;
    Array before_recording_;
    std::vector<Graph> graphs_;
};

RecurrentMemory::RecurrentMemory(std::vector<std::string> names)
    : contents_(std::make_shared<Contents>()) {
    for (std::string& name : names) {
        contents_->memories.push_back({.name = name, .state = {}, .recent = {}});
        contents_->memories.back().state.set_name(name);
    }
}

RecurrentMemory::RecurrentMemory(RecurrentMemory&& other) : contents_(other.contents_) {
    std::vector<std::string> names;
    for (const Memory& memory : contents_->memories) names.push_back(memory.name);
    other.contents_ = RecurrentMemory(std::move(names)).contents_;
}

RecurrentMemory::RecurrentMemory(const RecurrentMemory& other)
    : contents_(std::make_shared<Contents>(*other.contents_)) {}

RecurrentMemory& RecurrentMemory::operator=(const RecurrentMemory& other) {
    if (this == &other) return *this;
    *contents_ = *other.contents_;
    return *this;
}

RecurrentMemory::Contents& RecurrentMemory::contents() const {
    if (Recorder* recorder = current_recorder()) recorder->asks(contents_);
    return *contents_;
}

RecurrentMemory::Contents& RecurrentMemory::changing_contents() {
    if (is_noting())
        note(contents_.get(), [&] { return std::make_unique<HeldContents>(contents_); });
    return contents();
}

Variable RecurrentMemory::Memory::value() const {
    // A compiled program, or a copy of the link, has assigned the state: the stored graph is
    // outdated.
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

bool RecurrentMemory::Contents::is_empty() const {
    return empty ||
           (before_recording.defined() && memories.back().state.array() == before_recording);
}

uint64_t RecurrentMemory::Contents::present() const {
    if (is_empty()) return 0;
    uint64_t with_graph = 0;
    for (const Memory& memory : memories)
        with_graph = 2 * with_graph + memory.value().requires_grad();
    return 1 + with_graph;
}

bool RecurrentMemory::is_empty() const { return contents().is_empty(); }

Variable RecurrentMemory::operator[](size_t k) const {
    const Contents& now = contents();
    return now.is_empty() ? Variable() : now.memories[k].value();
}

void RecurrentMemory::reset() {
    Contents& now = changing_contents();
    now.empty = true;
    for (Memory& memory : now.memories) memory.recent = Variable();
}

void RecurrentMemory::store(std::initializer_list<Variable> values, Device& home) {
    Contents& now = changing_contents();
    CATENA_ASSERT(values.size() == now.memories.size(), "a value for each state");
    const bool began_empty = now.is_empty();
    const Variable* value = values.begin();
    for (Memory& memory : now.memories) memory.make_room(*value++, home);
    const bool on_shapes = values.begin()->device().is_meta();
    if (began_empty) now.before_recording = on_shapes ? now.memories.back().state.array() : Array();
    value = values.begin();
    for (Memory& memory : now.memories) memory.store(*value++);
    now.empty = false;
}

void RecurrentMemory::set(std::initializer_list<Variable> values, Device& home) {
    Contents& now = changing_contents();
    const Variable* value = values.begin();
    for (Memory& memory : now.memories) {
        memory.make_room(*value, home);
        memory.store(*value++);
    }
    now.before_recording = Array();
    now.empty = false;
}

void RecurrentMemory::move(Device& device) {
    for (Memory& memory : contents_->memories) {
        memory.recent = Variable();
        if (memory.state.is_initialized()) memory.state.set_array(memory.state.array().to(device));
    }
}

void RecurrentMemory::name_beside(const Parameter& parameter, const std::string& own) {
    const std::string_view name = parameter.name();
    std::string_view path = name.substr(0, name.size() - std::min(own.size(), name.size()));
    if (path == "/" || !path.ends_with('/') || !name.ends_with(own)) path = {};
    for (Memory& memory : contents_->memories) {
        const std::string_view known = memory.state.name();
        if (known.starts_with(path) && known.substr(path.size()) == memory.name)
            continue;  // As after every step but the first.
        memory.state.set_name(std::string(path) + memory.name);
    }
}

}  // namespace catena
