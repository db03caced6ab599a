#include "frontend/capture/path/path.h"

#include <algorithm>

#include "frontend/capture/path/type_hash.h"

namespace catena::capture {
namespace {

/// Appends `made` to its siblings atomically: concurrent readers see it complete or not at all.
template <class T>
void append(std::atomic<T*>& first, T* made) {
    std::atomic<T*>* place = &first;
    while (T* there = place->load(std::memory_order_relaxed)) place = &there->sibling;
    place->store(made, std::memory_order_release);
}

}  // namespace

Place::Rare& Place::rare() {
    if (Rare* there = rare_.load(std::memory_order_acquire)) return *there;
    auto made = std::make_unique<Rare>();
    Rare* there = nullptr;
    return rare_.compare_exchange_strong(there, made.get(), std::memory_order_acq_rel)
               ? *made.release()
               : *there;
}

void Step::set_numbers(std::span<const int> operands, std::span<const int> scalars) {
    numbers_ = std::make_unique_for_overwrite<int[]>(operands.size() + scalars.size());
    std::ranges::copy(scalars, std::ranges::copy(operands, numbers_.get()).out);
    operand_count_ = uint32_t(operands.size());
    scalar_count_ = uint32_t(scalars.size());
}

size_t Step::bytes() const {
    size_t bytes = sizeof(Step) + (operand_count_ + scalar_count_) * sizeof(int);
    if (rare)
        bytes += sizeof(Rare) + rare->inputs.size() * sizeof(Input) +
                 rare->cells.size() * sizeof(rare->cells[0]);
    return bytes;
}

Tree::Tree(std::vector<Type> types, std::shared_ptr<KnownSizes> known)
    : arguments(std::move(types)), sizes(std::move(known)) {
    root.arguments = int(arguments.size());
}
Tree::~Tree() = default;

const Type* Tree::kept(std::span<const Type> types) {
    if (types.empty()) return nullptr;
    const uint64_t hash = hash_of(types);
    std::lock_guard lock(kept_mutex_);
    const auto [first, last] = types_.equal_range(hash);
    for (auto known = first; known != last; ++known)
        if (std::ranges::equal(known->second, types)) return known->second.data();
    bytes_ += types.size() * sizeof(Type);
    return types_.emplace(hash, std::vector<Type>(types.begin(), types.end()))->second.data();
}

const Step::Call* Tree::kept(const RecordedCall& call, Device& device,
                             std::span<const Type> outputs) {
    const Type* types = kept(outputs);
    const uint64_t hash =
        call.hash() ^ uint64_t(reinterpret_cast<uintptr_t>(types)) * 0x9E3779B97F4A7C15u;
    std::lock_guard lock(kept_mutex_);
    const auto [first, last] = calls_.equal_range(hash);
    for (auto known = first; known != last; ++known)
        if (known->second.output_types == types && known->second.device == &device &&
            known->second == call)
            return &known->second;
    bytes_ += sizeof(Step::Call);
    return &calls_.emplace(hash, Step::Call{call, &device, types})->second;
}

Place::Rare& Tree::rare(Place& place) {
    if (!place.has_rare()) bytes_ += sizeof(Place::Rare);
    return place.rare();
}

Step& Tree::add(Place& place, std::unique_ptr<Step> made) {
    bytes_ += made->bytes();
    append(place.steps, made.get());
    return *steps_.emplace_back(std::move(made));
}

Ending& Tree::add(Place& place, std::unique_ptr<Ending> made) {
    bytes_ += sizeof(Ending) + made->alive.size() * sizeof(int);
    append(rare(place).endings, made.get());
    return *endings_.emplace_back(std::move(made));
}

void Tree::add(Place& place, Outgrowth::Kind kind, std::unique_ptr<Outgrowth> made) {
    bytes_ += made->bytes();
    append(rare(place).grown[size_t(kind)], made.get());
    grown_.push_back(std::move(made));
}

std::vector<const Step*> steps_to(const Step* last) {
    std::vector<const Step*> steps;
    for (const Step* step = last; step; step = step->previous) steps.push_back(step);
    std::reverse(steps.begin(), steps.end());
    return steps;
}

}  // namespace catena::capture
