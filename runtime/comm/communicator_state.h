#pragma once

// What a Communicator holds beside what its users see.
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/comm/background.h"
#include "runtime/comm/communicator_statistics.h"
#include "runtime/core/array/array.h"

namespace catena {

/// The header of every message: the call and the type of the content.
struct CommunicatorEnvelope {
    char call[16] = {};
    char label[48] = {};
    int64_t sequence = 0;   ///< The number of the collective: all are counted.
    int64_t gradients = 0;  ///< The label that start_allreduce was given for its buffer.
    int32_t root = -1;
    int8_t reduction = -1;
    bool empty = true;  ///< True if no content follows.
    Dtype dtype = Dtype::float32;
    uint8_t rank = 0;
    int64_t dims[max_rank] = {};
    Type type() const { return {dtype, Shape(std::span(dims, rank))}; }
};

/// The thread for background transfers, and its tickets.
struct CommunicatorBackground {
    struct Request {
        Array buffer;
        bool done = false;
        std::exception_ptr error;
    };
    std::mutex mutex;
    std::condition_variable done;
    std::map<int64_t, Request> requests;
    int64_t tickets = 0;
    CommunicatorStatistics statistics;
    std::string failure;  ///< The first error of a transfer.
    /// Envelopes that type_of_recv has read ahead, by source and tag.
    std::map<std::pair<int, int>, CommunicatorEnvelope> opened;
    std::vector<CommunicatorEnvelope> met_early;  ///< Envelopes that type_of_bcast has read ahead.
    CommunicatorEnvelope own_early;  ///< The envelope that this rank has sent in that exchange.
    /// The thread, made at the first transfer in the background. It is destroyed before the other
    /// members.
    std::unique_ptr<BackgroundThread> thread;
};

}  // namespace catena
