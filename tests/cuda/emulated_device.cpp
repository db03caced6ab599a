#include "tests/cuda/emulated_device.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/cuda/emulated_stream.h"
#include "tests/support/command.h"

namespace catena::testing {

namespace {

constexpr size_t page = 4096;
constexpr size_t alignment = 64;

size_t whole_pages(size_t bytes) { return (bytes + page - 1) / page * page; }
size_t aligned(size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// A folder of this process, removed at its end.
const std::filesystem::path& work_folder() {
    struct Folder {
        std::filesystem::path path;
        Folder() {
            std::string pattern =
                (std::filesystem::temp_directory_path() / "catena_emulation_XXXXXX").string();
            if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
            path = pattern;
        }
        ~Folder() {
            std::error_code ignored;
            std::filesystem::remove_all(path, ignored);
        }
    };
    static Folder folder;
    return folder.path;
}

/// The kernel's own text within its unit.
std::string_view text_of_kernel(std::string_view unit, const std::string& name) {
    const size_t begin = unit.find(" " + name + "(");
    if (begin == unit.npos) throw std::logic_error("the text has no kernel " + name);
    return unit.substr(begin, unit.find("extern \"C\"", begin) - begin);
}

/// Units of several programs may have kernels of one name.
std::string without_linkage(std::string text) {
    const std::string linkage = "extern \"C\" ";
    for (size_t at = 0; (at = text.find(linkage, at)) != text.npos;) text.erase(at, linkage.size());
    return text;
}

}  // namespace

EmulatedDevice& EmulatedDevice::instance() {
    static EmulatedDevice& device = *new EmulatedDevice("emulated");
    return device;
}

std::vector<const void*> EmulatedDevice::load(const std::string& image,
                                              std::span<const std::string> names) {
    Unit unit;
    std::vector<const void*> handles;
    for (const std::string& name : names) {
        auto kernel = std::make_unique<EmulatedKernel>();
        kernel->name = name;
        const std::string_view text = text_of_kernel(image, name);
        kernel->communicates =
            text.find("__syncthreads") != text.npos || text.find("_sync(") != text.npos;
        handles.push_back(kernel.get());
        unit.kernels.push_back(kernel.get());
        kernels_.push_back(std::move(kernel));
    }
    texts_.push_back(image);
    units_.push_back(std::move(unit));
    return handles;
}

void EmulatedDevice::compile_pending() {
    std::vector<size_t> halves[2];
    size_t count = 0;
    for (size_t u = 0; u < units_.size(); ++u)
        if (!units_[u].compiled) halves[count++ % 2].push_back(u);
    std::string complaint;
    auto compile = [&](const std::vector<size_t>& units) {
        constexpr size_t at_once = 16;  // Units in one library.
        try {
            for (size_t i = 0; i < units.size(); i += at_once)
                compile_some(std::span(units).subspan(i, std::min(at_once, units.size() - i)));
        } catch (const std::exception& error) {
            std::lock_guard lock(mutex_);
            complaint = error.what();
        }
    };
    std::thread other([&] { compile(halves[1]); });
    compile(halves[0]);
    other.join();
    if (!complaint.empty()) throw std::runtime_error(complaint);
}

void EmulatedDevice::compile_some(std::span<const size_t> units) {
    const std::string base = (work_folder() / fmt::format("unit{}", units[0])).string();
    {
        std::ofstream file(base + ".cpp");
        file << "#include \"tests/cuda/emulation.h\"\n";
        for (size_t u : units) {
            file << fmt::format("namespace unit{} {{\n{}\n", u, without_linkage(texts_[u]));
            for (const EmulatedKernel* kernel : units_[u].kernels)
                file << fmt::format(
                    "extern \"C\" void emulate_{1}_{0}(const void* a) {{ emulation::call({0}, a); "
                    "}}\n"
                    "extern \"C\" unsigned long bytes_of_{1}_{0}() {{ return "
                    "emulation::argument_bytes({0}); }}\n",
                    kernel->name, u);
            file << "}\n";
        }
    }
    // As IEEE has it, and as CUDA allows: integers wrap, memory has no types.
    const auto result = run(fmt::format(
        "{0} -std=c++20 -O1 -w -fPIC -shared -mfma -ffp-contract=off -fno-strict-aliasing -fwrapv "
        "-fno-math-errno -I{1} -o {2}.so {2}.cpp",
        CATENA_CXX, CATENA_SOURCE_DIR, base));
    if (result.status != 0)
        throw std::runtime_error("the host's compiler: " + result.output.substr(0, 4000));
    void* library = dlopen((base + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(dlerror());
    for (size_t u : units) {
        for (EmulatedKernel* kernel : units_[u].kernels) {
            kernel->library = library;
            kernel->entry = reinterpret_cast<EmulatedKernel::Entry>(
                dlsym(library, fmt::format("emulate_{}_{}", u, kernel->name).c_str()));
            auto* bytes = reinterpret_cast<size_t (*)()>(
                dlsym(library, fmt::format("bytes_of_{}_{}", u, kernel->name).c_str()));
            kernel->argument_bytes = bytes();
        }
        units_[u].compiled = true;
    }
}

size_t EmulatedDevice::argument_bytes(const void* kernel) {
    auto* emulated = static_cast<const EmulatedKernel*>(kernel);
    if (!emulated->entry) compile_pending();
    return emulated->argument_bytes;
}

namespace {

/// A launch with its argument as it was.
struct KeptLaunch {
    CodeDevice::Launch launch;
    std::vector<char> arguments;
};

/// For each part of the work what its call launched, and the memory that calls took and gave back.
struct Recorded final : CodeDevice::Replay {
    std::vector<std::vector<KeptLaunch>> calls;
    std::vector<Storage*> memory;
    bool is_unfit = false;
    ~Recorded() override {
        for (Storage* storage : memory) EmulatedDevice::instance().free(storage);
    }
};

thread_local Recorded* recording = nullptr;

}  // namespace

bool EmulatedDevice::is_recording() const { return recording != nullptr; }

std::unique_ptr<CodeDevice::Replay> EmulatedDevice::record(std::span<const Work> work) {
    auto made = std::make_unique<Recorded>();
    recording = made.get();
    for (const Work& part : work) {
        made->calls.emplace_back();
        try {
            if (part.call) part.call();
        } catch (...) {
            recording = nullptr;
            throw;
        }
    }
    recording = nullptr;
    if (made->is_unfit) return nullptr;
    return made;
}

void EmulatedDevice::replay(Replay& recorded, std::span<const Work> work) {
    ++replays_;
    const Recorded& made = static_cast<Recorded&>(recorded);
    for (size_t i = 0; i < work.size(); ++i) {
        for (const Launch& launch : work[i].launches) launch_code(launch);
        for (const KeptLaunch& kept : made.calls[i]) {
            Launch launch = kept.launch;
            launch.arguments = kept.arguments.data();
            launch_code(launch);
        }
    }
}

bool EmulatedDevice::launch_in_library(const KernelCall& call) {
    if (!has_library_for(call)) return false;
    if (recording) recording->is_unfit = true;
    return library_.launch(call);
}

void EmulatedDevice::launch_code(const Launch& launch) {
    if (recording) {
        const auto* bytes = static_cast<const char*>(launch.arguments);
        recording->calls.back().push_back({launch, {bytes, bytes + launch.bytes}});
        return;
    }
    if (collecting_) return;
    auto* kernel = static_cast<const EmulatedKernel*>(launch.kernel);
    if (!kernel->entry) compile_pending();
    ++launches_;
    run_blocks(*kernel, launch.blocks, launch.threads, launch.arguments);
}

void EmulatedDevice::upload(void* to, const void* from, size_t bytes) {
    if (recording) fail<DeviceError>("emulated: a recorded call makes a copy from the host");
    ++uploads_;
    if (bytes > 0) std::memcpy(to, from, bytes);
}

/// Before a page that may not be touched. The last given back is the first handed out again, as by
/// the pool of a real device.
void* EmulatedDevice::pages_for(size_t bytes) {
    {
        std::lock_guard lock(mutex_);
        if (std::vector<void*>& left = unused_[bytes]; !left.empty()) {
            void* memory = left.back();
            left.pop_back();
            mprotect(memory, bytes, PROT_READ | PROT_WRITE);
            return memory;
        }
    }
    void* memory =
        mmap(nullptr, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) fail<DeviceError>("emulated: no memory for {} bytes", bytes);
    mprotect(static_cast<char*>(memory) + bytes, page, PROT_NONE);
    return memory;
}

Ref<Storage> EmulatedDevice::allocate(size_t bytes) {
    Ref<Storage> storage = make_ref<Storage>();
    storage->device = this;
    if (bytes == 0) return storage;
    const size_t pages = whole_pages(aligned(bytes));
    char* end = static_cast<char*>(pages_for(pages)) + pages;
    storage->data = end - aligned(bytes);
    storage->bytes = bytes;
    std::memset(storage->data, 0xff, aligned(bytes));
    std::lock_guard lock(mutex_);
    blocks_[static_cast<const char*>(storage->data)] = bytes;
    return storage;
}

bool EmulatedDevice::owns(const void* memory, size_t bytes) {
    const char* const begin = static_cast<const char*>(memory);
    std::lock_guard lock(mutex_);
    auto block = blocks_.upper_bound(begin);
    if (block == blocks_.begin()) return false;
    --block;
    return begin + bytes <= block->first + block->second;
}

namespace {

struct Done final : CodeDevice::Mark {
    bool is_reached() override { return true; }
};

struct StreamMark final : CodeDevice::Mark {
    StreamMark(EmulatedStream& stream) : stream(stream), target(stream.given) {}
    bool is_reached() override { return stream.done >= target; }
    EmulatedStream& stream;
    int64_t target;
};

struct OtherStream final : CodeDevice::Stream {
    void* handle() override { return &stream; }
    void wait_for(const CodeDevice::Mark&) override { ++stream.waits; }
    std::unique_ptr<CodeDevice::Mark> mark() override {
        return std::make_unique<StreamMark>(stream);
    }
    EmulatedStream stream;
};

}  // namespace

std::unique_ptr<CodeDevice::Mark> EmulatedDevice::mark() { return std::make_unique<Done>(); }
std::unique_ptr<CodeDevice::Stream> EmulatedDevice::make_stream() {
    return std::make_unique<OtherStream>();
}

void EmulatedDevice::free(Storage* storage) {
    if (recording) return recording->memory.push_back(storage);
    if (storage->data) {
        const size_t pages = whole_pages(aligned(storage->bytes));
        void* memory = static_cast<char*>(storage->data) + aligned(storage->bytes) - pages;
        madvise(memory, pages, MADV_DONTNEED);
        mprotect(memory, pages, PROT_NONE);
        std::lock_guard lock(mutex_);
        blocks_.erase(static_cast<const char*>(storage->data));
        unused_[pages].push_back(memory);
    }
    delete storage;
}

void EmulatedDevice::copy_from_host(const void* host, const Array& to) {
    upload(
        static_cast<char*>(to.storage()->data) + to.body()->offset * int64_t(size_of(to.dtype())),
        host, size_t(to.size()) * size_of(to.dtype()));
}

void EmulatedDevice::copy_to_host(const Array& from, void* host) {
    const Array dense = from.as_contiguous();
    if (from.size() > 0)
        std::memcpy(host,
                    static_cast<char*>(dense.storage()->data) +
                        dense.body()->offset * int64_t(size_of(dense.dtype())),
                    size_t(dense.size()) * size_of(dense.dtype()));
    raise_faults();
}

}  // namespace catena::testing
