#include "frontend/parallel/optimizer/bucket.h"

#include <cstring>
#include <deque>
#include <utility>

#include "runtime/core/array/sizes.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/communication/communication.h"
#include "runtime/ops/communication/parts.h"

namespace catena {

uint64_t mix(uint64_t hash, const void* data, size_t bytes) {
    const auto* p = static_cast<const unsigned char*>(data);
    for (; bytes >= 8; p += 8, bytes -= 8) {
        uint64_t word;
        std::memcpy(&word, p, 8);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    for (; bytes > 0; ++p, --bytes) hash = (hash ^ *p) * 0x100000001B3u;
    return hash;
}

namespace {

Type type_of_part(const Communicator& communicator, const Variable& whole) {
    return {whole.dtype(),
            {part_of_rank(whole.size(), communicator.rank(), communicator.size()).size}};
}

/// Parts that are sent together.
struct Gathering {
    std::vector<Type> wholes;
    Variable ticket;
};

Gathering start_gathering(Communicator& communicator, std::span<const PartToGather> parts) {
    Gathering gathering;
    Variables sent;
    uint64_t label = 1;
    for (const PartToGather& each : parts) {
        label = mix(label, *each.path + "\n");
        sent.push_back(each.part);
        gathering.wholes.push_back(each.whole);
    }
    gathering.ticket = parallel::start_gather(communicator, sent, gathering.wholes, int64_t(label));
    return gathering;
}

/// How many of the first can be sent together.
size_t count_alike(std::span<const PartToGather> parts, int64_t most_bytes) {
    int64_t bytes = 0;
    size_t count = 0;
    for (; count < parts.size() && (count == 0 || bytes < most_bytes); ++count) {
        if (parts[count].whole.dtype != parts[0].whole.dtype ||
            &parts[count].part.device() != &parts[0].part.device())
            break;
        bytes += int64_t(byte_count(parts[count].whole));
    }
    return count;
}

}  // namespace

Transfer start_transfer(Communicator& communicator, std::span<const Variable> gradients,
                        std::span<const std::string> paths, Dtype dtype, TransferPlace place,
                        Means means) {
    const auto no_graph = no_backprop_mode();
    uint64_t label = uint64_t(place) + 1;
    for (const std::string& path : paths) label = mix(label, path + "\n");
    std::vector<Variable> nothing;
    if (paths.empty()) nothing.push_back(fill({dtype, {1}}, 0));
    const std::span<const Variable> sent = paths.empty() ? nothing : gradients;
    Transfer transfer;
    for (const Variable& gradient : sent)
        transfer.types.push_back(means == Means::whole ? gradient.type()
                                                       : type_of_part(communicator, gradient));
    transfer.ticket = means == Means::whole
                          ? parallel::start_bucket(communicator, sent, dtype, int64_t(label))
                          : parallel::start_parts(communicator, sent, dtype, int64_t(label));
    return transfer;
}

Variables wait_transfer(Communicator& communicator, const Transfer& transfer) {
    return parallel::wait_bucket(communicator, transfer.ticket, transfer.types);
}

/// While some arrive, the next are on their way.
Variables gather_parts(Communicator& communicator, std::span<const PartToGather> parts,
                       int64_t bytes) {
    const auto no_graph = no_backprop_mode();
    constexpr size_t most_on_their_way = 2;
    std::deque<Gathering> on_their_way;
    Variables wholes;
    const auto receive = [&] {
        const Gathering& first = on_their_way.front();
        for (Variable& whole : parallel::wait_gather(communicator, first.ticket, first.wholes))
            wholes.push_back(std::move(whole));
        on_their_way.pop_front();
    };
    while (!parts.empty()) {
        const size_t count = count_alike(parts, bytes);
        if (on_their_way.size() == most_on_their_way) receive();
        on_their_way.push_back(start_gathering(communicator, parts.first(count)));
        parts = parts.subspan(count);
    }
    while (!on_their_way.empty()) receive();
    return wholes;
}

}  // namespace catena
