// Sums between GPUs by NCCL, one GPU a process. Everything else (what is called, small messages,
// NCCL's own meeting point) goes through the communicator that this one stands on: MPI's, or that
// of the processes that meet at CATENA_RENDEZVOUS.
#include <cstdlib>
#include <mutex>

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "runtime/comm/create.h"
#include "runtime/comm/tcp.h"

namespace catena {
namespace {

void check(const char* what, cudaError_t status) {
    if (status != cudaSuccess)
        fail<DeviceError>("pure_nccl: {}: {}", what, cudaGetErrorString(status));
}
void check(const char* what, ncclResult_t status) {
    if (status != ncclSuccess)
        fail<CommunicationError>("pure_nccl: {}: {}", what, ncclGetErrorString(status));
}

ncclDataType_t nccl_type(Dtype dtype) {
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
            fail<DtypeError>("pure_nccl: cannot add {}", name_of(dtype));
    }
}

/// This process's GPU: by its rank on the machine.
void choose_gpu(const Communicator& host) {
    int driver = 0, runtime = 0, gpus = 0;
    check("asking the driver for its version", cudaDriverGetVersion(&driver));
    if (driver == 0)
        fail<DeviceError>(
            "create_communicator(pure_nccl): no CUDA driver is installed on this machine");
    check("asking for the version", cudaRuntimeGetVersion(&runtime));
    cudaError_t status = cudaGetDeviceCount(&gpus);
    if (status != cudaSuccess)
        fail<DeviceError>(
            "create_communicator(pure_nccl): no GPU can be used: {} (driver for CUDA {}.{}, built "
            "with {}.{})",
            cudaGetErrorString(status), driver / 1000, driver % 1000 / 10, runtime / 1000,
            runtime % 1000 / 10);
    if (gpus < host.intra_size())
        fail<DeviceError>(
            "create_communicator(pure_nccl): {} processes on a machine with {} GPUs; one each is "
            "needed",
            host.intra_size(), gpus);
    check("choosing a GPU", cudaSetDevice(host.intra_rank()));
}

class NcclCommunicator final : public Communicator {
public:
    explicit NcclCommunicator(std::shared_ptr<Communicator> host)
        : Communicator(host->rank(), host->size()),
          host_(std::move(host)),
          gpu_(host_->intra_rank()) {
        find_neighbours_as(*host_);
        ncclUniqueId id{};
        if (rank() == 0) check("making an id", ncclGetUniqueId(&id));
        std::string bytes = host_->bcast_bytes({reinterpret_cast<const char*>(&id), sizeof id}, 0);
        std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(&id));
        check("meeting the other ranks", ncclCommInitRank(&nccl_, size(), id, rank()));
        check("making a stream", cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    }
    ~NcclCommunicator() override {
        close();
        cudaSetDevice(gpu_);
        cudaStreamDestroy(stream_);
        cudaFree(staging_);
        ncclCommAbort(nccl_);  // Not Destroy, which would wait for ranks that may be gone.
    }
    std::string name() const override { return "nccl"; }
    std::shared_ptr<Communicator> split(int color, int key) override {
        std::shared_ptr<Communicator> part = host_->split(color, key);
        return part ? std::make_shared<NcclCommunicator>(std::move(part)) : nullptr;
    }
    [[noreturn]] void abort(int status, const std::string& reason) override {
        host_->abort(status, reason);
        std::abort();  // Not reached: a virtual function's promise is not seen through a pointer.
    }

protected:
    void transfer(const char* call, int tag, std::span<const Message> sends,
                  std::span<const Message> receives) override {
        transfer_by(*host_, call, tag, sends, receives);
    }

    /// Through a staging block on the GPU: the buffers of start_allreduce are on the host.
    void reduce_buffer(const char*, const Array& buffer, Reduction reduction) override {
        const size_t bytes = size_t(buffer.size()) * size_of(buffer.dtype());
        if (bytes == 0) return;
        std::lock_guard lock(mutex_);
        check("choosing the GPU", cudaSetDevice(gpu_));
        if (bytes > staging_bytes_) {
            cudaFree(staging_);
            staging_bytes_ = 0;
            check("allocating on the GPU", cudaMalloc(&staging_, bytes));
            staging_bytes_ = bytes;
        }
        void* host = buffer.raw_data();
        check("copying to the GPU",
              cudaMemcpyAsync(staging_, host, bytes, cudaMemcpyHostToDevice, stream_));
        check("all-reduce",
              ncclAllReduce(staging_, staging_, size_t(buffer.size()), nccl_type(buffer.dtype()),
                            reduction == Reduction::mean ? ncclAvg : ncclSum, nccl_, stream_));
        check("copying to the host",
              cudaMemcpyAsync(host, staging_, bytes, cudaMemcpyDeviceToHost, stream_));
        check("waiting", cudaStreamSynchronize(stream_));
    }

private:
    std::shared_ptr<Communicator> host_;
    int gpu_;
    ncclComm_t nccl_ = nullptr;
    cudaStream_t stream_ = nullptr;
    std::mutex mutex_;
    void* staging_ = nullptr;
    size_t staging_bytes_ = 0;
};

}  // namespace

extern "C" Communicator* catena_nccl_communicator_1() {
    std::shared_ptr<Communicator> host =
        create_communicator(Rendezvous::is_in_environment() ? "tcp" : "flat");
    choose_gpu(*host);
    return new NcclCommunicator(std::move(host));
}

}  // namespace catena
