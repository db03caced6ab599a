#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/cuda/driver.h"
#include "runtime/cuda/memory_pool.h"

namespace catena::cuda {

/// Device memory that the calls of a graph use one after another, beside their operands. The graph keeps it: nobody else
/// may be given what it writes to.
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

/// While one is alive, what its thread gives the device is put into graphs instead of being computed, and takes its memory
/// from GraphMemory. Other threads go on as ever.
class Capture {
public:
    Capture(const std::string& device, MemoryPool& pool, CUstream main);
    ~Capture();
    Capture(const Capture&) = delete;

    /// What `work` launches as a graph, which is the caller's; null if it is nothing. DeviceError.
    CUgraph taken(const std::function<void()>& work);
    GraphMemory& memory() { return *memory_; }
    /// The memory, with all of it free. Null where something of it is still in use.
    std::unique_ptr<GraphMemory> take_memory();

    CUstream stream() const { return stream_; }
    /// The calling thread's for the device of this name; null: there is none.
    static Capture* of(const std::string& device);

private:
    const std::string& device_;
    CUstream stream_ = nullptr;
    std::unique_ptr<GraphMemory> memory_;
    Capture* outer_;
};

}  // namespace catena::cuda
