#include "frontend/capture/call/values.h"

#include <algorithm>

#include "frontend/capture/call/failed_array.h"
#include "frontend/capture/call/view_layout.h"
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
    for (Slot& s : slots_) s.maker = nullptr;
    memory_.forget_steps();
}

void Values::make_room(int end) {
    if (slots_.size() >= size_t(end)) return;
    const size_t room = std::max(size_t(end), slots_.size() * 2);
    memory_.make_room(room);
    slots_.resize(room);
}

void Values::begin(std::span<const Variable> arguments) {
    first_ = count_ = 0;
    inputs_.clear();
    for (const Variable& x : arguments) {
        const int v = count_++;
        make_room(count_);
        Slot& s = slot(v);
        s.maker = nullptr;
        memory_.take_input(v);
        s.array = x.defined() ? x.array() : Array();
        if (!s.array.defined()) continue;
        if (s.array.body()->pending) s.array.body()->pending->force(*s.array.body());
        inputs_.add(*s.array.body(), v);
    }
}

void Values::begin_segment(const Segment& segment) {
    first_ = count_ = segment.first_value;
    inputs_.clear();
    memory_.begin_segment();
}

int Values::number_of(const Array& array) {
    if (is_pending(*array.body())) return array.body()->value;
    return inputs_.number_of(*array.body());
}

//---- following

bool Values::fit(const Step& step, std::span<const Variable* const> inputs) {
    const std::span<const int> operands = step.operands();
    if (step.first_output > step.first_value) inputs_.begin_comparing();
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
                !inputs_.is_new(*body, v))
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
    s.array = array;
    memory_.take_input(v);
    inputs_.add(*array.body(), v);
}

void Values::take(const Step& step, std::span<const Variable* const> inputs, Variables& outputs) {
    make_room(step.end_value);
    int next = step.first_value;
    for (size_t i = 0; next < step.first_output; ++i)
        if (step.operands()[i] == next) take_input(next++, inputs[i]->array());
    if (step.call->op->view) {
        placeholder(step.first_output, step.outputs()[0], step);
        const Step* const view = &step;
        lay_out({&view, 1});
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
    memory_.own(v, body, *step.call->device);
    body.owner = nullptr;
    body.pending = call_;
    body.value = v;
    s.maker = &step;
    return s.array;
}

void Values::lay_out(std::span<const Step* const> steps) {
    for (const Step* step : steps)
        memory_.lay_out(*step, *array(step->operands()[0]).body(),
                        *array(step->first_output).body());
}

void Values::own_results(std::span<const Variable> outputs) {
    for (const Variable& y : outputs) {
        ArrayBody& body = *y.array().body();
        if (is_pending(body) && memory_.base_of(body.value) != body.value)
            memory_.own_instead(body.value, body);
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
    base = memory_.base_of(v);
    for (; v != base; v = steps.back()->operands()[0]) steps.push_back(slots_[size_t(v)].maker);
    std::ranges::reverse(steps);
    return steps;
}

std::vector<int> Values::live_views() const {
    std::vector<int> live;
    for (int v : memory_.views())
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

/// Whether a view is all of its base, in the same order.
bool Values::is_whole(int v) const {
    const ArrayBody &body = *array(v).body(), &base = *array(memory_.base_of(v)).body();
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
        const int base = memory_.base_of(v);
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

//---- what they become

void Values::deliver(int v, const Array& content) {
    const Slot& s = slot(v);
    if (!is_pending(*s.array.body())) return;
    if (memory_.base_of(v) == v)
        fill(*s.array.body(), content);
    else
        view_contents_.emplace_back(v, content);
}

/// Gives a view, or another array of a value, its elements; false: there are none.
bool Values::show(ArrayBody& body, int v) const {
    const Slot& base = slots_[size_t(memory_.base_of(v))];
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
    for (int v : memory_.views()) {
        if (!array(v).defined()) continue;
        ArrayBody& body = *array(v).body();
        if (body.use_count() > 1)
            show(body, v);
        else if (shows_outside(v))
            memory_.let_go(body);  // It must not keep it from being freed.
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
