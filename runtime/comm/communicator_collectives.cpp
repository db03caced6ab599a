// Calls that all ranks make together.
#include "runtime/comm/communicator_turns.h"
#include "runtime/core/array/address.h"
#include "runtime/core/array/pending.h"

namespace catena {
namespace {

Block block_of(const Array& x) { return {address_of(x), byte_count(x.type())}; }

/// The arrays at `place`.
std::vector<Array> all_at(Device& place, std::span<const Array> xs) {
    std::vector<Array> there;
    for (const Array& x : xs) there.push_back(x.to(place));
    return there;
}

}  // namespace

Array Communicator::within_reach(const Array& x) const {
    if (x.device().is_host() || !reaches(x.device())) return on_host(x);
    if (Pending* pending = x.body()->pending) pending->force(*x.body());
    return x.as_contiguous();
}

Device& Communicator::place_of(const Meeting& meeting) const {
    return meeting.is_near ? near_device() : cpu_device();
}

Type Communicator::type_from(const Terms& terms) {
    check_peer(terms.call, terms.root);
    return in_turn(terms.call, [&] {
        Background& b = *background_;
        Meeting met = meet(terms, {});
        b.early_terms = envelope(terms, nullptr);
        b.met_early = std::move(met);
        return b.met_early->type(rank_);
    });
}

Type Communicator::type_of_bcast(int root) {
    return type_from({.call = "bcast", .gives = Gives::of_root, .root = root});
}
Type Communicator::type_of_scatter(int root) {
    return type_from({.call = "scatter", .gives = Gives::of_root_to_all, .root = root});
}

Array Communicator::bcast_as(const Terms& terms, const Array& x) {
    check_peer(terms.call, terms.root);
    std::vector<Array> xs;
    if (rank_ == terms.root) {
        if (!x.defined())
            fail<ValueError>("{}: the root (rank {}) gives no array", terms.call, terms.root);
        xs.push_back(within_reach(x));
    }
    return in_turn(terms.call, [&] {
        const Meeting met = meet(terms, xs);
        Array y = xs.empty() ? Array::empty(met.common, place_of(met)) : xs[0], kept = y;
        collect(
            met, [&](Collectives& by) { return by.broadcast(terms.call, terms.root, block_of(y)); },
            kept);
        return y;
    });
}

Array Communicator::bcast(const Array& x, int root) {
    return bcast_as({.call = "bcast", .gives = Gives::of_root, .root = root}, x);
}

std::vector<Array> Communicator::gather(const Array& x, int root) {
    check_peer("gather", root);
    const std::vector<Array> given{within_reach(defined("gather", x, rank_))};
    return in_turn("gather", [&] {
        const Meeting met = meet({.call = "gather", .gives = Gives::one, .root = root}, given);
        const std::vector<Array> xs = all_at(place_of(met), given);
        std::vector<Array> ys, kept = xs;
        std::vector<Block> blocks;
        for (int r = 0; r < size_; ++r) {
            if (met.type(r).dtype != x.dtype()) refuse_type("gather", x.type(), r, met.type(r));
            if (rank_ == root)
                ys.push_back(r == rank_ ? xs[0] : Array::empty(met.type(r), place_of(met)));
            blocks.push_back(rank_ == root ? block_of(ys.back()) : Block{nullptr, met.bytes(r)});
        }
        blocks[size_t(rank_)] = block_of(xs[0]);
        kept.insert(kept.end(), ys.begin(), ys.end());
        collect(met, [&](Collectives& by) { return by.gather("gather", root, blocks); }, kept);
        return ys;
    });
}

std::vector<Array> Communicator::all_gather_as(const Terms& terms, const Array& x) {
    std::vector<Array> xs{within_reach(x)}, in_a_row;
    if (!xs[0].device().is_host()) {
        in_a_row = arrays_in_a_row(x.type(), size_, near_device());
        copy_elements(xs[0], in_a_row[size_t(rank_)]);
    }
    return in_turn(terms.call, [&] {
        const Meeting met = meet(terms, xs);
        std::vector<Array> ys = in_a_row;
        if (!met.is_near) {
            ys.clear();
            for (int r = 0; r < size_; ++r)
                ys.push_back(r == rank_ ? on_host(xs[0]) : Array::empty(met.type(r), cpu_device()));
        }
        std::vector<Block> blocks;
        for (const Array& y : ys) blocks.push_back(block_of(y));
        std::vector<Array> kept = ys;
        collect(met, [&](Collectives& by) { return by.all_gather(terms.call, blocks); }, kept);
        return ys;
    });
}

std::vector<Array> Communicator::allgather(const Array& x) {
    return all_gather_as({.call = "allgather", .gives = Gives::equal},
                         defined("allgather", x, rank_));
}

std::vector<Array> Communicator::exchange(const Terms& terms, const Meeting& meeting,
                                          std::span<const Array> xs) {
    std::vector<Array> ys;
    std::vector<Block> to_ranks, from_ranks;
    for (int r = 0; r < size_; ++r) {
        const Array& x = xs[size_t(r)];
        ys.push_back(r == rank_ ? x : Array::empty(meeting.type(r), place_of(meeting)));
        to_ranks.push_back(block_of(x));
        from_ranks.push_back(block_of(ys.back()));
    }
    std::vector<Array> kept = ys;
    kept.insert(kept.end(), xs.begin(), xs.end());
    collect(
        meeting,
        [&](Collectives& by) {
            return by.all_to_all(terms.call, to_ranks, from_ranks, meeting.largest);
        },
        kept);
    return ys;
}

std::vector<Array> Communicator::alltoall(std::span<const Array> xs) {
    if (int(xs.size()) != size_)
        fail<ValueError>("alltoall: {} arrays for {} ranks; give one for each", xs.size(), size_);
    std::vector<Array> data;
    for (const Array& x : xs) data.push_back(within_reach(defined("alltoall", x, rank_)));
    const Terms terms{.call = "alltoall", .gives = Gives::all_to_all};
    return in_turn("alltoall", [&] {
        const Meeting met = meet(terms, data);
        return exchange(terms, met, all_at(place_of(met), data));
    });
}

Array Communicator::scatter(std::span<const Array> xs, int root) {
    check_peer("scatter", root);
    if (rank_ == root && int(xs.size()) != size_)
        fail<ValueError>("scatter: {} arrays for {} ranks; give one for each", xs.size(), size_);
    if (rank_ != root) xs = {};
    std::vector<Array> given;
    for (const Array& x : xs) given.push_back(within_reach(defined("scatter", x, rank_)));
    return in_turn("scatter", [&] {
        const Meeting met =
            meet({.call = "scatter", .gives = Gives::of_root_to_all, .root = root}, given);
        const std::vector<Array> data = all_at(place_of(met), given);
        const Array y =
            rank_ == root ? data[size_t(root)] : Array::empty(met.type(rank_), place_of(met));
        std::vector<Block> blocks;
        for (int r = 0; r < size_; ++r)
            blocks.push_back(rank_ == root ? block_of(data[size_t(r)])
                                           : Block{nullptr, met.bytes(r)});
        blocks[size_t(rank_)] = block_of(y);
        std::vector<Array> kept = data;
        kept.push_back(y);
        collect(met, [&](Collectives& by) { return by.scatter("scatter", root, blocks); }, kept);
        return y;
    });
}

void Communicator::barrier() {
    in_turn("barrier", [&] { meet({.call = "barrier"}, {}); });
}

}  // namespace catena
