// Calls that all ranks make together.
#include <cstring>

#include "runtime/comm/communicator_turns.h"

namespace catena {

std::vector<Communicator::Envelope> Communicator::meet(const char* call, int root,
                                                       std::span<const Array> xs, int64_t label) {
    if (!met_early_.empty()) return std::exchange(met_early_, {});
    std::vector<Envelope> mine, theirs(static_cast<size_t>(size_));
    for (int r = 0; r < size_; ++r) {
        const Type* type =
            r < int(xs.size()) && xs[size_t(r)].defined() ? &xs[size_t(r)].type() : nullptr;
        mine.push_back(envelope(call, type));
        mine.back().sequence = sequence_;
        mine.back().root = root;
        mine.back().label = label;
    }
    std::vector<Message> sends, receives;
    for (int r = 0; r < size_; ++r) {
        if (r == rank_) continue;
        sends.push_back({r, &mine[size_t(r)], sizeof(Envelope)});
        receives.push_back({r, &theirs[size_t(r)], sizeof(Envelope)});
    }
    theirs[size_t(rank_)] = mine[size_t(rank_)];
    transfer(call, -1, sends, receives);
    ++sequence_;
    for (int r = 0; r < size_; ++r) {
        const Envelope &e = theirs[size_t(r)], &own = mine[size_t(r)];
        if (std::strcmp(e.call, own.call) != 0 || e.sequence != own.sequence)
            fail<CommunicationError>(
                "{} of rank {} (collective {}) meets {} of rank {} (collective {}); all ranks "
                "must make the same calls in the same order",
                call, rank_, own.sequence, e.call, r, e.sequence);
        if (e.root != root)
            fail<CommunicationError>("{}: root is {} on rank {} and {} on rank {}", call, root,
                                     rank_, e.root, r);
        if (e.label != label)
            fail<CommunicationError>(
                "{}: rank {} and rank {} send different gradients in collective {}; their graphs "
                "differ (MultiNodeOptimizerOptions::overlap = false sends in a fixed order)",
                call, rank_, r, own.sequence);
    }
    return theirs;
}

void Communicator::expect_same_type(const char* call, std::span<const Envelope> envelopes,
                                    const Type& own) const {
    for (int r = 0; r < int(envelopes.size()); ++r) {
        Type type = envelopes[size_t(r)].type();
        if (envelopes[size_t(r)].empty || type == own) continue;
        auto text = fmt::format("{}: rank {} gives {}, rank {} gives {}", call, rank_,
                                to_string(own), r, to_string(type));
        if (type.dtype != own.dtype) throw DtypeError(text);
        throw ShapeError(text);
    }
}

std::vector<Array> Communicator::exchange(const char* call, int root, std::span<const Array> xs,
                                          bool same_type) {
    std::vector<Array> data(static_cast<size_t>(size_));
    for (size_t r = 0; r < xs.size(); ++r)
        if (xs[r].defined()) data[r] = on_host(xs[r]);
    return in_turn(call, [&] {
        std::vector<Envelope> envelopes = meet(call, root, data);
        if (same_type)
            for (const Array& x : data)
                if (x.defined()) expect_same_type(call, envelopes, x.type());
        std::vector<Array> results(static_cast<size_t>(size_));
        std::vector<Message> sends, receives;
        for (int r = 0; r < size_; ++r) {
            const Array& x = data[size_t(r)];
            Array& y = results[size_t(r)];
            if (r == rank_) {
                y = x;
                continue;
            }
            if (x.defined()) sends.push_back({r, x.raw_data(), bytes_of(x.type())});
            const Envelope& e = envelopes[size_t(r)];
            if (e.empty) continue;
            y = Array::empty(e.type(), cpu_device());
            receives.push_back({r, y.raw_data(), bytes_of(y.type())});
        }
        transfer(call, -1, sends, receives);
        count(sends);
        return results;
    });
}

Type Communicator::type_from(const char* call, int root) {
    check_peer(call, root);
    return in_turn(call, [&] {
        if (met_early_.empty()) met_early_ = meet(call, root, {});
        return met_early_[size_t(root)].type();
    });
}

Type Communicator::type_of_bcast(int root) { return type_from("bcast", root); }
Type Communicator::type_of_scatter(int root) { return type_from("scatter", root); }

Array Communicator::bcast(const Array& x, int root) {
    check_peer("bcast", root);
    std::vector<Array> xs;
    if (rank_ == root) {
        if (!x.defined()) fail<ValueError>("bcast: the root (rank {}) gives no array", root);
        xs.assign(size_t(size_), x);
    }
    return exchange("bcast", root, xs, false)[size_t(root)];
}

std::vector<Array> Communicator::gather(const Array& x, int root) {
    check_peer("gather", root);
    std::vector<Array> xs(static_cast<size_t>(size_));
    xs[size_t(root)] = x;
    std::vector<Array> ys = exchange("gather", root, xs, false);
    if (rank_ != root) return {};
    for (int r = 0; r < size_; ++r)
        if (ys[size_t(r)].dtype() != x.dtype())
            fail<DtypeError>("gather: rank {} gives {}, rank {} gives {}", rank_,
                             to_string(x.type()), r, to_string(ys[size_t(r)].type()));
    return ys;
}

std::vector<Array> Communicator::allgather(const Array& x) {
    return exchange("allgather", -1, std::vector<Array>(size_t(size_), x), true);
}

std::vector<Array> Communicator::alltoall(std::span<const Array> xs) {
    if (int(xs.size()) != size_)
        fail<ValueError>("alltoall: {} arrays for {} ranks", xs.size(), size_);
    return exchange("alltoall", -1, xs, false);
}

Array Communicator::scatter(std::span<const Array> xs, int root) {
    check_peer("scatter", root);
    if (rank_ == root && int(xs.size()) != size_)
        fail<ValueError>("scatter: {} arrays for {} ranks", xs.size(), size_);
    return exchange("scatter", root, rank_ == root ? xs : std::span<const Array>(),
                    false)[size_t(root)];
}

void Communicator::barrier() {
    in_turn("barrier", [&] { meet("barrier", -1, {}); });
}

}  // namespace catena
