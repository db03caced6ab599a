// Calls that all ranks make together.
#include "runtime/comm/communicator_turns.h"

namespace catena {
namespace {

Block block_of(const Array& x) { return {const_cast<void*>(x.elements()), byte_count(x.type())}; }

/// Memory for an array that another rank sends.
Array array_to_receive(const Type& type) { return Array::empty(type, cpu_device()); }

std::vector<Array> all_on_host(std::span<const Array> xs) {
    std::vector<Array> data;
    for (const Array& x : xs) data.push_back(on_host(x));
    return data;
}

}  // namespace

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
        xs.push_back(on_host(x));
    }
    return in_turn(terms.call, [&] {
        const Meeting met = meet(terms, xs);
        Array y = xs.empty() ? array_to_receive(met.common) : xs[0], kept = y;
        or_break_off([&] { count(collectives().broadcast(terms.call, terms.root, block_of(y))); },
                     kept);
        return y;
    });
}

Array Communicator::bcast(const Array& x, int root) {
    return bcast_as({.call = "bcast", .gives = Gives::of_root, .root = root}, x);
}

std::vector<Array> Communicator::gather(const Array& x, int root) {
    check_peer("gather", root);
    const std::vector<Array> xs{on_host(defined("gather", x, rank_))};
    return in_turn("gather", [&] {
        const Meeting met = meet({.call = "gather", .gives = Gives::one, .root = root}, xs);
        std::vector<Array> ys, kept = xs;
        std::vector<Block> blocks;
        for (int r = 0; r < size_; ++r) {
            if (met.type(r).dtype != x.dtype()) refuse_type("gather", x.type(), r, met.type(r));
            if (rank_ == root) ys.push_back(r == rank_ ? xs[0] : array_to_receive(met.type(r)));
            blocks.push_back(rank_ == root ? block_of(ys.back()) : Block{nullptr, met.bytes(r)});
        }
        blocks[size_t(rank_)] = block_of(xs[0]);
        kept.insert(kept.end(), ys.begin(), ys.end());
        or_break_off([&] { count(collectives().gather("gather", root, blocks)); }, kept);
        return ys;
    });
}

std::vector<Array> Communicator::all_gather_as(const Terms& terms, const Array& x) {
    const std::vector<Array> xs{on_host(x)};
    return in_turn(terms.call, [&] {
        const Meeting met = meet(terms, xs);
        std::vector<Array> ys;
        std::vector<Block> blocks;
        for (int r = 0; r < size_; ++r) {
            ys.push_back(r == rank_ ? xs[0] : array_to_receive(met.type(r)));
            blocks.push_back(block_of(ys.back()));
        }
        std::vector<Array> kept = ys;
        or_break_off([&] { count(collectives().all_gather(terms.call, blocks)); }, kept);
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
        ys.push_back(r == rank_ ? x : array_to_receive(meeting.type(r)));
        to_ranks.push_back(block_of(x));
        from_ranks.push_back(block_of(ys.back()));
    }
    std::vector<Array> kept = ys;
    kept.insert(kept.end(), xs.begin(), xs.end());
    or_break_off(
        [&] { count(collectives().all_to_all(terms.call, to_ranks, from_ranks, meeting.largest)); },
        kept);
    return ys;
}

std::vector<Array> Communicator::alltoall(std::span<const Array> xs) {
    if (int(xs.size()) != size_)
        fail<ValueError>("alltoall: {} arrays for {} ranks; give one for each", xs.size(), size_);
    for (const Array& x : xs) defined("alltoall", x, rank_);
    const std::vector<Array> data = all_on_host(xs);
    const Terms terms{.call = "alltoall", .gives = Gives::all_to_all};
    return in_turn("alltoall", [&] { return exchange(terms, meet(terms, data), data); });
}

Array Communicator::scatter(std::span<const Array> xs, int root) {
    check_peer("scatter", root);
    if (rank_ == root && int(xs.size()) != size_)
        fail<ValueError>("scatter: {} arrays for {} ranks; give one for each", xs.size(), size_);
    if (rank_ != root) xs = {};
    for (const Array& x : xs) defined("scatter", x, rank_);
    std::vector<Array> data = all_on_host(xs);
    return in_turn("scatter", [&] {
        const Meeting met =
            meet({.call = "scatter", .gives = Gives::of_root_to_all, .root = root}, data);
        const Array y = rank_ == root ? data[size_t(root)] : array_to_receive(met.type(rank_));
        std::vector<Block> blocks;
        for (int r = 0; r < size_; ++r)
            blocks.push_back(rank_ == root ? block_of(data[size_t(r)])
                                           : Block{nullptr, met.bytes(r)});
        blocks[size_t(rank_)] = block_of(y);
        std::vector<Array> kept = data;
        kept.push_back(y);
        or_break_off([&] { count(collectives().scatter("scatter", root, blocks)); }, kept);
        return y;
    });
}

void Communicator::barrier() {
    in_turn("barrier", [&] { meet({.call = "barrier"}, {}); });
}

}  // namespace catena
