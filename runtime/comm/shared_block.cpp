#include "runtime/comm/shared_block.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/comm/shared_memory.h"
#include "runtime/core/device.h"
#include "runtime/core/fork.h"

namespace catena {
namespace {

SharedBlock map_file(int file, size_t bytes) {
    void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (data != MAP_FAILED) return {data, bytes, file};
    close(file);
    return {};
}

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
        size_t best = blocks_.size();
        for (size_t i = 0; i < blocks_.size(); ++i) {
            const Block& b = blocks_[i];
            bool fits = !b.in_use && b.memory.bytes >= bytes && b.memory.bytes <= 2 * bytes + page;
            if (fits && (best == blocks_.size() || b.memory.bytes < blocks_[best].memory.bytes))
                best = i;
        }
        if (best == blocks_.size()) {
            SharedBlock made = make_shared_block((bytes + page - 1) / page * page);
            if (!made.data) return cpu_device().allocate(bytes);
            blocks_.push_back({made, false});
        }
        blocks_[best].in_use = true;
        storage->data = blocks_[best].memory.data;
        storage->expose();  // To other processes.
        storage->size_class = uint32_t(best);
        return storage;
    }
    void free(Storage* storage) override {
        if (storage->data) {
            std::lock_guard lock(mutex_);
            blocks_[storage->size_class].in_use = false;
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
        return blocks_[storage.size_class].memory;
    }

private:
    static constexpr size_t page = 4096;
    struct Block {
        SharedBlock memory;
        bool in_use;
    };
    std::mutex& mutex_ = taken_by_forks(*new std::mutex);
    std::vector<Block> blocks_;
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
    if (posix_fallocate(file, 0, off_t(bytes)) != 0) {
        close(file);
        return {};
    }
    return map_file(file, bytes);
}

SharedBlock map_shared_block(int64_t pid, int file, size_t bytes) {
    std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(file);
    int opened = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (opened < 0) return {};
    struct stat status {};
    if (fstat(opened, &status) == 0 && size_t(status.st_size) == bytes)
        return map_file(opened, bytes);
    close(opened);
    return {};
}

void unmap_shared_block(SharedBlock& block) {
    if (!block.data) return;
    munmap(block.data, block.bytes);
    close(block.file);
    block = {};
}

SharedBlock shared_block_of(const Storage& storage) {
    return storage.device == &shared_device() ? shared_device().block(storage) : SharedBlock();
}

Array shared_array(const Type& type) { return Array::empty(type, shared_device()); }

}  // namespace catena
