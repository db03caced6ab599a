// Calls that all ranks make together.
#include <cstring>

#include "runtime/comm/communicator_turns.h"
#include "runtime/core/array/sizes.h"

namespace catena {
namespace {

const char* name_of_reduction(int reduction) {
    return Reduction(reduction) == Reduction::mean ? "mean" : "sum";
}

/// What type_of_bcast or type_of_scatter has begun must be the next call.
template <class Envelope>
void check_early(const Envelope& now, const Envelope& begun) {
    if (std::strcmp(now.call, begun.call) != 0 || now.root != begun.root)
        fail<CommunicationError>(
            "{}: the type of {} with root {} was asked for, so it must be the next collective",
            title(now.call, now.label), begun.call, begun.root);
}

}  // namespace

std::vector<Communicator::Envelope> Communicator::meet(const Terms& terms,
                                                       std::span<const Array> xs) {
    std::vector<Envelope>& early = background_->met_early;
    if (!early.empty()) {
        check_early(envelope(terms, nullptr), background_->own_early);
        return std::exchange(early, {});
    }
    std::vector<Envelope> mine, theirs(static_cast<size_t>(size_));
    for (int r = 0; r < size_; ++r) {
        const Type* type =
            r < int(xs.size()) && xs[size_t(r)].defined() ? &xs[size_t(r)].type() : nullptr;
        mine.push_back(envelope(terms, type));
        mine.back().sequence = sequence_;
    }
    std::vector<Message> sends, receives;
    for (int r = 0; r < size_; ++r) {
        if (r == rank_) continue;
        sends.push_back({r, &mine[size_t(r)], sizeof(Envelope)});
        receives.push_back({r, &theirs[size_t(r)], sizeof(Envelope)});
    }
    theirs[size_t(rank_)] = mine[size_t(rank_)];
    move(terms.call, -1, sends, receives, mine, theirs);
    ++sequence_;
    for (int r = 0; r < size_; ++r) check_terms(theirs[size_t(rank_)], theirs[size_t(r)], r);
    return theirs;
}

void Communicator::check_terms(const Envelope& own, const Envelope& theirs, int rank) const {
    if (std::strcmp(theirs.call, own.call) != 0 || theirs.sequence != own.sequence)
        fail<CommunicationError>(
            "{} of rank {} (collective {}) meets {} of rank {} (collective {}); all ranks must "
            "make the same calls in the same order",
            title(own.call, own.label), rank_, own.sequence, title(theirs.call, theirs.label), rank,
            theirs.sequence);
    if (std::strcmp(theirs.label, own.label) != 0)
        fail<CommunicationError>(
            "{} of rank {} meets {} of rank {}; all ranks must make the same calls in the same "
            "order",
            title(own.call, own.label), rank_, title(theirs.call, theirs.label), rank);
    if (theirs.root != own.root)
        fail<CommunicationError>("{}: root is {} on rank {} and {} on rank {}", own.call, own.root,
                                 rank_, theirs.root, rank);
    if (theirs.reduction != own.reduction)
        fail<CommunicationError>("{}: rank {} asks for the {}, rank {} for the {}", own.call, rank_,
                                 name_of_reduction(own.reduction), rank,
                                 name_of_reduction(theirs.reduction));
    if (theirs.gradients != own.gradients)
        fail<CommunicationError>(
            "{}: rank {} and rank {} send different gradients in collective {}; all ranks need "
            "gradients of the same "
            "parameters in the same order (MultiNodeOptimizerOptions::overlap = false sends in a "
            "fixed one)",
            own.call, rank_, rank, own.sequence);
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

std::vector<Array> Communicator::exchange(const Terms& terms, std::span<const Array> xs,
                                          bool same_type) {
    const char* call = terms.call;
    std::vector<Array> data(static_cast<size_t>(size_));
    for (size_t r = 0; r < xs.size(); ++r)
        if (xs[r].defined()) data[r] = on_host(xs[r]);
    return in_turn(call, [&] {
        std::vector<Envelope> envelopes = meet(terms, data);
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
            if (x.defined())
                sends.push_back({r, const_cast<void*>(x.elements()), byte_count(x.type())});
            const Envelope& e = envelopes[size_t(r)];
            if (e.empty) continue;
            y = Array::empty(e.type(), cpu_device());
            receives.push_back({r, y.raw_data(), byte_count(y.type())});
        }
        move(call, -1, sends, receives, data, results);
        count(sends);
        return results;
    });
}

Type Communicator::type_from(const char* call, int root) {
    check_peer(call, root);
    return in_turn(call, [&] {
        Background& b = *background_;
        const Terms terms{.call = call, .root = root};
        if (!b.met_early.empty())
            check_early(envelope(terms, nullptr), b.own_early);
        else
            b.met_early = meet(terms, {});
        b.own_early = envelope(terms, nullptr);
        return b.met_early[size_t(root)].type();
    });
}

Type Communicator::type_of_bcast(int root) { return type_from("bcast", root); }
Type Communicator::type_of_scatter(int root) { return type_from("scatter", root); }

Array Communicator::bcast_as(const Terms& terms, const Array& x) {
    check_peer(terms.call, terms.root);
    std::vector<Array> xs;
    if (rank_ == terms.root) {
        if (!x.defined())
            fail<ValueError>("{}: the root (rank {}) gives no array", terms.call, terms.root);
        xs.assign(size_t(size_), x);
    }
    return exchange(terms, xs, false)[size_t(terms.root)];
}

Array Communicator::bcast(const Array& x, int root) {
    return bcast_as({.call = "bcast", .root = root}, x);
}

std::vector<Array> Communicator::gather(const Array& x, int root) {
    check_peer("gather", root);
    std::vector<Array> xs(static_cast<size_t>(size_));
    xs[size_t(root)] = defined("gather", x, rank_);
    std::vector<Array> ys = exchange({.call = "gather", .root = root}, xs, false);
    if (rank_ != root) return {};
    for (int r = 0; r < size_; ++r)
        if (ys[size_t(r)].dtype() != x.dtype())
            fail<DtypeError>("gather: rank {} gives {}, rank {} gives {}", rank_,
                             to_string(x.type()), r, to_string(ys[size_t(r)].type()));
    return ys;
}

std::vector<Array> Communicator::allgather(const Array& x) {
    return exchange({.call = "allgather"},
                    std::vector<Array>(size_t(size_), defined("allgather", x, rank_)), true);
}

std::vector<Array> Communicator::alltoall(std::span<const Array> xs) {
    if (int(xs.size()) != size_)
        fail<ValueError>("alltoall: {} arrays for {} ranks", xs.size(), size_);
    for (const Array& x : xs) defined("alltoall", x, rank_);
    return exchange({.call = "alltoall"}, xs, false);
}

Array Communicator::scatter(std::span<const Array> xs, int root) {
    check_peer("scatter", root);
    if (rank_ == root && int(xs.size()) != size_)
        fail<ValueError>("scatter: {} arrays for {} ranks", xs.size(), size_);
    if (rank_ != root) xs = {};
    for (const Array& x : xs) defined("scatter", x, rank_);
    return exchange({.call = "scatter", .root = root}, xs, false)[size_t(root)];
}

void Communicator::barrier() {
    in_turn("barrier", [&] { meet({.call = "barrier"}, {}); });
}

}  // namespace catena
