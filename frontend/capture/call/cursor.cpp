#include "frontend/capture/call/cursor.h"

#include <algorithm>

namespace catena::capture {

void Cursor::begin() {
    segment_ = &tree_->root;
    step_ = nullptr;
    steps_ = cuts_ = 0;
    leaving_ = false;
}

void Cursor::cut(const Ending& ending) {
    segment_ = ending.rest.get();
    step_ = nullptr;
    steps_ = 0;
    ++cuts_;
    leaving_ = false;
}

Ending& Cursor::ending(bool is_cut, const GraphEnd* graph, std::span<const int> alive, int values) {
    const auto find = [&] {
        Ending* e = place().endings();
        while (e &&
               !(e->is_cut == is_cut && e->graph == graph && std::ranges::equal(e->alive, alive)))
            e = e->sibling.load(std::memory_order_acquire);
        return e;
    };
    if (Ending* known = find()) return *known;
    auto made = std::make_unique<Ending>();
    made->is_cut = is_cut;
    made->last = step_;
    made->segment = segment_;
    made->alive.assign(alive.begin(), alive.end());
    made->graph = graph;
    if (is_cut) {
        made->rest = std::make_unique<Segment>();
        made->rest->first_value = values;
    }
    std::lock_guard lock(tree_->mutex);
    if (Ending* known = find()) return *known;
    ends_early_ = place().endings() || place().steps.load();
    has_new_ending_ = true;
    return tree_->add(place(), std::move(made));
}

}  // namespace catena::capture
