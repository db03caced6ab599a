#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/comm/communicator.h"

namespace catena {

/// Memory shared by the processes of one machine, for their small
/// messages and all-reduces. It has no name in the file system
/// (memfd_create; others open it under /proc), so a killed process leaves
/// no file behind.
class SharedMemory {
public:
    /// The largest message of `transfer`, in bytes.
    static constexpr size_t largest_message = 2048;
    static constexpr int largest_group = 64;
    using AllGather = std::function<std::vector<std::string>(const std::string&)>;
    /// Makes the memory; called by every rank. Null on all ranks if one cannot access another's
    /// memory.
    static std::unique_ptr<SharedMemory> create(int rank, int size, const AllGather& allgather);
    virtual ~SharedMemory() = default;

    using Message = Communicator::Message;
    /// A function called periodically while a transfer waits for these ranks. Returns one that is
    /// gone, or -1.
    using Idle = std::function<int(std::span<const int> late)>;
    /// Transfers small messages, as Communicator::transfer. CommunicationError that names the ranks
    /// for which it has waited communication_timeout() seconds, or the one that is gone.
    virtual void transfer(const char* call, std::span<const Message> sends,
                          std::span<const Message> receives, const Idle& idle) = 0;
    /// Sums the ranks' buffers into all of them. False, without effect and on all ranks alike, when
    /// one of them is not from shared_array(), or cannot be mapped by another rank.
    virtual bool reduce(const char* call, const Array& buffer, Reduction reduction,
                        const Idle& idle) = 0;
    /// Makes everything that other ranks wait for from this rank fail at once; called after an
    /// error.
    virtual void break_off() = 0;
};

}  // namespace catena
