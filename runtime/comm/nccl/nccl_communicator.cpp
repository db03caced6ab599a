// Groups of processes with a GPU each, by NCCL. What is not an array on these GPUs (what is called,
// small messages, NCCL's own meeting point) goes through the communicator that this one stands on:
// MPI's, or that of processes that meet by TCP (host_communicator).
#include <algorithm>
#include <cstdlib>

#include "runtime/comm/create.h"
#include "runtime/comm/nccl/library.h"
#include "runtime/comm/nccl/nccl_collectives.h"
#include "runtime/comm/nccl/nccl_group.h"
#include "runtime/core/array/address.h"
#include "runtime/core/array/code_device.h"

namespace catena {
namespace {

class NcclCommunicator final : public Communicator {
public:
    NcclCommunicator(std::shared_ptr<Communicator> host, CodeDevice& device)
        : Communicator(host->rank(), host->size()),
          host_(std::move(host)),
          device_(device),
          group_(std::make_shared<NcclGroup>(device, rank())),
          collectives_(group_, rank(), size(), [this] { return lost_rank(); }) {
        find_neighbours_as(*host_);
        group_->join(meet_at(), size(), [this] { return lost_rank(); });
    }
    ~NcclCommunicator() override {
        close();
        group_->abort();
    }
    std::string name() const override { return "nccl"; }
    [[noreturn]] void abort(int status, const std::string& reason) override {
        host_->abort(status, reason);
        std::abort();  // Not reached: a virtual function's promise is not seen through a pointer.
    }

protected:
    std::shared_ptr<Communicator> make_group(int color, int key) override {
        std::shared_ptr<Communicator> part = host_->split(color, key);
        return part ? std::make_shared<NcclCommunicator>(std::move(part), device_) : nullptr;
    }
    void transfer(const char* call, int tag, std::span<const Message> sends,
                  std::span<const Message> receives) override {
        transfer_by(*host_, call, tag, sends, receives);
    }
    Collectives& collectives() override { return collectives_of(*host_); }
    Device& near_device() const override { return device_; }
    Collectives& near_collectives() override { return collectives_; }
    bool adds_near(Dtype dtype) const override {
        return nccl_type(dtype) && sums() == Sums::engine;
    }
    Sums usual_sums() const override { return Sums::engine; }
    void break_off(const std::string& reason, const std::shared_ptr<void>& memory) override {
        group_->abort();
        break_off_by(*host_, reason, memory);
    }
    int largest_tag() const override { return largest_tag_of(*host_); }
    int lost_rank() override { return lost_rank_of(*host_); }
    void leave() override {
        host_->barrier();  // No rank is in the middle of a sum.
        group_->abort();
        host_->finalize();
    }

    /// The sum must wait for what fills the buffer, not for what this thread asks the device for
    /// until the sum's turn comes.
    void filled(const Array& buffer) override {
        if (!buffer.device().is_host() && buffer.size() > 0 && adds_near(buffer.dtype()))
            collectives_.filled(address_of(buffer));
    }

    void reduce_buffer(const char* call, const Array& buffer, Reduction reduction) override {
        if (buffer.size() == 0) return;
        if (buffer.device().is_host() == !adds_near(buffer.dtype()))
            return Communicator::reduce_buffer(call, buffer, reduction);
        if (buffer.device().is_host()) {
            const Array there = buffer.to(device_);
            filled(there);
            Communicator::reduce_buffer(call, there, reduction);
            complete();
            device_.copy_to_host(there, buffer.raw_data());
        } else {
            const Array here = buffer.to(cpu_device());
            Communicator::reduce_buffer(call, here, reduction);
            device_.copy_from_host(here.elements(), buffer);
        }
    }

private:
    /// NCCL's unique id from rank 0; all ranks fail if rank 0 cannot create it.
    ncclUniqueId meet_at() {
        ncclUniqueId id{};
        std::string text;
        if (rank() == 0) {
            const ncclResult_t result = nccl_library().ncclGetUniqueId(&id);
            text = result == ncclSuccess ? std::string(id.internal, sizeof id.internal)
                                         : group_->words(result);
        }
        text = host_->bcast_bytes(text, 0, "the id of NCCL");
        if (text.size() != sizeof id.internal)
            fail<CommunicationError>(
                "create_communicator(pure_nccl): rank 0: NCCL: creating an id: {}", text);
        std::copy(text.begin(), text.end(), id.internal);
        return id;
    }

    std::shared_ptr<Communicator> host_;
    CodeDevice& device_;
    std::shared_ptr<NcclGroup> group_;
    NcclCollectives collectives_;
};

/// This rank's GPU: its place among the ranks of the machine.
CodeDevice& find_device(Device* wanted, const Communicator& host) {
    if (const std::string& complaint = nccl_library().complaint; !complaint.empty())
        fail<DeviceError>("NCCL cannot be used: {}", complaint);
    Device& device = wanted ? *wanted : device_of_rank(host);
    auto* code_device = dynamic_cast<CodeDevice*>(&device);
    if (!code_device) fail<DeviceError>("{} is no GPU; give cuda:0, cuda:1, ...", device.name());
    return *code_device;
}

/// Chooses the GPU of each rank: all ranks have theirs, or all throw what keeps one of them.
CodeDevice& choose_device(Device* wanted, Communicator& host) {
    CodeDevice* device = nullptr;
    std::string complaint;
    try {
        device = &find_device(wanted, host);
    } catch (const std::exception& error) {
        complaint = error.what();
    }
    const std::vector<std::string> complaints =
        host.allgather_bytes(complaint, "what is missing for pure_nccl");
    for (size_t r = 0; r < complaints.size(); ++r)
        if (!complaints[r].empty())
            fail<DeviceError>("create_communicator(pure_nccl): rank {}: {}", r, complaints[r]);
    return *device;
}

}  // namespace

extern "C" Communicator* catena_nccl_communicator_3(Device* device) {
    std::shared_ptr<Communicator> host = create_communicator(host_communicator());
    CodeDevice& gpu = choose_device(device, *host);
    return new NcclCommunicator(std::move(host), gpu);
}

}  // namespace catena
