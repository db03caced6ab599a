#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/cuda/borrowed_stream.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/memory_pool.h"

namespace catena::cuda {

/// Device memory that the calls in a device's graphs use beside their operands. Graphs run one
/// after another, and so do their calls: all share it. It is kept for as long as there is a graph:
/// nobody else may be given what one writes to. One thread at a time.
class GraphMemory {
public:
    GraphMemory(MemoryPool& pool, CUstream stream) : pool_(pool), stream_(stream) {}
    ~GraphMemory();  ///< Gives it back, to be used after what the stream has been asked for by now.
    GraphMemory(const GraphMemory&) = delete;

    struct Block {
        CUdeviceptr address;
        size_t bytes;
        bool used;
    };
    Block allocate(size_t bytes);  ///< Of at least so many.
    bool free(CUdeviceptr block);  ///< False if it is none of these.
    bool is_all_free() const;
    /// What is not free is somebody else's from now on.
    void leave_used_blocks();

private:
    MemoryPool& pool_;
    CUstream stream_;
    std::vector<Block> blocks_;
};

/// While one is alive, what its thread gives the device is put into graphs instead of being
/// computed, and takes its memory from GraphMemory. Other threads go on as ever.
class Capture {
public:
    Capture(const std::string& device, GraphMemory& memory);
    ~Capture();
    Capture(const Capture&) = delete;

    /// What `work` launches as a graph, which is the caller's; null if it is nothing. DeviceError.
    CUgraph taken(const std::function<void()>& work);
    GraphMemory& memory() { return memory_; }

    CUstream stream() const { return stream_.get(); }
    /// The calling thread's for the device of this name; null: there is none.
    static Capture* of(const std::string& device);

private:
    const std::string& device_;
    BorrowedStream stream_;
    GraphMemory& memory_;
    Capture* outer_;
};

}  // namespace catena::cuda
