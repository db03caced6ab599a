#include "runtime/comm/shared_block.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/core/array/array.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/fork.h"

namespace catena {
namespace {

SharedBlock map_file(int file, size_t bytes) {
    void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return data == MAP_FAILED ? SharedBlock() : SharedBlock{data, bytes, file};
}

/// close() that keeps the errno of what went before.
void close_after(int file) {
    const int problem = errno;
    close(file);
    errno = problem;
}

/// A block that is given away in pieces; free neighbours are one piece.
class Arena {
public:
    explicit Arena(const SharedBlock& memory) : memory_(memory), free_{{0, memory.bytes}} {}
    const SharedBlock& memory() const { return memory_; }
    bool contains(const void* data) const {
        return data >= memory_.data &&
               data < static_cast<const char*>(memory_.data) + memory_.bytes;
    }
    /// Takes a part of the smallest free piece that is large enough; null if there is none.
    void* take(size_t bytes) {
        auto best = free_.end();
        for (auto it = free_.begin(); it != free_.end(); ++it)
            if (it->second >= bytes && (best == free_.end() || it->second < best->second))
                best = it;
        if (best == free_.end()) return nullptr;
        const auto [offset, size] = *best;
        free_.erase(best);
        if (size > bytes) free_[offset + bytes] = size - bytes;
        return static_cast<char*>(memory_.data) + offset;
    }
    void give_back(void* data, size_t bytes) {
        const size_t offset = size_t(static_cast<char*>(data) - static_cast<char*>(memory_.data));
        auto here = free_.emplace(offset, bytes).first;
        if (auto next = std::next(here); next != free_.end() && offset + bytes == next->first) {
            here->second += next->second;
            free_.erase(next);
        }
        if (here == free_.begin()) return;
        if (auto before = std::prev(here); before->first + before->second == offset) {
            before->second += here->second;
            free_.erase(here);
        }
    }

private:
    SharedBlock memory_;
    std::map<size_t, size_t> free_;  ///< The size of each free piece, in bytes, by its offset.
};

/// Host memory in blocks that other processes can see; the cpu's when the system refuses.
class SharedDevice final : public Device {
public:
    SharedDevice() : Device("cpu (shared)", false, true) {}

    Ref<Storage> allocate(size_t bytes) override {
        Ref<Storage> storage = make_ref<Storage>();
        storage->device = this;
        storage->bytes = bytes;
        if (bytes == 0) return storage;
        std::lock_guard lock(mutex_);
        void* data = nullptr;
        for (Arena& arena : arenas_)
            if ((data = arena.take(in_pages(bytes)))) break;
        if (!data && grow(in_pages(bytes))) data = arenas_.back().take(in_pages(bytes));
        if (!data) return cpu_device().allocate(bytes);
        storage->data = data;
        storage->expose();  // To other processes.
        return storage;
    }
    void free(Storage* storage) override {
        if (storage->data) {
            std::lock_guard lock(mutex_);
            arena_of(storage->data).give_back(storage->data, in_pages(storage->bytes));
        }
        delete storage;
    }
    void launch(const KernelCall& call) override { cpu_device().launch(call); }
    void copy_from_host(const void* host, const Array& to) override {
        cpu_device().copy_from_host(host, to);
    }
    void copy_to_host(const Array& from, void* host) override {
        cpu_device().copy_to_host(from, host);
    }
    SharedBlock block(const Storage& storage) {
        if (!storage.data) return {};
        std::lock_guard lock(mutex_);
        return arena_of(storage.data).memory();
    }

private:
    static size_t in_pages(size_t bytes) {
        constexpr size_t page = 4096;
        return (bytes + page - 1) / page * page;
    }
    /// Adds a block. Each costs a descriptor, so they grow with what there is: the number stays
    /// small.
    bool grow(size_t least) {
        size_t all = 0;
        for (const Arena& arena : arenas_) all += arena.memory().bytes;
        for (size_t bytes : {std::max(least, in_pages(all / 4)), least})
            if (SharedBlock made = make_shared_block(bytes); made.data) {
                arenas_.emplace_back(made);
                return true;
            }
        return false;
    }
    Arena& arena_of(const void* data) {
        for (Arena& arena : arenas_)
            if (arena.contains(data)) return arena;
        CATENA_ASSERT(false, "shared memory that is in no block");
        return arenas_.front();
    }

    std::mutex& mutex_ = taken_by_forks(*new std::mutex);
    std::vector<Arena> arenas_;
};

SharedDevice& shared_device() {
    static SharedDevice& instance = *new SharedDevice;
    return instance;
}

}  // namespace

SharedBlock make_shared_block(size_t bytes) {
    int file = memfd_create("catena", MFD_CLOEXEC);
    if (file < 0) return {};
    // Reserved at once: a machine without that much memory says so here, not by a signal later.
    SharedBlock made;
    errno = posix_fallocate(file, 0, off_t(bytes));  // Which returns what others store there.
    if (errno == 0) made = map_file(file, bytes);
    if (!made.data) close_after(file);
    return made;
}

SharedBlock map_shared_block(int64_t pid, int file, size_t bytes) {
    std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(file);
    int opened = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (opened < 0) return {};
    SharedBlock mapped;
    errno = ESTALE;  // Of a file of another size.
    struct stat status{};
    if (fstat(opened, &status) == 0 && size_t(status.st_size) == bytes)
        mapped = map_file(opened, bytes);
    close_after(opened);  // Mapped memory needs no descriptor, of which a process has few.
    mapped.file = -1;
    return mapped;
}

void close_file(SharedBlock& block) {
    if (block.file >= 0) close(std::exchange(block.file, -1));
}

void unmap_shared_block(SharedBlock& block) {
    if (!block.data) return;
    munmap(block.data, block.bytes);
    close_file(block);
    block = {};
}

SharedBlock shared_block_of(const Storage& storage) {
    return storage.device == &shared_device() ? shared_device().block(storage) : SharedBlock();
}

Array shared_array(const Type& type) { return Array::empty(type, shared_device()); }

}  // namespace catena
