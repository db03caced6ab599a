// The memory of a call's values. In eager code an operation's result is a view, where
// OpDef::view gives one, or has row-major memory of its own. A pending array says which from the
// start, and the memory of a program's outputs becomes what was said.
#include <algorithm>

#include "frontend/capture/follower.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/assertion.h"
#include "runtime/graph/op/copy_op.h"

namespace catena::capture {
namespace {

using Inputs = std::span<const Variable* const>;

void fill(ArrayBody& body, const Array& content) {
    CATENA_ASSERT(content.contiguous() == body.contiguous &&
                      content.body()->offset == body.offset && content.type() == body.type,
                  "an array lies elsewhere than was said of it: " + to_string(body.type));
    // What was derived from the pending array is derived from its elements.
    if (const uint8_t derived = body.storage->derivations.load(std::memory_order_relaxed)) {
        body.storage->derivations.store(0, std::memory_order_relaxed);
        content.storage()->derivations.store(derived, std::memory_order_relaxed);
    }
    body.storage = content.storage();
    body.pending = nullptr;
    body.value = -1;
}

/// Of an operation's input: its elements, not only where they lie.
bool reads(const OpDef& op, const ArrayBody& input, const Attributes& attributes) {
    return !(op.view && op.view(stand_in(input), attributes).defined());
}

}  // namespace

//---- what pending arrays say

/// The storage without data of a value's pending array is its own, so that arrays are told apart by
/// their storages; it is used again where nobody else has kept it.
void Follower::own_memory(int v, Device& device) {
    Slot& s = slots_[size_t(v)];
    ArrayBody& body = *s.array.body();
    s.base = v;
    body.strides = contiguous_strides(body.type.shape);
    body.contiguous = true;
    body.offset = 0;
    if (own_storages_.size() <= size_t(v)) own_storages_.resize(slots_.size());
    Ref<Storage>& own = own_storages_[size_t(v)];
    if (own && body.storage.get() == own.get() && own->device == &device) return;
    body.storage = Ref<Storage>();
    if (!own || own->use_count() > 1 || own->device != &device) own = device.allocate(0);
    body.storage = own;
}

/// The result of a step whose operation may give a view.
void Follower::lay_out(const Step& step) {
    const int v = step.first_output;
    const Slot& from = slots_[size_t(step.operands()[0])];
    const ArrayBody& viewed = *from.array.body();
    Slot& s = slots_[size_t(v)];
    if (s.layout < 0) {
        s.layout = int(layouts_.size());
        layouts_.emplace_back();
    }
    ViewLayout& layout = layouts_[size_t(s.layout)];
    const bool is_known = layout.step == &step && layout.from == viewed.strides;
    if (!is_known) layout = layout_of(step, viewed);
    if (!layout.is_view) return own_memory(v, *step.call->device);
    ArrayBody& body = *s.array.body();
    s.base = from.base;
    body.offset = viewed.offset + layout.offset;
    views_.push_back(v);
    // An array that shares the memory was laid out there by an earlier call.
    if (is_known && body.storage.get() == viewed.storage.get()) return;
    body.strides = layout.strides;
    body.contiguous = layout.contiguous;
    body.storage = viewed.storage;
}

void Follower::lay_out(const KnownSteps& known) {
    for (const Step* step : known.views) lay_out(*step);
}

/// Of a composite with a kernel, which eager code runs in the place of the body.
void Follower::own_results(std::span<const Variable> outputs) {
    for (const Variable& y : outputs) {
        const ArrayBody& body = *y.array().body();
        if (body.pending != this || slots_[size_t(body.value)].base == body.value) continue;
        std::erase(views_, body.value);
        own_memory(body.value, *body.storage->device);
    }
}

ArrayBody* Follower::look(ArrayBody& array, const Shape& shape, const Strides& strides,
                          int64_t offset) {
    if (!(shape == array.type.shape) || !(strides == array.strides) || offset != array.offset)
        return nullptr;
    ++disturbances_;
    const Array same = stand_in(array);
    same.body()->pending = this;
    same.body()->value = array.value;
    looks_.emplace_back(same, array.value);
    return same.body();
}

Array Follower::row_major(ArrayBody& array) {
    if (current_recorder() != this || running_) return {};
    if (shows_outside(array.value)) ++disturbances_;  // Another array may be row-major itself.
    const Variable x(Array(Ref<ArrayBody>(&array)), false);
    const Variable* const inputs[] = {&x};
    return perform({copy_op(), inputs, {}, {}})[0].array();
}

std::vector<const Step*> Follower::view_steps(int v, int& base) const {
    std::vector<const Step*> steps;
    base = slots_[size_t(v)].base;
    for (; v != base; v = steps.back()->operands()[0]) steps.push_back(slots_[size_t(v)].maker);
    std::ranges::reverse(steps);
    return steps;
}

std::vector<int> Follower::live_views() const {
    std::vector<int> live;
    for (int v : views_)
        if (slots_[size_t(v)].array.body()->use_count() > 1) live.push_back(v);
    return live;
}

//---- what is computed for them

/// Whether it is all of its base, in the same order.
bool Follower::is_whole(int v) const {
    const Slot& s = slots_[size_t(v)];
    const ArrayBody &body = *s.array.body(), &base = *slots_[size_t(s.base)].array.body();
    return body.contiguous && body.offset == 0 &&
           element_count(body.type.shape) == element_count(base.type.shape);
}

/// Views show their bases, so that these are computed. If a view is the only array left of its
/// base, and is all of it, nobody can tell which of the two is: it is computed itself.
void Follower::needed_for_views() {
    std::sort(live_views_.begin(), live_views_.end());
    const size_t known = alive_.size();
    for (size_t i = 0, end = 0; i < live_views_.size(); i = end) {
        const auto [base, v] = live_views_[i];
        while (end < live_views_.size() && live_views_[end].first == base) ++end;
        if (std::binary_search(alive_.begin(), alive_.begin() + ptrdiff_t(known), base)) continue;
        alive_.push_back(end - i == 1 && is_whole(v) ? v : base);
    }
    live_views_.clear();
    std::sort(alive_.begin(), alive_.end());
}

void Follower::collect_alive() {
    alive_.clear();
    const auto add = [&](int v) {
        const int base = slots_[size_t(v)].base;
        if (base == v)
            alive_.push_back(v);
        else if (slots_[size_t(base)].maker)
            live_views_.emplace_back(base, v);
    };
    for (int v = segment_->first_value; v < count_; ++v) {
        const Slot& s = slots_[size_t(v)];
        if (s.maker && s.array.body()->use_count() > 1) add(v);
    }
    if (!looks_.empty()) {
        std::erase_if(looks_, [](const auto& look) { return look.first.body()->use_count() == 1; });
        for (const auto& [array, v] : looks_) add(v);
        std::sort(alive_.begin(), alive_.end());
        alive_.erase(std::unique(alive_.begin(), alive_.end()), alive_.end());
    }
    if (!live_views_.empty()) needed_for_views();
}

uint32_t Follower::own_references(int v) const { return 1 + extra_references_[size_t(v)]; }

uint32_t Follower::own_references(const Storage& storage) {
    const int* arrays = storage_references_.find(&storage);
    const auto pointers = std::ranges::count(addressed_, &storage, &Ref<Storage>::get);
    return 1 + uint32_t(arrays ? *arrays : 0) + uint32_t(pointers);
}

void Follower::count_references() {
    storage_references_.clear();
    for (int v : views_)
        if (const Array& array = slots_[size_t(v)].array;
            shows_outside(v) && array.body()->use_count() == 1)
            ++storage_references_.insert(array.storage().get(), 0);
    extra_references_.assign(size_t(count_), 0);
    if (log_.empty()) return;
    scratch_.clear();
    for (int v = segment_->first_value; v < count_; ++v)
        if (const Slot& s = slots_[size_t(v)]; !s.maker && s.array.defined())
            scratch_.insert(s.array.body(), v);
    log_.for_each_held([&](const Array& array) {
        if (const int* v = scratch_.find(array.body())) ++extra_references_[size_t(*v)];
    });
}

//---- what they become

/// A value with memory of its own is computed there. A view that was computed is one of which
/// nothing else is left, or its base has not been computed.
void Follower::deliver(int v, const Array& content) {
    const Slot& s = slots_[size_t(v)];
    if (s.array.body()->pending != this) return;
    if (s.base == v)
        fill(*s.array.body(), content);
    else
        view_contents_.emplace_back(v, content);
}

/// Gives a view, or another array of a value, its elements; false: there are none.
bool Follower::show(ArrayBody& body, int v) const {
    const Slot& base = slots_[size_t(slots_[size_t(v)].base)];
    if (base.maker && base.array.body()->pending == this) {
        const auto content = std::ranges::find(view_contents_, v, &std::pair<int, Array>::first);
        if (content == view_contents_.end()) return false;
        fill(body, content->second);
        return true;
    }
    if (base.maker) {
        body.storage = base.array.storage();
        body.offset += base.array.body()->offset;
    }
    body.pending = nullptr;
    body.value = -1;
    return true;
}

void Follower::show_views() {
    for (int v : views_) {
        if (!slots_[size_t(v)].array.defined()) continue;
        ArrayBody& body = *slots_[size_t(v)].array.body();
        if (body.use_count() > 1)
            show(body, v);
        else if (shows_outside(v))
            body.storage = nowhere(*body.storage->device);  // It must not keep it from being freed.
    }
    for (auto& [array, v] : looks_)
        if (show(*array.body(), v)) array = Array();
    std::erase_if(looks_, [](const auto& look) { return !look.first.defined(); });
    view_contents_.clear();
}

//---- pointers to write through

void Follower::addressed(ArrayBody& array) {
    ++disturbances_;
    if (running_) return;
    const Storage& memory = *array.storage;
    const bool is_kept = memory.is_exposed.load(std::memory_order_relaxed) || memory.is_held();
    if (is_kept && !is_addressed(array)) addressed_.push_back(array.storage);
    for (int v = segment_->first_value; v < count_; ++v) {
        const Slot& s = slots_[size_t(v)];
        if (s.maker || !s.array.defined() || s.array.storage().get() != array.storage.get())
            continue;
        if (steps_ > 0) cut();
        return;
    }
}

bool Follower::is_addressed(const ArrayBody& array) const {
    return std::ranges::find(addressed_, array.storage) != addressed_.end();
}

/// The inputs as they are now, where the code has a pointer to write through. Views go on showing
/// what is written.
Inputs Follower::as_read(const OpCall& call) {
    const Inputs inputs = call.inputs;
    const auto is_read = [&](const Variable& x) {
        const ArrayBody& body = *x.array().body();
        return is_addressed(body) && reads(call.op, body, call.attributes);
    };
    if (std::ranges::none_of(inputs, [&](const Variable* x) { return is_read(*x); })) return inputs;
    needs_code("it writes, or may write through a pointer, to an array that it reads");
    read_.clear();
    read_list_.clear();
    read_.reserve(inputs.size());
    for (const Variable* x : inputs) {
        read_.push_back(is_read(*x) ? Variable(snapshot(*x->array().body()), false) : *x);
        read_list_.push_back(&read_.back());
    }
    return read_list_;
}

/// A copy; the latest one as long as nothing was written.
Array Follower::snapshot(const ArrayBody& array) {
    const RecorderScope unseen(nullptr);
    const Array copy = Array::empty(array.type, *array.storage->device);
    copy_elements(stand_in(array), copy);
    const auto known = std::ranges::find_if(
        snapshots_, [&](const Snapshot& snapshot) { return snapshot.is_of(array); });
    if (known == snapshots_.end()) {
        snapshots_.push_back({array.storage.get(), array.offset, array.type, array.strides, copy});
        return copy;
    }
    if (!same_bits(copy, known->copy)) known->copy = copy;
    return known->copy;
}

//---- memory that somebody outside writes to

const Array& Follower::content(int v) {
    const Array& array = slots_[size_t(v)].array;
    const Array* const copy = array.defined() ? watched_.content(array) : nullptr;
    return copy ? *copy : array;
}

/// Before an operation reads an array that somebody outside may write to. Once they have, each
/// operation reads a copy of its own, as where the code has taken a pointer.
void Follower::watch(const OpDef& op, ArrayBody& read, const Attributes& attributes) {
    if (read.storage->device->is_meta() || (read.pending && read.pending != this) ||
        is_addressed(read) || !reads(op, read, attributes))
        return;
    const Array input = read.pending ? slots_[size_t(slots_[size_t(read.value)].base)].array
                                     : Array(Ref<ArrayBody>(&read));
    if (watched_.read(input, read)) return;
    addressed_.push_back(read.storage);
}

}  // namespace catena::capture
