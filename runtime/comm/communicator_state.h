#pragma once

// What a Communicator holds beside what its users see.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/comm/background.h"
#include "runtime/comm/collectives/collectives.h"
#include "runtime/comm/communicator_statistics.h"
#include "runtime/core/array/array.h"
#include "runtime/core/array/sizes.h"

namespace catena {

/// The type of an array, as it is sent.
struct CommunicatorContent {
    CommunicatorContent() = default;
    explicit CommunicatorContent(const Type& type)
        : empty(false), dtype(type.dtype), rank(uint8_t(type.shape.rank())) {
        std::copy(type.shape.begin(), type.shape.end(), dims);
    }
    bool empty = true;  ///< True if there is no array.
    Dtype dtype = Dtype::float32;
    uint8_t rank = 0;
    int64_t dims[max_rank] = {};
    Type type() const { return {dtype, Shape(std::span(dims, rank))}; }
    bool operator==(const CommunicatorContent&) const = default;
};

/// The facts about a call that must be equal on all ranks, as they are sent.
struct CommunicatorTerms {
    char call[16] = {};
    char label[48] = {};
    int64_t sequence = 0;   ///< The number of the collective: all are counted.
    int64_t gradients = 0;  ///< The label that start_allreduce was given for its buffer.
    int32_t root = -1;
    int8_t reduction = -1;
    int8_t sums = -1;
    bool operator==(const CommunicatorTerms&) const = default;
};

/// The header of every message: the call and the type of the content.
struct CommunicatorEnvelope : CommunicatorTerms {
    CommunicatorContent content;
};

/// What some of the ranks say of a call, combined.
struct CommunicatorAgreement {
    CommunicatorEnvelope envelope;
    bool terms_differ = false;
    bool types_differ = false;
    bool on_host = false;  ///< Of the arrays some are on the host.
    uint64_t largest = 0;  ///< The bytes of the largest array.
    void combine(const CommunicatorAgreement& other);
};

/// What a rank knows of a call that all ranks make.
struct CommunicatorMeeting {
    Type common;  ///< The type of all arrays, unless `types` has them one by one.
    std::vector<Type> types;
    uint64_t largest = 0;
    bool is_near = false;  ///< All arrays are on the ranks' near_device().
    const Type& type(int rank) const { return types.empty() ? common : types[size_t(rank)]; }
    size_t bytes(int rank) const { return byte_count(type(rank)); }
};

/// The thread for background transfers, and its tickets.
struct CommunicatorBackground {
    using Clock = std::chrono::steady_clock;
    struct Request {
        Array buffer;
        Clock::time_point begun;
        bool done = false;
        std::exception_ptr error;
    };
    std::mutex mutex;
    std::condition_variable done;
    std::map<int64_t, Request> requests;
    int64_t tickets = 0;
    Clock::time_point last_done;  ///< When a request was done last: until then they were counted.
    CommunicatorStatistics statistics;
    std::string failure;  ///< The first error of a transfer.
    /// Envelopes that type_of_recv has read ahead, by source and tag.
    std::map<std::pair<int, int>, CommunicatorEnvelope> opened;
    /// The call that type_of_bcast has begun, and what is known of it.
    std::optional<CommunicatorMeeting> met_early;
    CommunicatorTerms early_terms;
    /// The collectives that are made of the communicator's transfer().
    std::unique_ptr<Collectives> collectives;
    std::optional<Sums> sums;
    int lost_rank = -1;               ///< What lost_rank_by_turn() has found.
    bool asks_for_lost_rank = false;  ///< It has asked, and got no answer yet.
    /// Waits for what `thread` has begun and is not done; made for buffers of a device. It is gone
    /// before `thread`, whose turns it needs.
    std::unique_ptr<BackgroundThread> completions;
    /// The thread, made at the first transfer in the background. It is destroyed before the other
    /// members.
    std::unique_ptr<BackgroundThread> thread;
};

}  // namespace catena
