#include "runtime/core/memory/memory_pool.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include <sys/mman.h>

#include "runtime/core/memory/checked_memory.h"
#include "runtime/core/memory/memory_statistics.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/fork.h"
#include "runtime/core/memory/memory_allowance.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/per_thread.h"

namespace catena {

namespace {

constexpr size_t pool_alignment = 64;
constexpr size_t huge_page = size_t(2) << 20;
/// The size from which on blocks are mapped one by one: freed into malloc's heap, where small
/// allocations live on between them, they would never leave the process. A model whose arrays grow
/// from call to call would keep the blocks of all its sizes.
constexpr size_t mapped_limit = size_t(128) << 10;
constexpr size_t chunk_bytes = size_t(1) << 20;  ///< Small blocks are cut from chunks of this size.
constexpr size_t small_limit = size_t(32) << 10;  ///< The largest block of the per-thread lists.
constexpr size_t kept_per_class = size_t(256) << 10;  ///< What a thread keeps of one size.
constexpr size_t least_retention = size_t(256) << 20;
/// A large block is stale when it has been idle during so many allocations of large blocks: some
/// iterations of most programs.
constexpr uint64_t patience = 1024;

/// Sizes go in steps of an eighth of a power of two, so that at most 1/8 of a large block is
/// unused.
constexpr int steps_log2 = 3;
constexpr uint32_t class_count = 48 << steps_log2;
/// The class of blocks of checked_memory, which are in no list.
constexpr uint32_t checked_class = class_count;

struct SizeClass {
    uint32_t index;
    size_t bytes;
};

constexpr SizeClass class_of(size_t bytes) {
    const size_t last = (bytes - 1) | (pool_alignment - 1);
    const int log2 = 63 - std::countl_zero(last);
    const int shift = std::max(log2 - steps_log2, 6);
    const uint32_t step = uint32_t(last >> shift) & ((1u << steps_log2) - 1);
    return {uint32_t(log2 << steps_log2) + step, ((last >> shift) + 1) << shift};
}
static_assert(class_of(1).bytes == 64 && class_of(64).bytes == 64 && class_of(65).bytes == 128);
static_assert(class_of(1025).bytes == 1152 && class_of(2048).bytes == 2048);

constexpr uint32_t small_class_count = class_of(small_limit).index + 1;

constexpr size_t bytes_of_class(uint32_t index) {
    const int log2 = int(index >> steps_log2);
    const size_t step = index & ((1u << steps_log2) - 1);
    if (log2 - steps_log2 < 6) return (step + 1) << 6;
    return ((size_t(1) << steps_log2) + step + 1) << (log2 - steps_log2);
}
static_assert(bytes_of_class(class_of(100).index) == 128);
static_assert(bytes_of_class(class_of(1025).index) == 1152);
static_assert(bytes_of_class(class_of(huge_page).index) == huge_page);
static_assert(bytes_of_class(class_of(mapped_limit + 1).index) % (16 << 10) == 0, "whole pages");

struct FreeBlock {
    FreeBlock* next;
};

/// A large block without an owner.
struct Idle {
    void* data;
    uint64_t since;  ///< Central::large_allocations when it became idle.
};

struct ThreadCache;

/// Shared by all threads: chunks, larger blocks, and the totals.
struct Central {
    std::mutex mutex;
    FreeBlock* small[small_class_count] = {};
    std::byte* chunk = nullptr;
    size_t chunk_left = 0;
    std::vector<Idle> large[class_count];  ///< The latest last.
    size_t cached_bytes = 0;               ///< The bytes of all blocks in `large`.
    uint64_t large_allocations = 0;
    std::vector<ThreadCache*> threads;

    /// The bytes in use, but for what the threads have not yet reported.
    std::atomic<int64_t> bytes_in_use{0};
    std::atomic<int64_t> peak_bytes{0};
    std::atomic<size_t> bytes_reserved{0};
    std::atomic<size_t> system_allocations{0};
    std::atomic<size_t> allocations{0};

    Central() { taken_by_forks(mutex); }
};

/// Never destroyed: arrays in static variables are freed after everything else.
Central& central() {
    static Central& instance = *new Central;
    return instance;
}

/// The numbers are written by their thread alone and read by any.
template <class T>
void add(std::atomic<T>& number, T amount) {
    number.store(number.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

/// The lists and counters of one thread. Counters reach the shared totals when they have grown
/// large.
struct ThreadCache {
    FreeBlock* lists[small_class_count] = {};
    uint32_t counts[small_class_count] = {};
    uint32_t limits[small_class_count] = {};
    std::atomic<int64_t> in_use{0};
    std::atomic<int64_t> highest{0};  ///< The largest in_use since the last report.
    std::atomic<size_t> allocations{0};

    void count(int64_t bytes) {
        const int64_t now = in_use.load(std::memory_order_relaxed) + bytes;
        in_use.store(now, std::memory_order_relaxed);
        if (now > highest.load(std::memory_order_relaxed))
            highest.store(now, std::memory_order_relaxed);
        if (uint64_t(now + reported_step) > uint64_t(2 * reported_step)) report();
    }

    void report() {
        Central& shared = central();
        const int64_t before = shared.bytes_in_use.fetch_add(in_use.load(std::memory_order_relaxed),
                                                             std::memory_order_relaxed);
        const int64_t candidate = before + highest.load(std::memory_order_relaxed);
        int64_t peak = shared.peak_bytes.load(std::memory_order_relaxed);
        while (candidate > peak && !shared.peak_bytes.compare_exchange_weak(peak, candidate)) {
        }
        shared.allocations.fetch_add(allocations.load(std::memory_order_relaxed),
                                     std::memory_order_relaxed);
        in_use.store(0, std::memory_order_relaxed);
        highest.store(0, std::memory_order_relaxed);
        allocations.store(0, std::memory_order_relaxed);
    }

    static constexpr int64_t reported_step = int64_t(1) << 18;
};

struct Thread {
    ThreadCache* cache = nullptr;
    /// True when the thread is ending: its last arrays go to the shared lists.
    bool is_over = false;
    bool wants_short_lived = false;  ///< Whether a ShortLivedMemory is the innermost scope.
};
[[gnu::tls_model("initial-exec")]] thread_local Thread thread;

void* system_allocate(size_t bytes);

/// Moves blocks of one class from a thread to the shared lists; `keep` stay.
void give_to_central(ThreadCache& from, uint32_t index, uint32_t keep) {
    Central& shared = central();
    const std::lock_guard lock(shared.mutex);
    while (from.counts[index] > keep) {
        FreeBlock* block = from.lists[index];
        from.lists[index] = block->next;
        block->next = shared.small[index];
        shared.small[index] = block;
        --from.counts[index];
    }
}

struct ThreadEnd {
    ~ThreadEnd() {
        ThreadCache* mine = thread.cache;
        if (!mine) return;
        for (uint32_t i = 0; i < small_class_count; ++i) give_to_central(*mine, i, 0);
        mine->report();
        {
            const std::lock_guard lock(central().mutex);
            std::erase(central().threads, mine);
        }
        thread = {.is_over = true, .wants_short_lived = thread.wants_short_lived};
        delete mine;
    }
};

/// A cache for this thread; null when the thread is ending.
[[gnu::noinline]] ThreadCache* make_cache() {
    if (thread.is_over) return nullptr;
    auto* fresh = new ThreadCache;
    for (uint32_t i = class_of(1).index; i < small_class_count; ++i)
        fresh->limits[i] =
            uint32_t(std::clamp<size_t>(kept_per_class / bytes_of_class(i), 8, 1024));
    {
        const std::lock_guard lock(central().mutex);
        central().threads.push_back(fresh);
    }
    thread.cache = fresh;
    static constinit PerThread<ThreadEnd> end;
    end.get();
    return fresh;
}

ThreadCache* this_thread() { return thread.cache ? thread.cache : make_cache(); }

/// One small block for the caller and, with a cache, some more for it.
void* allocate_small_slowly(ThreadCache* mine, SizeClass size) {
    Central& shared = central();
    const std::lock_guard lock(shared.mutex);
    const uint32_t wanted = mine ? std::max<uint32_t>(1, mine->limits[size.index] / 4) : 1;
    void* result = nullptr;
    for (uint32_t i = 0; i < wanted; ++i) {
        FreeBlock* block = shared.small[size.index];
        if (block) {
            shared.small[size.index] = block->next;
        } else {
            if (shared.chunk_left < size.bytes) {
                if (result) break;
                shared.chunk = static_cast<std::byte*>(system_allocate(chunk_bytes));
                shared.chunk_left = chunk_bytes;
            }
            block = reinterpret_cast<FreeBlock*>(shared.chunk);
            shared.chunk += size.bytes;
            shared.chunk_left -= size.bytes;
        }
        if (!result) {
            result = block;
            continue;
        }
        block->next = mine->lists[size.index];
        mine->lists[size.index] = block;
        ++mine->counts[size.index];
    }
    return result;
}

void* map_huge(size_t bytes) {
    const size_t total = bytes + huge_page;
    void* mapped = mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    const auto address = reinterpret_cast<uintptr_t>(mapped);
    const uintptr_t begin = (address + huge_page - 1) & ~(huge_page - 1);
    if (begin > address) munmap(mapped, begin - address);
    if (const uintptr_t end = begin + bytes, mapped_end = address + total; mapped_end > end)
        munmap(reinterpret_cast<void*>(end), mapped_end - end);
    void* result = reinterpret_cast<void*>(begin);
    madvise(result, bytes, MADV_HUGEPAGE);
    return result;
}

void* map_pages(size_t bytes) {
    if (bytes >= huge_page) return map_huge(bytes);
    void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mapped == MAP_FAILED ? nullptr : mapped;
}

void system_free(void* block, size_t bytes) {
    if (bytes >= mapped_limit)
        munmap(block, bytes);
    else
        std::free(block);
    central().bytes_reserved.fetch_sub(bytes, std::memory_order_relaxed);
}

/// Called with the mutex held.
size_t free_large_blocks() {
    Central& shared = central();
    const size_t freed = shared.cached_bytes;
    for (uint32_t i = 0; i < class_count; ++i) {
        for (const Idle& block : shared.large[i]) system_free(block.data, bytes_of_class(i));
        shared.large[i].clear();
    }
    shared.cached_bytes = 0;
    return freed;
}

/// Called with the mutex held.
void* system_allocate(size_t bytes) {
    Central& shared = central();
    const auto attempt = [bytes] {
        return bytes >= mapped_limit ? map_pages(bytes) : std::aligned_alloc(pool_alignment, bytes);
    };
    void* block = attempt();
    if (!block && free_large_blocks() > 0) block = attempt();
    if (!block) throw OutOfMemory("cpu", bytes, shared.bytes_reserved.load());
    shared.bytes_reserved.fetch_add(bytes, std::memory_order_relaxed);
    shared.system_allocations.fetch_add(1, std::memory_order_relaxed);
    return block;
}

/// Frees cached blocks below a size, the largest first, until that size is free. Called with the
/// mutex held.
void free_smaller_blocks(SizeClass size) {
    Central& shared = central();
    size_t freed = 0;
    for (uint32_t i = size.index; i-- > small_class_count && freed < size.bytes;) {
        std::vector<Idle>& blocks = shared.large[i];
        for (; !blocks.empty() && freed < size.bytes; blocks.pop_back(), freed += bytes_of_class(i))
            system_free(blocks.back().data, bytes_of_class(i));
    }
    shared.cached_bytes -= freed;
}

/// The class of the block that has been idle for longest, if that is long; called with the mutex
/// held.
std::optional<uint32_t> stalest_class() {
    const Central& shared = central();
    std::optional<uint32_t> stalest;
    for (uint32_t i = small_class_count; i < class_count; ++i)
        if (!shared.large[i].empty() &&
            shared.large_allocations - shared.large[i].front().since > patience &&
            (!stalest || shared.large[i].front().since < shared.large[*stalest].front().since))
            stalest = i;
    return stalest;
}

bool is_of_small_pages(size_t bytes) { return bytes >= mapped_limit && bytes < huge_page; }

/// A block made of one that nobody has asked for in a long time, so that sizes that grow from call
/// to call, as those of a decoder's caches, do not leave blocks of all sizes behind. Its pages stay
/// its own. Null if there is none of the kind; then as many bytes of others are freed. Called with
/// the mutex held.
void* take_over(SizeClass size) {
    Central& shared = central();
    for (size_t freed = 0; freed < size.bytes;) {
        const std::optional<uint32_t> from = stalest_class();
        if (!from) break;
        const size_t bytes = bytes_of_class(*from);
        void* const block = shared.large[*from].front().data;
        shared.large[*from].erase(shared.large[*from].begin());
        shared.cached_bytes -= bytes;
        if (is_of_small_pages(bytes) && is_of_small_pages(size.bytes)) {
            if (void* made = mremap(block, bytes, size.bytes, MREMAP_MAYMOVE); made != MAP_FAILED) {
                shared.bytes_reserved.fetch_add(size.bytes - bytes, std::memory_order_relaxed);
                return made;
            }
        }
        system_free(block, bytes);
        freed += bytes;
    }
    return nullptr;
}

MemoryBlock allocate_large(SizeClass size) {
    Central& shared = central();
    const std::lock_guard lock(shared.mutex);
    ++shared.large_allocations;
    // A block up to a quarter too large is better than another one from the system.
    const uint32_t last =
        thread.wants_short_lived ? class_count - 1 : std::min(size.index + 2, class_count - 1);
    for (uint32_t i = size.index; i <= last; ++i) {
        if (shared.large[i].empty()) continue;
        void* block = shared.large[i].back().data;
        shared.large[i].pop_back();
        shared.cached_bytes -= bytes_of_class(i);
        return {block, i};
    }
    if (thread.wants_short_lived)
        free_smaller_blocks(size);
    else if (void* block = take_over(size))
        return {block, size.index};
    return {system_allocate(size.bytes), size.index};
}

void free_large(const MemoryBlock& block) noexcept {
    Central& shared = central();
    const size_t bytes = bytes_of_class(block.size_class);
    const std::lock_guard lock(shared.mutex);
    const size_t peak =
        size_t(std::max<int64_t>(shared.peak_bytes.load(std::memory_order_relaxed), 0));
    if (shared.cached_bytes + bytes > std::max(least_retention, peak)) {
        system_free(block.data, bytes);
        return;
    }
    try {
        shared.large[block.size_class].push_back({block.data, shared.large_allocations});
        shared.cached_bytes += bytes;
    } catch (const std::bad_alloc&) {  // No memory for its place: it is what is needed.
        system_free(block.data, bytes);
    }
}

void free_small_slowly(ThreadCache* mine, const MemoryBlock& block) {
    if (mine) {
        give_to_central(*mine, block.size_class, mine->limits[block.size_class] / 2);
        return;
    }
    Central& shared = central();
    const std::lock_guard lock(shared.mutex);
    shared.small[block.size_class] = new (block.data) FreeBlock{shared.small[block.size_class]};
}

/// A block of checked memory. It is not counted as asked of the system: without checks a block
/// would be here again.
MemoryBlock allocate_checked(size_t bytes) {
    void* const block = checked_memory::allocate(bytes);
    if (!block) throw OutOfMemory("cpu", bytes, central().bytes_reserved.load());
    central().bytes_reserved.fetch_add(bytes, std::memory_order_relaxed);
    return {block, checked_class};
}

void free_checked(const MemoryBlock& block, size_t bytes) noexcept {
    checked_memory::free(block.data, bytes);
    central().bytes_reserved.fetch_sub(bytes, std::memory_order_relaxed);
}

/// A block that is in no list of the thread.
[[gnu::noinline]] MemoryBlock allocate_slowly(ThreadCache* mine, SizeClass size, size_t bytes) {
    if (size.index >= small_class_count) check_allowance(bytes);
    if (checked_memory::is_on()) return allocate_checked(bytes);
    if (size.index < small_class_count) return {allocate_small_slowly(mine, size), size.index};
    return allocate_large(size);
}

void count_without_cache(int64_t bytes) {
    central().bytes_in_use.fetch_add(bytes, std::memory_order_relaxed);
    if (bytes > 0) central().allocations.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

MemoryBlock allocate_memory(size_t bytes) {
    const SizeClass size = class_of(bytes);
    if (size.index >= class_count) throw OutOfMemory("cpu", bytes, central().bytes_reserved.load());
    ThreadCache* mine = this_thread();
    MemoryBlock block{nullptr, size.index};
    if (size.index < small_class_count && mine && mine->lists[size.index]) {
        FreeBlock* first = mine->lists[size.index];
        mine->lists[size.index] = first->next;
        --mine->counts[size.index];
        block.data = first;
    } else {
        block = allocate_slowly(mine, size, bytes);
    }
    if (!mine) {
        count_without_cache(int64_t(bytes));
        return block;
    }
    add<size_t>(mine->allocations, 1);
    mine->count(int64_t(bytes));
    return block;
}

void free_memory(const MemoryBlock& block, size_t bytes) noexcept {
    ThreadCache* mine = this_thread();
    if (mine)
        mine->count(-int64_t(bytes));
    else
        count_without_cache(-int64_t(bytes));
    const uint32_t index = block.size_class;
    if (index >= small_class_count) {
        if (index == checked_class)
            free_checked(block, bytes);
        else
            free_large(block);
        return;
    }
    if (mine) {
        mine->lists[index] = new (block.data) FreeBlock{mine->lists[index]};
        if (++mine->counts[index] <= mine->limits[index]) return;
    }
    free_small_slowly(mine, block);
}

MemoryStatistics cpu_memory_statistics() {
    Central& shared = central();
    if (ThreadCache* mine = this_thread()) mine->report();
    const std::lock_guard lock(shared.mutex);
    int64_t in_use = shared.bytes_in_use.load();
    size_t allocations = shared.allocations.load();
    for (const ThreadCache* thread : shared.threads) {
        in_use += thread->in_use.load(std::memory_order_relaxed);
        allocations += thread->allocations.load(std::memory_order_relaxed);
    }
    return {.bytes_in_use = size_t(std::max<int64_t>(in_use, 0)),
            .peak_bytes = size_t(std::max({shared.peak_bytes.load(), in_use, int64_t(0)})),
            .bytes_reserved = shared.bytes_reserved.load(),
            .system_allocations = shared.system_allocations.load(),
            .allocations = allocations};
}

void reset_peak_memory() {
    if (ThreadCache* mine = this_thread()) mine->report();
    central().peak_bytes.store(central().bytes_in_use.load());
}

void release_cached_memory() {
    const std::lock_guard lock(central().mutex);
    free_large_blocks();
}

ShortLivedMemory::ShortLivedMemory() : before_(std::exchange(thread.wants_short_lived, true)) {}
ShortLivedMemory::~ShortLivedMemory() { thread.wants_short_lived = before_; }

LongLivedMemory::LongLivedMemory() : before_(std::exchange(thread.wants_short_lived, false)) {}
LongLivedMemory::~LongLivedMemory() { thread.wants_short_lived = before_; }

}  // namespace catena
