// The check, before data is sent, that all ranks make the same call.
#include <algorithm>
#include <cstring>

#include "runtime/comm/communicator_turns.h"

namespace catena {
namespace {

const char* name_of_reduction(int reduction) {
    return Reduction(reduction) == Reduction::mean ? "mean" : "sum";
}

const char* name_of_sums(int sums) { return Sums(sums) == Sums::engine ? "engine" : "rank_order"; }

/// What type_of_bcast or type_of_scatter has begun must be the next call.
void check_early(const CommunicatorTerms& now, const CommunicatorTerms& begun) {
    if (std::strcmp(now.call, begun.call) != 0 || now.root != begun.root)
        fail<CommunicationError>(
            "{}: the type of {} with root {} was asked for, so it must be the next collective",
            title(now.call, now.label), begun.call, begun.root);
}

/// What one rank says of its call.
CommunicatorAgreement own_part(const CommunicatorEnvelope& envelope, std::span<const Array> xs) {
    CommunicatorAgreement own;
    own.envelope = envelope;
    for (const Array& x : xs) {
        own.types_differ = own.types_differ || !(x.type() == xs[0].type());
        own.largest = std::max(own.largest, uint64_t(byte_count(x.type())));
        own.on_host = own.on_host || x.device().is_host();
    }
    return own;
}

}  // namespace

void CommunicatorAgreement::combine(const CommunicatorAgreement& other) {
    const CommunicatorTerms& terms = envelope;
    CommunicatorContent &content = envelope.content, theirs = other.envelope.content;
    terms_differ = terms_differ || other.terms_differ || !(terms == other.envelope);
    types_differ = types_differ || other.types_differ ||
                   (!content.empty && !theirs.empty && !(content == theirs));
    on_host = on_host || other.on_host;
    largest = std::max(largest, other.largest);
    if (content.empty) content = theirs;
}

Communicator::Envelope Communicator::envelope(const Terms& terms, const Type* type) const {
    Envelope e;
    if (terms.label.size() >= sizeof e.label)
        fail<ValueError>("{}: the label '{}' has {} characters, the maximum is {}", terms.call,
                         terms.label, terms.label.size(), sizeof e.label - 1);
    std::strncpy(e.call, terms.call, sizeof e.call - 1);
    terms.label.copy(e.label, sizeof e.label - 1);
    e.sequence = sequence_;
    e.gradients = terms.gradients;
    e.root = terms.root;
    if (terms.reduction) e.reduction = int8_t(*terms.reduction), e.sums = int8_t(sums());
    if (type) e.content = CommunicatorContent(*type);
    return e;
}

/// Makes the terms of all ranks known: in round k each rank gives what it knows to the rank 2^k
/// behind it. What is combined may be combined twice, so after log2(ranks) rounds all know the
/// same, whatever their number (Hensgen, Finkel and Manber, 1988).
Communicator::Meeting Communicator::meet(const Terms& terms, std::span<const Array> xs) {
    Background& b = *background_;
    const Envelope own = envelope(terms, xs.empty() ? nullptr : &xs[0].type());
    if (b.met_early) {
        check_early(own, b.early_terms);
        return *std::exchange(b.met_early, {});
    }
    // In vectors, which a failed transfer keeps.
    std::vector<CommunicatorAgreement> known{own_part(own, xs)}, theirs(1);
    for (int step = 1; step < size_; step *= 2) {
        std::vector<CommunicatorAgreement> sent = known;
        const Message out{(rank_ + step) % size_, sent.data(), sizeof sent[0]},
            in{(rank_ - step + size_) % size_, theirs.data(), sizeof theirs[0]};
        move(terms.call, -1, {&out, 1}, {&in, 1}, sent, theirs);
        known[0].combine(theirs[0]);
    }
    ++sequence_;
    const CommunicatorAgreement& all = known[0];
    if (all.terms_differ || (all.types_differ && terms.gives == Gives::equal))
        name_difference(own, all.terms_differ);
    Meeting meeting{.common = all.envelope.content.type(),
                    .largest = all.largest,
                    .is_near = !all.on_host && !near_device().is_host()};
    if (all.types_differ) meeting.types = exchange_types(terms, xs);
    return meeting;
}

void Communicator::name_difference(const Envelope& own, bool terms_differ) {
    std::vector<Envelope> mine(1, own), all(static_cast<size_t>(size_));
    std::vector<Message> sends, receives;
    for (int r = 0; r < size_; ++r) {
        if (r == rank_) continue;
        sends.push_back({r, mine.data(), sizeof own});
        receives.push_back({r, &all[size_t(r)], sizeof own});
    }
    move(own.call, -1, sends, receives, mine, all);
    for (int r = 0; r < size_; ++r) {
        const Envelope& theirs = all[size_t(r)];
        if (r == rank_) continue;
        if (terms_differ)
            check_terms(own, theirs, r);
        else if (!(theirs.content == own.content))
            refuse_type(own.call, own.content.type(), r, theirs.content.type());
    }
    CATENA_ASSERT(false, "the ranks differ, but no two of them");
}

std::vector<Type> Communicator::exchange_types(const Terms& terms, std::span<const Array> xs) {
    const size_t width = sizeof(CommunicatorContent);
    std::vector<CommunicatorContent> mine, all(static_cast<size_t>(size_));
    for (const Array& x : xs) mine.emplace_back(x.type());
    std::vector<Block> blocks, to_ranks;
    for (CommunicatorContent& each : all) blocks.push_back({&each, width});
    for (CommunicatorContent& each : mine) to_ranks.push_back({&each, width});
    or_break_off(
        [&] {
            if (terms.gives == Gives::all_to_all) {
                collectives().all_to_all(terms.call, to_ranks, blocks, width);
                all[size_t(rank_)] = mine[size_t(rank_)];
            } else if (terms.gives == Gives::of_root_to_all) {
                if (rank_ == terms.root) all = mine;
                collectives().broadcast(terms.call, terms.root, {all.data(), width * all.size()});
            } else {
                all[size_t(rank_)] = mine[0];
                collectives().all_gather(terms.call, blocks);
            }
        },
        mine, all);
    std::vector<Type> types;
    for (const CommunicatorContent& each : all) types.push_back(each.type());
    return types;
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
    if (theirs.sums != own.sums)
        fail<CommunicationError>(
            "{}: the order of sums is {} on rank {} and {} on rank {}; CommunicatorOptions::sums "
            "must be equal on all ranks",
            own.call, name_of_sums(own.sums), rank_, name_of_sums(theirs.sums), rank);
    if (theirs.gradients != own.gradients)
        fail<CommunicationError>(
            "{}: rank {} and rank {} send different gradients in collective {}; all ranks need "
            "gradients of the same "
            "parameters in the same order (MultiNodeOptimizerOptions::overlap = false sends in a "
            "fixed one)",
            own.call, rank_, rank, own.sequence);
}

void Communicator::refuse_type(const char* call, const Type& own, int rank,
                               const Type& theirs) const {
    auto text = fmt::format("{}: rank {} gives {}, rank {} gives {}", call, rank_, to_string(own),
                            rank, to_string(theirs));
    if (theirs.dtype != own.dtype) throw DtypeError(text);
    throw ShapeError(text);
}

}  // namespace catena
