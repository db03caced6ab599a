#include "frontend/capture/follower.h"

#include <algorithm>
#include <bit>
#include <mutex>

#include "runtime/core/array/device.h"
#include "runtime/core/array/held_memory.h"
#include "runtime/core/array/sizes.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call_types.h"
#include "runtime/graph/user_function.h"

namespace catena::capture {
namespace {

bool same_number(double a, double b) {
    return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

/// Of an operation's input, which apply() has checked.
ArrayBody* body_of(const Variable& x) { return x.body()->array.body(); }

}  // namespace

void Follower::serve(Tree& tree) {
    tree_ = &tree;
    // A step of this tree may lie where one of the other has been.
    for (Slot& s : slots_) {
        s.maker = nullptr;
        s.layout = -1;
    }
    layouts_.clear();
}

void Follower::begin(const Flat& arguments, const Rules& rules, SegmentRunner& runner) {
    rules_ = rules;
    runner_ = &runner;
    thread_ = std::this_thread::get_id();
    segment_ = &tree_->root;
    step_ = nullptr;
    steps_ = count_ = cuts_ = 0;
    tf32_ = config().tf32;
    debug_ = config().debug;
    ending_ = nullptr;
    is_open_ = true;
    leaving_ = cells_known_ = is_passing_ = false;
    input_numbers_.clear();
    needs_code_ = nullptr;
    last_composite_scalar_ = -1;
    for (const Variable& x : arguments.variables) {
        Slot& s = slot(count_++);
        s.maker = nullptr;
        s.base = count_ - 1;
        s.array = x.defined() ? x.array() : Array();
        if (!s.array.defined()) continue;
        if (s.array.body()->pending) s.array.body()->pending->force(*s.array.body());
        input_numbers_.insert(s.array.body(), count_ - 1);
    }
}

void Follower::take_input(int v, const Array& array) {
    Slot& s = slots_[size_t(v)];
    s.maker = nullptr;
    s.base = v;
    s.array = array;
    input_numbers_.insert(array.body(), v);
}

Follower::Slot& Follower::slot(int v) {
    if (slots_.size() <= size_t(v)) slots_.resize(size_t(v) + 1);
    return slots_[size_t(v)];
}

/// Whether `array` may be input `v` of the step or body that is compared, which reads it first: it
/// is no input of the segment yet. Which inputs are one and the same array is part of a path, so
/// that what was recorded by an array's number means this input in every call that takes the path.
bool Follower::is_new(const ArrayBody& array, int v) {
    return !input_numbers_.find(&array) && new_inputs_.insert(&array, v) == v;
}

void Follower::add_scalar(const Scalar& scalar) {
    if (scalar.cell()) cells_.emplace_back(int(scalars_.size()), scalar.cell());
    scalars_.push_back(scalar.present());
}

Follower::Cells::const_iterator Follower::first_cell_from(int slot) const {
    return std::ranges::lower_bound(cells_, slot, {}, [](const auto& cell) { return cell.first; });
}

const Cell::Body* Follower::cell_of(int slot) const {
    const auto known = first_cell_from(slot);
    return known != cells_.end() && known->first == slot ? known->second.get() : nullptr;
}

/// Where calls skip the code, they read each cell for itself: a scalar slot that stands for two
/// scalars must be the same cell of both.
bool Follower::matches(const Step& step, const OpCall& call) {
    const auto& [op, inputs, attributes, scalars] = call;
    const Step::Call& recorded = *step.call;
    const std::span<const int> operands = step.operands();
    if (recorded.op != &op || operands.size() != inputs.size() ||
        step.scalars().size() != scalars.size() || step.first_scalar != int(scalars_.size()) ||
        (inputs.empty() && recorded.device != &current_device()))
        return false;
    if (step.first_output > step.first_value) new_inputs_.clear();
    int next = step.first_value;
    for (size_t i = 0; i < inputs.size(); ++i) {
        const ArrayBody* body = body_of(*inputs[i]);
        const int v = operands[i];
        if (body->pending == this) {
            if (body->value != v) return false;
        } else if (v < step.first_value) {
            if (slots_[size_t(v)].array.body() != body) return false;
        } else if (v == next) {
            const Step::Input& expected = step.inputs()[size_t(v - step.first_value)];
            if (!(body->type == expected.type) || body->storage->device != expected.device ||
                !is_new(*body, v))
                return false;
            ++next;
        } else {  // The same new array as an earlier operand.
            for (size_t j = 0; j < i; ++j)
                if (operands[j] == v && body_of(*inputs[j]) != body) return false;
        }
    }
    int next_scalar = step.first_scalar;
    for (size_t k = 0; k < scalars.size(); ++k) {
        const int s = step.scalars()[k];
        if (s == next_scalar) {
            ++next_scalar;
        } else if (s < step.first_scalar) {
            if (!same_number(scalars_[size_t(s)], scalars[k].present())) return false;
            if (rules_.is_replayed && cell_of(s) != scalars[k].cell().get()) return false;
        } else {
            for (size_t j = 0; j < k; ++j) {
                if (step.scalars()[j] != s) continue;
                if (!same_number(scalars[j].present(), scalars[k].present())) return false;
                if (rules_.is_replayed && scalars[j].cell() != scalars[k].cell()) return false;
            }
        }
    }
    return recorded.attributes == attributes;
}

/// Libraries ask for it when the program runs, which is after this setting's scope.
void Follower::refuse_precision(const OpCall& call) const {
    for (const Variable* x : call.inputs)
        if (x->defined() && !x->array().device().is_host())
            fail<ValueError>(
                "{}: the setting tf32 is {} here and was {} when the region was called; it holds "
                "for a whole call: set it around the call",
                call.op.name, config().tf32, tf32_);
}

/// What was recorded before is computed with the old setting.
void Follower::change_settings(const OpCall& call) {
    if (config().tf32 != tf32_) refuse_precision(call);
    if (config().debug == debug_) return;
    if (steps_ > 0 && !rules_.breaks)
        fail<ValueError>(
            "static_graph {}: the setting debug is {} for {} and was {} before it, a program is "
            "checked as a whole, and the option breaks is false. Set it around the call, or allow "
            "breaks",
            rules_.region, config().debug, call.op.name, debug_);
    needs_code("it changes the setting debug");
    if (steps_ > 0) cut();
    debug_ = config().debug;
}

void Follower::leave_device(const OpDef& op, const Device& next) {
    const Device& device = *step_->call->device;
    if (next.is_meta() || device.is_meta()) return;
    if (!rules_.breaks)
        fail<DeviceError>(
            "static_graph {}: {} is on {} after operations on {}, a program is of one device, and "
            "the option breaks is false. Keep the region's operations on one device, or allow "
            "breaks",
            rules_.region, op.name, next.name(), device.name());
    settle();
}

Variables Follower::perform(const OpCall& call) {
    Variables outputs;
    if (!follow(call, outputs)) outputs = call.op.body ? follow_body(call) : extend(call);
    if (Node* node = connect(call, outputs)) attached(*node);
    return outputs;
}

bool Follower::follow(const OpCall& call, Variables& outputs) {
    const OpDef& op = call.op;
    const Config& now = config();
    if (now.tf32 != tf32_ || now.debug != debug_) [[unlikely]]
        change_settings(call);
    Device& device =
        call.inputs.empty() ? current_device() : *body_of(*call.inputs[0])->storage->device;
    if (step_ && step_->call->device != &device) [[unlikely]]
        leave_device(op, device);
    if (rules_.watches_memory)
        for (const Variable* x : call.inputs)
            if (ArrayBody& read = *body_of(*x);
                (!read.pending || !views_.empty()) && may_be_written(*read.storage)) [[unlikely]]
                watch(op, read, call.attributes);
    if (!addressed_.empty()) [[unlikely]] {
        if (op.body) return false;
        return follow_step({op, as_read(call), call.attributes, call.scalars}, outputs);
    }
    return op.body ? repeat_body(call, outputs) : follow_step(call, outputs);
}

bool Follower::follow_step(const OpCall& call, Variables& outputs) {
    for (const Variable* x : call.inputs)  // An array of an enclosing region.
        if (ArrayBody* body = body_of(*x); body->pending && body->pending != this)
            body->pending->force(*body);
    for (const Step* step = place().steps.load(std::memory_order_acquire); step;
         step = step->sibling.load(std::memory_order_acquire))
        if (matches(*step, call)) {
            take(*step, call, outputs);
            return true;
        }
    return false;
}

void Follower::take(const Step& step, const OpCall& call, Variables& outputs) {
    if (slots_.size() < size_t(step.end_value))
        slots_.resize(std::max(size_t(step.end_value), slots_.size() * 2));
    int next = step.first_value;
    for (size_t i = 0; next < step.first_output; ++i)
        if (step.operands()[i] == next) take_input(next++, call.inputs[i]->array());
    for (size_t k = 0; k < call.scalars.size(); ++k)
        if (step.scalars()[k] == int(scalars_.size())) add_scalar(call.scalars[k]);
    if (step.call->op->view) {
        placeholder(step.first_output, step.outputs()[0], step);
        lay_out(step);
    }
    for (int v = step.first_output; v < step.end_value; ++v) {
        const Slot& s = slots_[size_t(v)];
        outputs.emplace_back(
            s.maker == &step && s.array.defined()
                ? s.array
                : placeholder(v, step.outputs()[size_t(v - step.first_output)], step),
            false);
    }
    count_ = step.end_value;
    step_ = &step;
    ++steps_;
    last_composite_scalar_ = -1;
}

Array& Follower::placeholder(int v, const Type& type, const Step& step) {
    Slot& s = slots_[size_t(v)];
    if (s.maker == &step && s.array.defined()) return s.array;
    const bool is_free =
        s.array.defined() && s.array.body()->pending == this && s.array.body()->use_count() == 1;
    if (!is_free) s.array = Array(make_ref<ArrayBody>());
    ArrayBody& body = *s.array.body();
    body.type = type;
    own_memory(v, *step.call->device);
    body.owner = nullptr;
    body.pending = this;
    body.value = v;
    s.maker = &step;
    return s.array;
}

const Ref<Storage>& Follower::nowhere(Device& device) {
    for (const Ref<Storage>& known : nowhere_)
        if (known->device == &device) return known;
    return nowhere_.emplace_back(device.allocate(0));
}

//---- new paths

void Follower::know_cells() {
    if (std::exchange(cells_known_, true)) return;
    cell_slots_.clear();
    for (const Step* step : steps_to(step_))
        for (size_t k = 0; k < step->scalars().size(); ++k)
            if (const Cell::Body* cell = cell_of(step->scalars()[k]))
                cell_slots_.insert(cell, step->scalars()[k]);
}

int Follower::number_of(const Array& array) {
    if (array.body()->pending == this) return array.body()->value;
    const int* known = input_numbers_.find(array.body());
    return known ? *known : -1;
}

std::unique_ptr<Step> Follower::make_step(const OpCall& call, std::span<const Type> types,
                                          Device& device) {
    const auto& [op, inputs, attributes, scalars] = call;
    auto step = std::make_unique<Step>();
    step->call =
        tree_->kept({&op, attributes, current_location(), user_function(op)}, device, types);
    step->previous = step_;
    step->index = steps_;
    SmallVector<int, 8> operands, slots;
    SmallVector<Ref<Cell::Body>, 8> cells;
    Step::Rare rare;
    int next = step->first_value = count_;
    for (size_t i = 0; i < inputs.size(); ++i) {
        const Array& array = inputs[i]->array();
        int v = number_of(array);
        for (size_t j = 0; j < i && v < 0; ++j)
            if (inputs[j]->array() == array) v = operands[j];
        if (v < 0) {
            v = next++;
            const VariableBody* state = array.body()->owner;
            rare.inputs.push_back({.type = array.type(),
                                   .device = &array.device(),
                                   .name = state && state->name ? *state->name : "",
                                   .is_state = state != nullptr});
        }
        operands.push_back(v);
    }
    step->first_output = next;
    step->end_value = next + int(types.size());
    step->first_scalar = int(scalars_.size());
    int next_scalar = step->first_scalar;
    for (const Scalar& scalar : scalars) {
        const Cell::Body* cell = scalar.cell().get();
        // A cell is one scalar of the program while its value is the same.
        int s = cell ? cell_slots_.insert(cell, next_scalar) : next_scalar;
        if (s < step->first_scalar && !same_number(scalars_[size_t(s)], scalar.present()))
            s = next_scalar;
        if (s == next_scalar) ++next_scalar;
        slots.push_back(s);
        cells.push_back(scalar.cell());
    }
    step->end_scalar = next_scalar;
    step->set_numbers(operands, slots);
    if (std::ranges::any_of(cells, [](const Ref<Cell::Body>& cell) { return bool(cell); }))
        rare.cells.assign(cells.begin(), cells.end());
    if (!rare.inputs.empty() || !rare.cells.empty())
        step->rare = std::make_unique<const Step::Rare>(std::move(rare));
    return step;
}

Variables Follower::extend(const OpCall& given) {
    const Types types = call_types(given);
    for (const Type& type : types) byte_count(type);  // Refuses what no array can be.
    Device& device = call_device(given);
    know_cells();
    const OpCall call{given.op, addressed_.empty() ? given.inputs : as_read(given),
                      given.attributes, given.scalars};
    std::unique_ptr<Step> made = make_step(call, types, device);
    const Step* expected = place().steps.load(std::memory_order_acquire);
    if (!std::exchange(leaving_, true) && (expected || place().endings()))
        runner_->left(made.get(), expected);
    const Step* step = nullptr;
    {
        std::lock_guard lock(tree_->mutex);
        // Another thread may have added the same step in the meantime.
        for (const Step* s = place().steps.load(std::memory_order_acquire); s && !step;
             s = s->sibling.load())
            if (matches(*s, call)) step = s;
        if (!step) step = &tree_->add(place(), std::move(made));
    }
    Variables outputs;
    take(*step, call, outputs);
    return outputs;
}

//---- other notifications

void Follower::attached(Node& node) { nodes_.add({&node, step_, last_composite_scalar_}); }

void Follower::passing() {
    ++disturbances_;
    is_passing_ = true;
}

void Follower::needs_code(const char* why) {
    ++disturbances_;
    needs_code_ = why;
}

void Follower::stands_for(const Variable& state, const Variable& variable) {
    ++disturbances_;
    if (!rules_.is_replayed) return;
    for (auto& [known, stand_in] : stand_ins_)
        if (known == state.body()) {
            stand_in = variable.ref();
            return;
        }
    stand_ins_.emplace_back(state.body(), variable.ref());
}

void Follower::same(const Array& copy, const Array& array) {
    if (!is_open_ || running_ || array.body()->pending == this) return;
    const Array first = original(array);
    copy_places_.insert(copy.body(), int(copies_.size()));
    copies_.emplace_back(copy, first);
}

const Array& Follower::original(const Array& array) {
    const int* place = copy_places_.find(array.body());
    return place ? copies_[size_t(*place)].second : array;
}

void Follower::reads_gradient(VariableBody& variable) {
    const ArrayBody* array = variable.array.body();
    const bool is_made = !variable.is_state && array &&
                         array->pending == this;  // It has had no gradient before the call.
    if (rules_.is_replayed && is_open_ && !running_ && !is_made) log_.reads_gradient(variable);
}

void Follower::asks(const std::shared_ptr<const HostFact>& fact) {
    ++disturbances_;
    if (!rules_.is_replayed ||
        std::ranges::any_of(facts_, [&](const Fact& known) { return known.first == fact; }))
        return;
    facts_.emplace_back(fact, fact->present());
}

void Follower::walks(const Node& node) {
    // Its arrays are not those that a later call's graph would have.
    if (!nodes_.made(node))
        needs_code_ = "backward() or grad() inside it goes on through a graph from outside";
}

void Follower::assigned(const Variable& state, const Variable&) {
    ++disturbances_;
    log_.content(*state.body(), steps_);
}

void Follower::changing(VariableBody& variable, Change what) {
    if (what == Change::content)
        log_.content(variable, steps_);
    else
        log_.gradient(variable, steps_);
}

}  // namespace catena::capture
