#include "frontend/capture/call/undo_log.h"

#include <algorithm>

#include "runtime/graph/call/assign.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/node/node.h"
#include "runtime/graph/variable/variable.h"

namespace catena::capture {

void UndoLog::add(VariableBody& body, bool is_gradient, const Array& array, int steps) {
    Entry& e = entries_.emplace_back();
    e.body = Ref<VariableBody>(&body);
    e.is_gradient = is_gradient;
    e.steps = steps;
    if (is_gradient) used_.insert(&body, 0);
    if (!array.defined()) return;
    if (array.body()->pending == pending_)
        e.value = array.body()->value;
    else
        e.array = array;
}

void UndoLog::reads_gradient(VariableBody& body) {
    if (used_.find(&body)) return;
    used_.insert(&body, 0);
    reads_.push_back({Ref<VariableBody>(&body), bool(body.grad), body.grad_consumed});
}

/// Finds the used arrays anew, since others may come to lie where dropped variables were.
void UndoLog::find_used() {
    used_.clear();
    for (const Entry& e : entries_)
        if (e.is_gradient) used_.insert(e.body.get(), 0);
    for (const Read& r : reads_) used_.insert(r.body.get(), 0);
}

void UndoLog::drop_unheld(PointerTable& scratch) {
    // Such a variable (a loss) has changed once or twice and was read; others are not counted.
    constexpr uint32_t few = 5;
    auto may_be_unheld = [](const auto& e) { return e.body->use_count() <= few; };
    if (std::ranges::none_of(entries_, may_be_unheld) &&
        std::ranges::none_of(reads_, may_be_unheld))
        return;
    scratch.clear();
    auto for_each = [&](auto&& f) {
        for (const Entry& e : entries_) f(e);
        for (const Read& r : reads_) f(r);
    };
    for_each([&](const auto& e) {
        if (may_be_unheld(e)) ++scratch.insert(e.body.get(), 0);
    });
    for_each([&](const auto& e) {
        if (may_be_unheld(e) && uint32_t(*scratch.find(e.body.get())) != e.body->use_count())
            *scratch.find(e.body.get()) = 0;
    });
    const auto is_unheld = [&](const auto& e) {
        const int* count = scratch.find(e.body.get());
        return count && *count > 0;
    };
    if (std::erase_if(entries_, is_unheld) + std::erase_if(reads_, is_unheld) > 0) find_used();
}

void UndoLog::undo(int steps, const std::function<Array(int)>& value) {
    RecorderScope unseen(nullptr);
    while (!entries_.empty() && entries_.back().steps > steps) {
        Entry e = std::move(entries_.back());
        entries_.pop_back();
        Array before = e.value >= 0 ? value(e.value) : std::move(e.array);
        if (!e.is_gradient) {
            replace_state(*e.body, std::move(before));  // Where it was: nothing is written.
        } else {
            // Not by set_grad(), which compares it with a content that is not restored yet.
            e.body->grad =
                before.defined() ? Variable(std::move(before), false).ref() : Ref<VariableBody>();
            e.body->grad_consumed = e.consumed;
        }
    }
    find_used();
}

void UndoLog::consume_gradients(PointerTable& scratch) {
    scratch.clear();
    for (size_t i = entries_.size(); i-- > 0;) {
        const Entry& e = entries_[i];
        constexpr int content = 0, done = 1;
        if (!e.is_gradient) {
            scratch.insert(e.body.get(), content);
            continue;
        }
        if (std::exchange(scratch.insert(e.body.get(), done), done) == done) continue;
        VariableBody& body = *e.body;
        if (!body.grad || body.grad->use_count() > 1) continue;
        const ArrayBody* gradient = body.grad->array.body();
        // Referenced by this variable and by the call that computed it.
        if (gradient->pending != pending_ || gradient->use_count() > 2) continue;
        body.grad = nullptr;
        body.grad_consumed = true;
    }
}

}  // namespace catena::capture
