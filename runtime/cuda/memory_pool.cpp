#include "runtime/cuda/memory_pool.h"

#include <algorithm>
#include <bit>

namespace catena::cuda {

namespace {

constexpr size_t smallest = 512;
constexpr size_t largest_small = 128 << 10;  ///< Up to here blocks are cut from slabs.
constexpr size_t slab_bytes = 2 << 20;

std::string megabytes(size_t bytes) { return fmt::format("{:.1f} MB", double(bytes) / 1e6); }

}  // namespace

size_t MemoryPool::rounded(size_t bytes) {
    if (bytes <= smallest) return smallest;
    const size_t step = std::max(std::bit_floor(bytes - 1) / 8, smallest);
    return (bytes + step - 1) / step * step;
}

MemoryPool::~MemoryPool() {
    for (CUdeviceptr slab : slabs_) driver().cuMemFree(slab);
    for (auto& [size, blocks] : free_)
        if (size > largest_small)
            for (CUdeviceptr block : blocks) driver().cuMemFree(block);
}

CUdeviceptr MemoryPool::allocate(size_t bytes, CUstream stream) {
    std::lock_guard lock(mutex_);
    const size_t size = rounded(bytes);
    CUdeviceptr block = 0;
    std::vector<CUdeviceptr>& cached = free_[size];
    if (!cached.empty()) {
        block = cached.back();
        cached.pop_back();
    } else {
        block = size <= largest_small ? from_slab(size, stream) : from_driver(size, stream);
    }
    ++statistics_.allocations;
    statistics_.bytes_in_use += size;
    statistics_.peak_bytes = std::max(statistics_.peak_bytes, statistics_.bytes_in_use);
    return block;
}

void MemoryPool::free(CUdeviceptr block, size_t bytes) {
    std::lock_guard lock(mutex_);
    const size_t size = rounded(bytes);
    free_[size].push_back(block);
    statistics_.bytes_in_use -= size;
}

CUdeviceptr MemoryPool::from_slab(size_t bytes, CUstream stream) {
    if (slab_left_ < bytes) {
        slab_ = slabs_.emplace_back(from_driver(slab_bytes, stream));
        slab_left_ = slab_bytes;
    }
    const CUdeviceptr address = slab_;
    slab_ += bytes;
    slab_left_ -= bytes;
    return address;
}

CUdeviceptr MemoryPool::from_driver(size_t bytes, CUstream stream) {
    CUdeviceptr address = 0;
    CUresult result = driver().cuMemAlloc(&address, bytes);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) {
        release_cached(stream);
        result = driver().cuMemAlloc(&address, bytes);
    }
    if (result == CUDA_ERROR_OUT_OF_MEMORY) {
        size_t left = 0, total = 0;
        driver().cuMemGetInfo(&left, &total);
        fail<DeviceError>(
            "{}: no room for {}: arrays use {}, the device has {}, of which {} are free", device_,
            megabytes(bytes), megabytes(statistics_.bytes_in_use), megabytes(total),
            megabytes(left));
    }
    check(result, device_, fmt::format("cuMemAlloc of {} bytes", bytes));
    ++statistics_.system_allocations;
    statistics_.bytes_reserved += bytes;
    return address;
}

void MemoryPool::release(CUstream stream) {
    std::lock_guard lock(mutex_);
    release_cached(stream);
}

void MemoryPool::release_cached(CUstream stream) {
    check(driver().cuStreamSynchronize(stream), device_, "cuStreamSynchronize");
    for (auto& [size, blocks] : free_) {
        if (size <= largest_small) continue;
        for (CUdeviceptr address : blocks) check(driver().cuMemFree(address), device_, "cuMemFree");
        statistics_.bytes_reserved -= size * blocks.size();
        blocks.clear();
    }
}

MemoryStatistics MemoryPool::statistics() const {
    std::lock_guard lock(mutex_);
    return statistics_;
}

void MemoryPool::reset_peak() {
    std::lock_guard lock(mutex_);
    statistics_.peak_bytes = statistics_.bytes_in_use;
}

}  // namespace catena::cuda
