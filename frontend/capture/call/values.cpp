#include "frontend/capture/call/values.h"

#include <algorithm>

#include "frontend/capture/call/failed_array.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/assertion.h"
#include "runtime/graph/op/op.h"

namespace catena::capture {
namespace {

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

}  // namespace

void Values::forget_steps() {
    for (Slot& s : slots_) {
        s.maker = nullptr;
        s.layout = -1;
    }
    layouts_.clear();
}

void Values::begin(std::span<const Variable> arguments) {
    first_ = count_ = 0;
    input_numbers_.clear();
    for (const Variable& x : arguments) {
        const int v = count_++;
        if (slots_.size() <= size_t(v)) slots_.resize(size_t(v) + 1);
        Slot& s = slot(v);
        s.maker = nullptr;
        s.base = v;
        s.array = x.defined() ? x.array() : Array();
        if (!s.array.defined()) continue;
        if (s.array.body()->pending) s.array.body()->pending->force(*s.array.body());
        input_numbers_.insert(s.array.body(), v);
    }
}

void Values::begin_segment(const Segment& segment) {
    first_ = count_ = segment.first_value;
    input_numbers_.clear();
    views_.clear();
}

int Values::number_of(const Array& array) {
    if (is_pending(*array.body())) return array.body()->value;
    const int* known = input_numbers_.find(array.body());
    return known ? *known : -1;
}

//---- following

bool Values::fit(const Step& step, std::span<const Variable* const> inputs) {
    const std::span<const int> operands = step.operands();
    if (step.first_output > step.first_value) begin_comparing();
    int next = step.first_value;
    for (size_t i = 0; i < inputs.size(); ++i) {
        const ArrayBody* body = inputs[i]->body()->array.body();
        const int v = operands[i];
        if (body->pending == call_) {
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
                if (operands[j] == v && inputs[j]->body()->array.body() != body) return false;
        }
    }
    return true;
}

void Values::take_input(int v, const Array& array) {
    Slot& s = slot(v);
    s.maker = nullptr;
    s.base = v;
    s.array = array;
    input_numbers_.insert(array.body(), v);
}

void Values::take(const Step& step, std::span<const Variable* const> inputs, Variables& outputs) {
    make_room(step.end_value);
    int next = step.first_value;
    for (size_t i = 0; next < step.first_output; ++i)
        if (step.operands()[i] == next) take_input(next++, inputs[i]->array());
    if (step.call->op->view) {
        placeholder(step.first_output, step.outputs()[0], step);
        lay_out(step);
    }
    for (int v = step.first_output; v < step.end_value; ++v) {
        const Slot& s = slot(v);
        outputs.emplace_back(
            s.maker == &step && s.array.defined()
                ? s.array
                : placeholder(v, step.outputs()[size_t(v - step.first_output)], step),
            false);
    }
    count_ = step.end_value;
}

void Values::take_again(const Step& last, int first, std::span<const Step* const> makers) {
    make_room(last.end_value);
    for (size_t i = 0; i < makers.size(); ++i) {
        const Step* maker = makers[i];
        const int v = first + int(i);
        if (const Slot& s = slot(v); maker && (s.maker != maker || !s.array.defined()))
            placeholder(v, maker->outputs()[size_t(v - maker->first_output)], *maker);
    }
    count_ = last.end_value;
}

Array& Values::placeholder(int v, const Type& type, const Step& step) {
    Slot& s = slot(v);
    if (s.maker == &step && s.array.defined()) return s.array;
    const bool is_free =
        s.array.defined() && is_pending(*s.array.body()) && s.array.body()->use_count() == 1;
    if (!is_free) s.array = Array(make_ref<ArrayBody>());
    ArrayBody& body = *s.array.body();
    body.type = type;
    own_memory(v, *step.call->device);
    body.owner = nullptr;
    body.pending = call_;
    body.value = v;
    s.maker = &step;
    return s.array;
}

const Ref<Storage>& Values::nowhere(Device& device) {
    for (const Ref<Storage>& known : nowhere_)
        if (known->device == &device) return known;
    return nowhere_.emplace_back(device.allocate(0));
}

/// The storage without data of a value's pending array is its own, so that arrays are told apart by
/// their storages; it is used again where nobody else has kept it.
void Values::own_memory(int v, Device& device) {
    Slot& s = slot(v);
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

void Values::lay_out(const Step& step) {
    const int v = step.first_output;
    const Slot& from = slot(step.operands()[0]);
    const ArrayBody& viewed = *from.array.body();
    Slot& s = slot(v);
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

void Values::own_results(std::span<const Variable> outputs) {
    for (const Variable& y : outputs) {
        const ArrayBody& body = *y.array().body();
        if (!is_pending(body) || base_of(body.value) == body.value) continue;
        std::erase(views_, body.value);
        own_memory(body.value, *body.storage->device);
    }
}

ArrayBody* Values::look(ArrayBody& array) {
    const Array same = stand_in(array);
    same.body()->pending = call_;
    same.body()->value = array.value;
    looks_.emplace_back(same, array.value);
    return same.body();
}

//---- the end of a segment

std::vector<const Step*> Values::view_steps(int v, int& base) const {
    std::vector<const Step*> steps;
    base = base_of(v);
    for (; v != base; v = steps.back()->operands()[0]) steps.push_back(slots_[size_t(v)].maker);
    std::ranges::reverse(steps);
    return steps;
}

std::vector<int> Values::live_views() const {
    std::vector<int> live;
    for (int v : views_)
        if (array(v).body()->use_count() > 1) live.push_back(v);
    return live;
}

std::vector<std::pair<Array, int>> Values::known_arrays() const {
    std::vector<std::pair<Array, int>> known;
    for (int v = first_; v < count_; ++v)
        if (array(v).defined()) known.emplace_back(array(v), v);
    for (const auto& look : looks_) known.push_back(look);
    std::reverse(known.begin(), known.end());
    return known;
}

bool Values::reads(const Storage& storage) const {
    for (int v = first_; v < count_; ++v) {
        const Slot& s = slots_[size_t(v)];
        if (!s.maker && s.array.defined() && s.array.storage().get() == &storage) return true;
    }
    return false;
}

/// Whether it is all of its base, in the same order.
bool Values::is_whole(int v) const {
    const ArrayBody &body = *array(v).body(), &base = *array(base_of(v)).body();
    return body.contiguous && body.offset == 0 &&
           element_count(body.type.shape) == element_count(base.type.shape);
}

/// Views show their bases, so that these are computed. If a view is the only array left of its
/// base, and is all of it, nobody can tell which of the two is: it is computed itself.
void Values::add_bases_of_views() {
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

std::span<const int> Values::find_alive() {
    alive_.clear();
    const auto add = [&](int v) {
        const int base = base_of(v);
        if (base == v)
            alive_.push_back(v);
        else if (is_computed(base))
            live_views_.emplace_back(base, v);
    };
    for (int v = first_; v < count_; ++v) {
        const Slot& s = slot(v);
        if (s.maker && s.array.body()->use_count() > 1) add(v);
    }
    if (!looks_.empty()) {
        std::erase_if(looks_, [](const auto& look) { return look.first.body()->use_count() == 1; });
        for (const auto& [array, v] : looks_) add(v);
        std::sort(alive_.begin(), alive_.end());
        alive_.erase(std::unique(alive_.begin(), alive_.end()), alive_.end());
    }
    if (!live_views_.empty()) add_bases_of_views();
    return alive_;
}

uint32_t Values::own_references(const Storage& storage) {
    const int* arrays = storage_references_.find(&storage);
    return 1 + uint32_t(arrays ? *arrays : 0);
}

void Values::count_references(const UndoLog& log) {
    storage_references_.clear();
    for (int v : views_)
        if (shows_outside(v) && array(v).body()->use_count() == 1)
            ++storage_references_.insert(array(v).storage().get(), 0);
    extra_references_.assign(size_t(count_), 0);
    if (log.empty()) return;
    scratch_.clear();
    for (int v = first_; v < count_; ++v)
        if (const Slot& s = slot(v); !s.maker && s.array.defined())
            scratch_.insert(s.array.body(), v);
    log.for_each_held([&](const Array& held) {
        if (const int* v = scratch_.find(held.body())) ++extra_references_[size_t(*v)];
    });
}

//---- what they become

void Values::deliver(int v, const Array& content) {
    const Slot& s = slot(v);
    if (!is_pending(*s.array.body())) return;
    if (s.base == v)
        fill(*s.array.body(), content);
    else
        view_contents_.emplace_back(v, content);
}

/// Gives a view, or another array of a value, its elements; false: there are none.
bool Values::show(ArrayBody& body, int v) const {
    const Slot& base = slots_[size_t(base_of(v))];
    if (base.maker && is_pending(*base.array.body())) {
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

void Values::show_views() {
    for (int v : views_) {
        if (!array(v).defined()) continue;
        ArrayBody& body = *array(v).body();
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

void Values::release() {
    show_views();
    const int end = slots_end();
    for (int v = first_; v < end; ++v) {
        Slot& s = slot(v);
        if (!s.maker || (s.array.defined() && !is_pending(*s.array.body()))) s.array = Array();
    }
}

void Values::fail(std::string_view region, std::string_view why) noexcept {
    for (auto& [array, v] : looks_)
        if (array.defined() && array.body()->use_count() > 1)
            fail_array(*array.body(), region, why);
    looks_.clear();
    const int end = slots_end();
    for (int v = first_; v < end; ++v) {
        Slot& s = slot(v);
        if (!s.maker || !s.array.defined() || s.array.body()->use_count() == 1) continue;
        if (is_pending(*s.array.body())) fail_array(*s.array.body(), region, why);
        s.array = Array();
    }
}

}  // namespace catena::capture
