#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/cuda/borrowed_stream.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/memory_pool.h"

namespace catena::cuda {

/// Device memory for the library calls in a device's graphs, beside their operands. Graphs run one
/// after another, so all share it. It is held as long as there is a graph, because what one writes
/// to must not be given to anybody else. One thread at a time.
class GraphMemory {
public:
    GraphMemory(MemoryPool& pool, CUstream stream) : pool_(pool), stream_(stream) {}
    /// Returns the memory, to be used after the work that the stream has been given so far.
    ~GraphMemory();
    GraphMemory(const GraphMemory&) = delete;

    struct Block {
        CUdeviceptr address;
        size_t bytes;
        bool used;
    };
    /// A block of at least so many bytes.
    Block allocate(size_t bytes);
    /// Ends the use of a block; false if `block` does not belong to this memory.
    bool free(CUdeviceptr block);
    bool is_all_free() const;
    /// Hands the blocks that are in use to their new owner, so that they are never reused here.
    void leave_used_blocks();

private:
    MemoryPool& pool_;
    CUstream stream_;
    std::vector<Block> blocks_;
};

/// While alive, work that its thread gives the device is put into graphs instead of being computed,
/// and takes its memory from GraphMemory. Other threads are not affected.
class Capture {
public:
    Capture(const std::string& device, GraphMemory& memory);
    ~Capture();
    Capture(const Capture&) = delete;

    /// The launches of `work` as a graph, which the caller owns; null if there are none.
    /// DeviceError.
    CUgraph taken(const std::function<void()>& work);
    GraphMemory& memory() { return memory_; }

    CUstream stream() const { return stream_.get(); }
    /// The calling thread's capture on the device of this name; null: there is none.
    static Capture* of(const std::string& device);

private:
    const std::string& device_;
    BorrowedStream stream_;
    GraphMemory& memory_;
    Capture* outer_;
};

}  // namespace catena::cuda
