#include "frontend/capture/call/effects.h"

#include <algorithm>

namespace catena::capture {

void Effects::begin() {
    is_passing_ = false;
    needs_code_ = nullptr;
}

void Effects::end_call() {
    stand_ins_.clear();
    copies_.clear();
    copy_places_.clear();
    facts_.clear();
}

void Effects::drop_unheld(PointerTable& scratch) {
    log_.drop_unheld(scratch);
    std::erase_if(stand_ins_, [](const StandIn& s) { return s.second->use_count() == 1; });
}

void Effects::stand_in(const Variable& state, const Variable& variable) {
    for (auto& [known, stand_in] : stand_ins_)
        if (known == state.body()) {
            stand_in = variable.ref();
            return;
        }
    stand_ins_.emplace_back(state.body(), variable.ref());
}

const Array& Effects::original(const Array& array) {
    const int* place = copy_places_.find(array.body());
    return place ? copies_[size_t(*place)].second : array;
}

void Effects::same(const Array& copy, const Array& array) {
    const Array first = original(array);
    copy_places_.insert(copy.body(), int(copies_.size()));
    copies_.emplace_back(copy, first);
}

void Effects::ask(const std::shared_ptr<const HostFact>& fact) {
    if (std::ranges::none_of(facts_, [&](const Fact& known) { return known.first == fact; }))
        facts_.emplace_back(fact, fact->present());
}

}  // namespace catena::capture
