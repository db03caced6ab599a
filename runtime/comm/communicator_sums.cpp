// Sums over the ranks, in the caller's turn.
#include <algorithm>

#include "runtime/comm/communicator_turns.h"
#include "runtime/comm/collectives/reduce.h"
#include "runtime/core/array/address.h"

namespace catena {

Array Communicator::allreduce(const Array& x, Reduction reduction) {
    check_reducible("allreduce", defined("allreduce", x, rank_).dtype(), reduction);
    check_usable("allreduce");
    Device& place = reaches(x.device()) ? x.device() : cpu_device();
    Array y = Array::empty(x.type(), place);
    copy_elements(x.to(place), y);
    filled(y);
    in_turn("allreduce", [&] {
        reduce_in_place({.call = "allreduce", .gives = Gives::equal, .reduction = reduction}, y);
        complete();
    });
    return y.to(x.device());
}

void Communicator::reduce_in_place(const Terms& terms, const Array& buffer) {
    meet(terms, {&buffer, 1});
    or_break_off([&] { reduce_buffer(terms.call, buffer, *terms.reduction); });
}

void Communicator::reduce_buffer(const char* call, const Array& buffer, Reduction reduction) {
    Array kept = buffer;
    const bool is_host = buffer.device().is_host();
    or_break_off(
        [&] {
            count((is_host ? collectives() : near_collectives())
                      .all_reduce(call, buffer.dtype(),
                                  is_host ? buffer.raw_data() : address_of(buffer), buffer.size(),
                                  reduction, sums()));
        },
        kept);
}

void Communicator::complete() {
    if (const Collectives::Completion wait = near_collectives().take_completion())
        or_break_off([&] { wait([this] { return lost_rank(); }); });
}

void Communicator::count_reduced(const Array& buffer) {
    const int64_t all = buffer.size(), width = int64_t(size_of(buffer.dtype()));
    const int64_t own = all * (rank_ + 1) / size_ - all * rank_ / size_;
    count((all - own + own * (size_ - 1)) * width);
}

bool Communicator::reaches(const Device& device) const {
    return device.is_host() || &device == &near_device();
}

Array Communicator::transfer_buffer(const Type& type) { return Array::empty(type, cpu_device()); }

Array Communicator::transfer_buffer(const Type& type, Device& device) {
    return reaches(device) && !device.is_host() ? Array::empty(type, device)
                                                : transfer_buffer(type);
}

Array Communicator::reduce_scatter(std::span<const Array> xs, Reduction reduction) {
    if (int(xs.size()) != size_)
        fail<ValueError>("reduce_scatter: {} arrays for {} ranks; give one for each", xs.size(),
                         size_);
    for (const Array& x : xs)
        check_reducible("reduce_scatter", defined("reduce_scatter", x, rank_).dtype(), reduction);
    const std::vector<Array> data = parts_to_add(xs);
    const Terms terms{.call = "reduce_scatter", .gives = Gives::all_to_all, .reduction = reduction};
    return in_turn("reduce_scatter", [&] {
        const Meeting met = meet(terms, data);
        return met.types.empty() ? reduce_scatter_equal(terms, met, data)
                                 : reduce_scatter_others(terms, met, data);
    });
}

std::vector<Array> Communicator::parts_to_add(std::span<const Array> xs) const {
    const auto is_addable = [&](const Array& x) {
        return &x.device() == &near_device() && x.type() == xs[0].type() && adds_near(x.dtype());
    };
    std::vector<Array> parts;
    if (near_device().is_host() || !std::ranges::all_of(xs, is_addable)) {
        for (const Array& x : xs) parts.push_back(on_host(x));
        return parts;
    }
    parts = arrays_in_a_row(xs[0].type(), size_, near_device());
    for (size_t r = 0; r < parts.size(); ++r) copy_elements(xs[r], parts[r]);
    return parts;
}

/// Arrays that have one type, on all ranks.
Array Communicator::reduce_scatter_equal(const Terms& terms, const Meeting& met,
                                         std::span<const Array> xs) {
    Array y = Array::empty(xs[0].type(), place_of(met));
    std::vector<Block> parts;
    std::vector<Array> kept{y};
    for (const Array& x : xs) {
        kept.push_back(x.to(place_of(met)));
        parts.push_back({address_of(kept.back()), byte_count(x.type())});
    }
    if (met.is_near) filled(kept[1]);
    collect(
        met,
        [&](Collectives& by) {
            return by.reduce_scatter(terms.call, y.dtype(), parts, {address_of(y), parts[0].bytes},
                                     *terms.reduction, sums());
        },
        kept);
    return y;
}

/// Arrays of several types. Those for one rank may differ, which is an error on that rank alone: so
/// all send theirs first.
Array Communicator::reduce_scatter_others(const Terms& terms, const Meeting& met,
                                          std::span<const Array> xs) {
    std::vector<Array> here;
    for (const Array& x : xs) here.push_back(x.to(place_of(met)));
    std::vector<Array> pieces = exchange(terms, met, here);
    for (Array& piece : pieces) piece = on_host(piece);
    std::vector<const void*> parts;
    for (int r = 0; r < size_; ++r) {
        const Array &p = pieces[size_t(r)], &own = pieces[size_t(rank_)];
        if (!(p.type() == own.type()))
            fail<ShapeError>(
                "reduce_scatter: what rank {} sums is {} here, what rank {} sums is {}; all should "
                "be alike",
                rank_, to_string(own.type()), r, to_string(p.type()));
        parts.push_back(p.elements());
    }
    Array y = Array::empty(pieces[0].type(), cpu_device());
    reduce_parts(terms.call, y.dtype(), parts, y.raw_data(), y.size(), *terms.reduction);
    return y;
}

}  // namespace catena
