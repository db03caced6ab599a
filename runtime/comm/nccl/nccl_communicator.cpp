// Sums between GPUs by NCCL, one GPU a process. Everything else (what is called, small messages,
// NCCL's own meeting point) goes through the communicator that this one stands on: MPI's, or that
// of processes that meet by TCP (host_communicator).
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>

#include "runtime/comm/create.h"
#include "runtime/comm/nccl/library.h"
#include "runtime/comm/patience.h"
#include "runtime/core/array/address.h"
#include "runtime/core/array/code_device.h"

namespace catena {
namespace {

using Clock = std::chrono::steady_clock;

/// How long a sum may still take to complete here once a rank has gone, which may have had it
/// first.
constexpr auto grace = std::chrono::seconds(10);

std::optional<ncclDataType_t> nccl_type(Dtype dtype) {
    switch (dtype) {
        case Dtype::int8:
            return ncclInt8;
        case Dtype::uint8:
            return ncclUint8;
        case Dtype::int32:
            return ncclInt32;
        case Dtype::int64:
            return ncclInt64;
        case Dtype::float16:
            return ncclFloat16;
        case Dtype::bfloat16:
            return ncclBfloat16;
        case Dtype::float32:
            return ncclFloat32;
        case Dtype::float64:
            return ncclFloat64;
        default:
            return {};
    }
}

class NcclCommunicator final : public Communicator {
public:
    NcclCommunicator(std::shared_ptr<Communicator> host, CodeDevice& device)
        : Communicator(host->rank(), host->size()),
          host_(std::move(host)),
          device_(device),
          stream_(device.make_stream()) {
        find_neighbours_as(*host_);
        const ncclUniqueId id = meet_at();
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = 0;  // What waits is this class, which knows when to stop.
        stream_->handle();
        complete("create_communicator(pure_nccl)", "making a communicator",
                 nccl_.ncclCommInitRankConfig(&comm_, size(), id, rank(), &config));
    }
    ~NcclCommunicator() override {
        close();
        release();
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
    void break_off(const std::string& reason, const std::shared_ptr<void>& memory) override {
        release();
        break_off_by(*host_, reason, memory);
    }
    int largest_tag() const override { return largest_tag_of(*host_); }
    int lost_rank() override { return lost_rank_of(*host_); }
    void leave() override {
        host_->barrier();  // No rank is in the middle of a sum.
        release();
        host_->finalize();
    }

    bool reaches(const Device& device) const override {
        return device.is_host() || &device == &device_;
    }
    /// The sum must wait for what fills the buffer, not for what this thread asks the device for
    /// until the sum's turn comes.
    void filled(const Array& buffer) override {
        if (buffer.device().is_host() || buffer.size() == 0) return;
        auto mark = device_.mark();
        std::lock_guard lock(mutex_);
        marks_[address_of(buffer)] = std::move(mark);
    }

    void reduce_buffer(const char* call, const Array& buffer, Reduction reduction) override {
        const std::optional<ncclDataType_t> type = nccl_type(buffer.dtype());
        if (!type) return reduce_on_host(call, buffer, reduction);
        if (buffer.size() == 0) return;
        // Means by NCCL divide before they add, so that sums of halves do not overflow.
        const ncclRedOp_t op = reduction == Reduction::mean ? ncclAvg : ncclSum;
        if (buffer.device().is_host()) {
            Array there = Array::empty(buffer.type(), device_);
            device_.copy_from_host(buffer.raw_data(), there);
            add(call, there, *type, op, *device_.mark());
            device_.copy_to_host(there, buffer.raw_data());
        } else {
            add(call, buffer, *type, op, *mark_of(buffer));
        }
        count_reduced(buffer);
    }

private:
    /// NCCL's unique id from rank 0; all ranks fail if rank 0 cannot create it.
    ncclUniqueId meet_at() {
        ncclUniqueId id{};
        std::string text;
        if (rank() == 0) {
            const ncclResult_t result = nccl_.ncclGetUniqueId(&id);
            text = result == ncclSuccess ? std::string(id.internal, sizeof id.internal)
                                         : words(result);
        }
        text = host_->bcast_bytes(text, 0, "the id of NCCL");
        if (text.size() != sizeof id.internal)
            fail<CommunicationError>(
                "create_communicator(pure_nccl): rank 0: NCCL: creating an id: {}", text);
        std::copy(text.begin(), text.end(), id.internal);
        return id;
    }

    /// Sums that NCCL does not support: int16.
    void reduce_on_host(const char* call, const Array& buffer, Reduction reduction) {
        const Array host = buffer.to(cpu_device());
        Communicator::reduce_buffer(call, host, reduction);
        if (!buffer.device().is_host()) copy_elements(host, buffer);
    }

    std::unique_ptr<CodeDevice::Mark> mark_of(const Array& buffer) {
        std::lock_guard lock(mutex_);
        auto found = marks_.find(address_of(buffer));
        CATENA_ASSERT(found != marks_.end(), "an array to be reduced was not announced");
        auto mark = std::move(found->second);
        marks_.erase(found);
        return mark;
    }

    void add(const char* call, const Array& x, ncclDataType_t type, ncclRedOp_t op,
             const CodeDevice::Mark& full) {
        void* const data = address_of(x);
        stream_->wait_for(full);
        auto* stream = static_cast<cudaStream_t>(stream_->handle());
        const std::string what = fmt::format("ncclAllReduce of {}", to_string(x.type()));
        complete(call, what,
                 nccl_.ncclAllReduce(data, data, size_t(x.size()), type, op, comm_, stream));
        const auto done = stream_->mark();
        Watch watch;
        for (Patience patience; !done->is_reached();)
            if (patience.wait()) look_around(call, what, watch);
    }

    struct Watch {
        Clock::time_point start = Clock::now();
        Clock::time_point lost_at =
            Clock::time_point::max();  ///< A rank was first seen to be gone.
    };

    /// Waits for NCCL's asynchronous calls, and throws their errors.
    void complete(const char* call, const std::string& what, ncclResult_t result) {
        Watch watch;
        Patience patience;
        while (result == ncclInProgress) {
            if (patience.wait()) look_around(call, what, watch);
            ncclResult_t state = ncclSuccess;
            const ncclResult_t asked = nccl_.ncclCommGetAsyncError(comm_, &state);
            result = asked == ncclSuccess ? state : asked;
        }
        if (result != ncclSuccess) give_up(call, what + ": " + words(result));
    }

    /// Checks while waiting for others: asynchronous errors, lost ranks, timeout.
    void look_around(const char* call, const std::string& what, Watch& watch) {
        ncclResult_t state = ncclSuccess;
        const ncclResult_t asked = nccl_.ncclCommGetAsyncError(comm_, &state);
        const ncclResult_t result = asked == ncclSuccess ? state : asked;
        if (result != ncclSuccess && result != ncclInProgress)
            give_up(call, what + ": " + words(result));
        const Clock::time_point now = Clock::now();
        if (const int lost = lost_rank(); lost >= 0) {
            watch.lost_at = std::min(watch.lost_at, now);
            if (now - watch.lost_at > grace)
                give_up(call, fmt::format("{}: it waits for rank {}, which has left the group",
                                          what, lost));
        }
        if (std::chrono::duration<double>(now - watch.start).count() > communication_timeout())
            give_up(call, fmt::format("{}: it has waited {} s for other ranks", what,
                                      communication_timeout()));
    }

    std::string words(ncclResult_t result) {
        std::string text = nccl_.ncclGetErrorString(result);
        const char* more = nccl_.ncclGetLastError(comm_);
        if (more && *more) text += fmt::format(" ({})", more);
        return text;
    }

    /// Ends the call with an error, and the waiting of the other ranks as well.
    [[noreturn]] void give_up(const char* call, const std::string& why) {
        release();
        fail<CommunicationError>("{}: NCCL fails on rank {}: {}", call, rank(), why);
    }

    /// Frees NCCL's communicator, not by ncclCommDestroy, which would wait for ranks that may be
    /// gone.
    void release() {
        if (!comm_) return;
        stream_->handle();
        nccl_.ncclCommAbort(std::exchange(comm_, nullptr));
    }

    const NcclLibrary& nccl_ = nccl_library();
    std::shared_ptr<Communicator> host_;
    CodeDevice& device_;
    std::unique_ptr<CodeDevice::Stream> stream_;
    ncclComm_t comm_ = nullptr;
    std::mutex mutex_;
    /// The marks by the address of the buffer.
    std::map<const void*, std::unique_ptr<CodeDevice::Mark>> marks_;
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
