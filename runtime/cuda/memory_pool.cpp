#include "runtime/cuda/memory_pool.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace catena::cuda {

namespace {

constexpr size_t smallest = 512;
constexpr size_t largest_small = 128 << 10;  ///< Up to here blocks are cut from slabs.
constexpr size_t slab_bytes = 2 << 20;
constexpr size_t segment_step = 2 << 20;  ///< Pages of the device are as large.
constexpr size_t smallest_segment = 16 << 20;

std::string megabytes(size_t bytes) { return fmt::format("{:.1f} MB", double(bytes) / 1e6); }

size_t multiple_of(size_t step, size_t bytes) { return (bytes + step - 1) / step * step; }

size_t free_on_device() {
    size_t left = 0, total = 0;
    driver().cuMemGetInfo(&left, &total);
    return left;
}

/// The size of a new segment, for a request that no segment has room for. Shapes that grow would
/// leave one segment behind for each size, none of them large enough for the next: so segments grow
/// with what is held, as long as plenty is left for others.
size_t segment_for(size_t bytes, size_t held) {
    const size_t wanted = std::max({bytes, smallest_segment, held / 2});
    const size_t left = free_on_device();
    const size_t spare = left > bytes ? (left - bytes) / 4 : 0;
    return multiple_of(segment_step, std::min(wanted, bytes + spare));
}

}  // namespace

size_t MemoryPool::rounded(size_t bytes) {
    if (bytes <= smallest) return smallest;
    if (bytes > largest_small) return multiple_of(smallest, bytes);
    return multiple_of(std::max(std::bit_floor(bytes - 1) / 8, smallest), bytes);
}

MemoryPool::~MemoryPool() {
    for (CUdeviceptr slab : slabs_) driver().cuMemFree(slab);
    for (const SegmentBlocks::Segment& segment : large_.unused())
        driver().cuMemFree(segment.address);
}

CUdeviceptr MemoryPool::allocate(size_t bytes, CUstream stream) {
    std::lock_guard lock(mutex_);
    size_t size = rounded(bytes);
    const bool small = size <= largest_small;
    const CUdeviceptr block = small ? allocate_small(size, stream) : allocate_large(size, stream);
    if (!small) size = large_.size_of(block);
    ++statistics_.allocations;
    statistics_.bytes_in_use += size;
    statistics_.peak_bytes = std::max(statistics_.peak_bytes, statistics_.bytes_in_use);
    return block;
}

void MemoryPool::free(CUdeviceptr block, size_t bytes) {
    std::lock_guard lock(mutex_);
    const size_t size = rounded(bytes);
    if (size <= largest_small) {
        small_[size].push_back(block);
        statistics_.bytes_in_use -= size;
    } else {
        statistics_.bytes_in_use -= large_.size_of(block);
        large_.give_back(block);
    }
}

CUdeviceptr MemoryPool::allocate_small(size_t bytes, CUstream stream) {
    std::vector<CUdeviceptr>& cached = small_[bytes];
    if (!cached.empty()) {
        const CUdeviceptr block = cached.back();
        cached.pop_back();
        return block;
    }
    if (slab_left_ < bytes) {
        CUdeviceptr slab = from_driver(slab_bytes);
        if (!slab) {
            give_back_unused(stream, slab_bytes);
            slab = from_driver(slab_bytes);
        }
        if (!slab) fail_for_want_of(bytes);
        slab_ = slabs_.emplace_back(slab);
        slab_left_ = slab_bytes;
    }
    slab_left_ -= bytes;
    return std::exchange(slab_, slab_ + bytes);
}

CUdeviceptr MemoryPool::allocate_large(size_t bytes, CUstream stream) {
    if (const CUdeviceptr block = large_.take(bytes)) return block;
    const size_t needed = multiple_of(segment_step, bytes);
    SegmentBlocks::Segment segment{0, segment_for(bytes, segment_bytes_)};
    auto ask_for = [&](size_t size) {
        segment = {from_driver(size), size};
        return segment.address != 0;
    };
    if (!ask_for(segment.bytes) && !ask_for(needed)) {
        give_back_unused(stream, needed);
        if (!ask_for(needed)) {
            give_back_unused(stream, std::numeric_limits<size_t>::max());
            if (!ask_for(needed)) fail_for_want_of(bytes);
        }
    }
    segment_bytes_ += segment.bytes;
    large_.add(segment);
    return large_.take(bytes);
}

CUdeviceptr MemoryPool::from_driver(size_t bytes) {
    CUdeviceptr address = 0;
    const CUresult result = driver().cuMemAlloc(&address, bytes);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) return 0;
    check(result, device_, fmt::format("cuMemAlloc of {} bytes", bytes));
    ++statistics_.system_allocations;
    statistics_.bytes_reserved += bytes;
    return address;
}

void MemoryPool::fail_for_want_of(size_t bytes) const {
    size_t left = 0, total = 0;
    driver().cuMemGetInfo(&left, &total);
    fail<DeviceError>(
        "{}: no room for {}: arrays use {} of {} that are kept for them, the device has {}, of "
        "which {} are free",
        device_, megabytes(bytes), megabytes(statistics_.bytes_in_use),
        megabytes(statistics_.bytes_reserved), megabytes(total), megabytes(left));
}

void MemoryPool::release(CUstream stream) {
    std::lock_guard lock(mutex_);
    give_back_unused(stream, std::numeric_limits<size_t>::max());
}

/// The largest first, until the device has room for `wanted` bytes.
void MemoryPool::give_back_unused(CUstream stream, size_t wanted) {
    const std::vector<SegmentBlocks::Segment> unused = large_.unused();
    if (unused.empty()) return;
    check(driver().cuStreamSynchronize(stream), device_, "cuStreamSynchronize");
    for (const SegmentBlocks::Segment& segment : unused) {
        if (wanted != std::numeric_limits<size_t>::max() && free_on_device() >= wanted) return;
        check(driver().cuMemFree(segment.address), device_, "cuMemFree");
        large_.remove(segment);
        segment_bytes_ -= segment.bytes;
        statistics_.bytes_reserved -= segment.bytes;
    }
}

size_t MemoryPool::available() const {
    std::lock_guard lock(mutex_);
    return free_on_device() + statistics_.bytes_reserved - statistics_.bytes_in_use;
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
