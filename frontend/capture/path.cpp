#include "frontend/capture/path.h"

#include <algorithm>

#include "frontend/capture/graph_end.h"
#include "frontend/capture/program.h"

namespace catena::capture {
namespace {

/// Appends `made` to its siblings atomically: concurrent readers see it complete or not at all.
template <class T>
void append(std::atomic<T*>& first, T* made) {
    std::atomic<T*>* place = &first;
    while (T* there = place->load(std::memory_order_relaxed)) place = &there->sibling;
    place->store(made, std::memory_order_release);
}

size_t bytes_of(const Step& step) {
    return sizeof(Step) + step.attributes.entries().size() * sizeof(Attributes::Entry) +
           step.inputs.size() * sizeof(Step::Input) + step.cells.size() * sizeof(step.cells[0]);
}

}  // namespace

Tree::Tree(std::vector<Type> types, std::shared_ptr<KnownSizes> known)
    : arguments(std::move(types)), sizes(std::move(known)) {
    root.arguments = int(arguments.size());
}
Tree::~Tree() = default;

Step& Tree::add(Place& place, std::unique_ptr<Step> made) {
    bytes_ += bytes_of(*made);
    append(place.steps, made.get());
    return *steps_.emplace_back(std::move(made));
}

Ending& Tree::add(Place& place, std::unique_ptr<Ending> made) {
    bytes_ += sizeof(Ending) + made->alive.size() * sizeof(int);
    append(place.endings, made.get());
    return *endings_.emplace_back(std::move(made));
}

GraphEnd& Tree::add(Place& place, std::unique_ptr<GraphEnd> made) {
    bytes_ += made->bytes();
    append(place.graphs, made.get());
    return *graphs_.emplace_back(std::move(made));
}

KnownWalk& Tree::add(Place& place, std::unique_ptr<KnownWalk> made) {
    bytes_ += made->bytes();
    append(place.walks, made.get());
    return *walks_.emplace_back(std::move(made));
}

std::vector<const Step*> steps_to(const Step* last) {
    std::vector<const Step*> steps;
    for (const Step* step = last; step; step = step->previous) steps.push_back(step);
    std::reverse(steps.begin(), steps.end());
    return steps;
}

}  // namespace catena::capture
