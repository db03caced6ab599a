#include "frontend/parallel/optimizer/bucket.h"

#include <cstring>

#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/communication/communication.h"

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

Transfer start_transfer(Communicator& communicator, std::span<const Variable> gradients,
                        std::span<const std::string> paths, Dtype dtype, TransferPlace place) {
    const auto no_graph = no_backprop_mode();
    uint64_t label = uint64_t(place) + 1;
    for (const std::string& path : paths) label = mix(label, path + "\n");
    std::vector<Variable> nothing;
    if (paths.empty()) nothing.push_back(fill({dtype, {1}}, 0));
    const std::span<const Variable> sent = paths.empty() ? nothing : gradients;
    Transfer transfer;
    for (const Variable& gradient : sent) transfer.types.push_back(gradient.type());
    transfer.ticket = parallel::start_bucket(communicator, sent, dtype, int64_t(label));
    return transfer;
}

Variables wait_transfer(Communicator& communicator, const Transfer& transfer) {
    return parallel::wait_bucket(communicator, transfer.ticket, transfer.types);
}

}  // namespace catena
