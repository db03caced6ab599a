#include "runtime/comm/mpi/mpi_collectives.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "runtime/comm/collectives/reduce.h"
#include "runtime/comm/communicator.h"
#include "runtime/comm/mpi/mpi_calls.h"
#include "runtime/core/array/device.h"

namespace catena {
namespace {

size_t largest_block(std::span<const Block> blocks) {
    size_t largest = 0;
    for (const Block& block : blocks) largest = std::max(largest, block.bytes);
    return largest;
}

/// MPI's name of the dtype; MPI_DATATYPE_NULL for floats of 16 bits, which MPI cannot add.
MPI_Datatype mpi_type(Dtype dtype) {
    switch (dtype) {
        case Dtype::int8:
            return MPI_INT8_T;
        case Dtype::uint8:
            return MPI_UINT8_T;
        case Dtype::int16:
            return MPI_INT16_T;
        case Dtype::int32:
            return MPI_INT32_T;
        case Dtype::int64:
            return MPI_INT64_T;
        case Dtype::float32:
            return MPI_FLOAT;
        case Dtype::float64:
            return MPI_DOUBLE;
        default:
            return MPI_DATATYPE_NULL;
    }
}

}  // namespace

/// The parts from `begin` to `end` of every rank's block, one behind the other, as MPI wants them.
/// MPI reads counts and offsets until it is done: a call that fails leaves them to it for ever.
struct MpiCollectives::Packed {
    Packed(std::span<const Block> blocks, size_t begin, size_t end, int but) : begin(begin) {
        for (int r = 0; r < int(blocks.size()); ++r) {
            const size_t all = r == but ? 0 : blocks[size_t(r)].bytes;
            counts.push_back(int(std::min(all, end) - std::min(all, begin)));
        }
        offsets.resize(counts.size());
        std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
        bytes = size_t(offsets.back() + counts.back());
    }
    char* memory() {
        if (!array.defined()) array = Array::empty({Dtype::uint8, {int64_t(bytes)}}, cpu_device());
        return static_cast<char*>(array.raw_data());
    }
    void fill(std::span<const Block> blocks) {
        for (size_t r = 0; r < counts.size(); ++r)
            if (counts[r] > 0)
                std::memcpy(memory() + offsets[r], static_cast<char*>(blocks[r].data) + begin,
                            size_t(counts[r]));
    }
    /// Empties all blocks but that of rank `but`.
    void empty_into(std::span<const Block> blocks, int but) {
        for (size_t r = 0; r < counts.size(); ++r)
            if (counts[r] > 0 && int(r) != but)
                std::memcpy(static_cast<char*>(blocks[r].data) + begin, memory() + offsets[r],
                            size_t(counts[r]));
    }
    /// Calls f(), after whose failure MPI still has these arrays.
    template <class F>
    static void lend(std::initializer_list<std::shared_ptr<Packed>> lent, F&& f) {
        try {
            f();
        } catch (...) {
            new std::vector<std::shared_ptr<Packed>>(lent);
            throw;
        }
    }
    size_t begin, bytes;
    std::vector<int> counts, offsets;
    Array array;
};

void MpiCollectives::wait(const char* call, const char* function, size_t bytes,
                          MPI_Request request) {
    wait_for_mpi(call, {&request, 1}, [&] {
        fail<CommunicationError>(
            "{}: rank {} has waited {} s in {} of {} bytes; all ranks had begun this call, so one "
            "has stopped since, or MPI does not reach it",
            call, rank(), communication_timeout(), function, bytes);
    });
}

template <class F>
void MpiCollectives::for_each_part(size_t largest, F f) const {
    const size_t most = std::max<size_t>(1, ways_.largest_call() / size_t(size()));
    for (size_t begin = 0; begin < largest; begin += most) f(begin, begin + most);
}

int64_t MpiCollectives::broadcast(const char* call, int root, Block block) {
    if (ways_.prefers_messages(block.bytes)) return PairCollectives::broadcast(call, root, block);
    const size_t most = ways_.largest_call();
    for (size_t begin = 0; begin < block.bytes; begin += most) {
        const size_t bytes = std::min(most, block.bytes - begin);
        MPI_Request request;
        check_mpi(call, MPI_Ibcast(static_cast<char*>(block.data) + begin, int(bytes), MPI_BYTE,
                                   root, comm_, &request));
        wait(call, "MPI_Ibcast", bytes, request);
    }
    return rank() == root ? int64_t(block.bytes) : 0;
}

int64_t MpiCollectives::gather(const char* call, int root, std::span<const Block> blocks) {
    const size_t largest = largest_block(blocks);
    if (ways_.prefers_messages(largest)) return PairCollectives::gather(call, root, blocks);
    for_each_part(largest, [&](size_t begin, size_t end) {
        auto packed = std::make_shared<Packed>(blocks, begin, end, root);
        Packed::lend({packed}, [&] {
            MPI_Request request;
            check_mpi(call, MPI_Igatherv(static_cast<char*>(blocks[size_t(rank())].data) + begin,
                                         packed->counts[size_t(rank())], MPI_BYTE,
                                         rank() == root ? packed->memory() : nullptr,
                                         packed->counts.data(), packed->offsets.data(), MPI_BYTE,
                                         root, comm_, &request));
            wait(call, "MPI_Igatherv", packed->bytes, request);
        });
        if (rank() == root) packed->empty_into(blocks, root);
    });
    return rank() == root ? 0 : int64_t(blocks[size_t(rank())].bytes);
}

int64_t MpiCollectives::scatter(const char* call, int root, std::span<const Block> blocks) {
    const size_t largest = largest_block(blocks);
    if (ways_.prefers_messages(largest)) return PairCollectives::scatter(call, root, blocks);
    int64_t sent = 0;
    for_each_part(largest, [&](size_t begin, size_t end) {
        auto packed = std::make_shared<Packed>(blocks, begin, end, root);
        if (rank() == root) packed->fill(blocks);
        Packed::lend({packed}, [&] {
            MPI_Request request;
            check_mpi(call, MPI_Iscatterv(rank() == root ? packed->memory() : nullptr,
                                          packed->counts.data(), packed->offsets.data(), MPI_BYTE,
                                          static_cast<char*>(blocks[size_t(rank())].data) + begin,
                                          packed->counts[size_t(rank())], MPI_BYTE, root, comm_,
                                          &request));
            wait(call, "MPI_Iscatterv", packed->bytes, request);
        });
        if (rank() == root) sent += int64_t(packed->bytes);
    });
    return sent;
}

int64_t MpiCollectives::all_gather(const char* call, std::span<const Block> blocks) {
    const size_t largest = largest_block(blocks);
    if (ways_.prefers_messages(largest)) return PairCollectives::all_gather(call, blocks);
    for_each_part(largest, [&](size_t begin, size_t end) {
        auto packed = std::make_shared<Packed>(blocks, begin, end, -1);
        Packed::lend({packed}, [&] {
            MPI_Request request;
            check_mpi(call, MPI_Iallgatherv(static_cast<char*>(blocks[size_t(rank())].data) + begin,
                                            packed->counts[size_t(rank())], MPI_BYTE,
                                            packed->memory(), packed->counts.data(),
                                            packed->offsets.data(), MPI_BYTE, comm_, &request));
            wait(call, "MPI_Iallgatherv", packed->bytes, request);
        });
        packed->empty_into(blocks, rank());
    });
    return int64_t(blocks[size_t(rank())].bytes) * (size() - 1);
}

int64_t MpiCollectives::all_to_all(const char* call, std::span<const Block> to_ranks,
                                   std::span<const Block> from_ranks, size_t largest) {
    if (ways_.prefers_messages(largest))
        return PairCollectives::all_to_all(call, to_ranks, from_ranks, largest);
    int64_t sent = 0;
    for_each_part(largest, [&](size_t begin, size_t end) {
        auto out = std::make_shared<Packed>(to_ranks, begin, end, rank());
        auto in = std::make_shared<Packed>(from_ranks, begin, end, rank());
        out->fill(to_ranks);
        Packed::lend({out, in}, [&] {
            MPI_Request request;
            check_mpi(call, MPI_Ialltoallv(out->memory(), out->counts.data(), out->offsets.data(),
                                           MPI_BYTE, in->memory(), in->counts.data(),
                                           in->offsets.data(), MPI_BYTE, comm_, &request));
            wait(call, "MPI_Ialltoallv", out->bytes, request);
        });
        in->empty_into(from_ranks, rank());
        sent += int64_t(out->bytes);
    });
    return sent;
}

int64_t MpiCollectives::reduce_scatter(const char* call, Dtype dtype, std::span<const Block> parts,
                                       Block result, Reduction reduction, Sums sums) {
    const MPI_Datatype type = mpi_type(dtype);
    if (sums == Sums::rank_order || type == MPI_DATATYPE_NULL ||
        ways_.prefers_messages(result.bytes))
        return PairCollectives::reduce_scatter(call, dtype, parts, result, reduction, sums);
    check_reducible(call, dtype, reduction);
    const size_t width = size_of(dtype), length = result.bytes / width,
                 most = std::max<size_t>(1, ways_.largest_call() / (width * size_t(size())));
    for (size_t begin = 0; begin < length; begin += most) {
        const size_t count = std::min(most, length - begin);
        auto packed = std::make_shared<Packed>(parts, begin * width, (begin + count) * width, -1);
        packed->fill(parts);
        Packed::lend({packed}, [&] {
            MPI_Request request;
            check_mpi(call, MPI_Ireduce_scatter_block(
                                packed->memory(), static_cast<char*>(result.data) + begin * width,
                                int(count), type, MPI_SUM, comm_, &request));
            wait(call, "MPI_Ireduce_scatter_block", packed->bytes, request);
        });
    }
    if (reduction == Reduction::mean) divide_by_ranks(dtype, result.data, int64_t(length), size());
    return int64_t(result.bytes) * (size() - 1);
}

int64_t MpiCollectives::all_reduce(const char* call, Dtype dtype, void* data, int64_t count,
                                   Reduction reduction, Sums sums) {
    const size_t narrow_bytes = size_t(count) * size_of(dtype);
    if (sums == Sums::rank_order || ways_.prefers_messages(narrow_bytes * size_t(size())))
        return PairCollectives::all_reduce(call, dtype, data, count, reduction, sums);
    check_reducible(call, dtype, reduction);
    Widened wide(dtype, data, count);
    const size_t width = size_of(wide.dtype()), bytes = size_t(count) * width,
                 most = std::max<size_t>(1, ways_.largest_call() / width) * width;
    keeping({wide.memory()}, [&] {
        for (size_t begin = 0; begin < bytes; begin += most) {
            const size_t part = std::min(most, bytes - begin);
            MPI_Request request;
            check_mpi(call, MPI_Iallreduce(MPI_IN_PLACE, static_cast<char*>(wide.data()) + begin,
                                           int(part / width), mpi_type(wide.dtype()), MPI_SUM,
                                           comm_, &request));
            wait(call, "MPI_Iallreduce", part, request);
        }
    });
    if (reduction == Reduction::mean) divide_by_ranks(wide.dtype(), wide.data(), count, size());
    wide.round_into(data);
    return int64_t(2 * bytes * size_t(size() - 1) / size_t(size()));
}

}  // namespace catena
