#pragma once

#include <memory>
#include <string>

#include "runtime/comm/communicator.h"
#include "runtime/comm/shared_memory.h"

namespace catena {

/// Base of groups of processes: on one machine, collectives' small messages and the
/// all-reduces of transfer_buffer()s go through shared memory, everything else over the network.
/// CATENA_SHARED_MEMORY=0: everything goes over the network.
class ProcessCommunicator : public Communicator {
public:
    Array transfer_buffer(const Type& type) override;

protected:
    ProcessCommunicator(int rank, int size) : Communicator(rank, size) {}
    /// Called once by every rank when transfer_far() works.
    void find_neighbours_and_share(const std::string& machine);

    void transfer(const char* call, int tag, std::span<const Message> sends,
                  std::span<const Message> receives) override;
    void reduce_buffer(const char* call, const Array& buffer, Reduction reduction) override;
    /// Communicator::transfer over the network.
    virtual void transfer_far(const char* call, int tag, std::span<const Message> sends,
                              std::span<const Message> receives) = 0;
    /// Communicator::reduce_buffer over the network.
    virtual void reduce_far(const char* call, const Array& buffer, Reduction reduction) {
        Communicator::reduce_buffer(call, buffer, reduction);
    }
    /// Makes progress on the network for other ranks while this one waits; parameters and result as
    /// SharedMemory::Idle.
    virtual int make_progress(std::span<const int> late) = 0;
    void break_off(const std::string& reason, const std::shared_ptr<void>& memory) override;
    int lost_rank() override;
    /// Whether small messages of collectives go through shared memory.
    bool shares_memory() const { return shared_ != nullptr; }

private:
    /// The shared memory, when all ranks are on this machine; else null.
    std::unique_ptr<SharedMemory> shared_;
};

}  // namespace catena
