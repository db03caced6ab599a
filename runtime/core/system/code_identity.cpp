#include "runtime/core/system/code_identity.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace catena {
namespace {

/// The build id among these notes; empty: there is none.
std::string build_id(const char* at, const char* end) {
    const auto padded = [](uint64_t bytes) { return (bytes + 3) / 4 * 4; };
    while (size_t(end - at) >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        std::memcpy(&note, at, sizeof note);
        const char* name = at + sizeof note;
        const uint64_t bytes = padded(note.n_namesz) + padded(note.n_descsz);
        if (bytes > uint64_t(end - name)) break;
        const char* content = name + padded(note.n_namesz);
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !std::memcmp(name, "GNU", 4)) {
            std::string text = "build ";
            for (uint32_t i = 0; i < note.n_descsz; ++i)
                text += fmt::format("{:02x}", uint8_t(content[i]));
            return text;
        }
        at = name + bytes;
    }
    return "";
}

std::string build_of_loaded(const dl_phdr_info& object) {
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const ElfW(Phdr) & part = object.dlpi_phdr[i];
        if (part.p_type != PT_NOTE) continue;
        const char* begin = reinterpret_cast<const char*>(object.dlpi_addr + part.p_vaddr);
        if (std::string id = build_id(begin, begin + part.p_memsz); !id.empty()) return id;
    }
    return "";
}

std::string size_and_time(const char* path) {
    struct stat status;
    if (::stat(path, &status) != 0) return "";
    return fmt::format("{} {} {}.{}", path, status.st_size, status.st_mtim.tv_sec,
                       status.st_mtim.tv_nsec);
}

bool contains(const dl_phdr_info& object, uintptr_t address) {
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const ElfW(Phdr) & part = object.dlpi_phdr[i];
        const uintptr_t begin = object.dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_LOAD && address >= begin && address < begin + part.p_memsz)
            return true;
    }
    return false;
}

/// Calls f(object) for everything that is loaded until it returns true.
template <class F>
void for_each_object(F f) {
    ::dl_iterate_phdr([](dl_phdr_info* object, size_t,
                         void* data) { return int((*static_cast<F*>(data))(*object)); },
                      &f);
}

std::string path_of(const dl_phdr_info& object) {
    return object.dlpi_name && *object.dlpi_name ? object.dlpi_name : "/proc/self/exe";
}

/// Whether it names one of Catena's libraries among those that it needs.
bool needs_catena(const dl_phdr_info& object) {
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        if (object.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const auto* entries =
            reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
        const char* texts = nullptr;
        for (const auto* entry = entries; entry->d_tag != DT_NULL; ++entry)
            if (entry->d_tag == DT_STRTAB) texts = reinterpret_cast<const char*>(entry->d_un.d_ptr);
        // The loader has made it an address, but in its own image and that of the kernel (vdso).
        if (reinterpret_cast<uintptr_t>(texts) < object.dlpi_addr) return false;
        for (const auto* entry = entries; entry->d_tag != DT_NULL; ++entry)
            if (entry->d_tag == DT_NEEDED &&
                std::string_view(texts + entry->d_un.d_val).starts_with("libcatena"))
                return true;
    }
    return false;
}

bool is_same_file(const std::string& a, const std::string& b) {
    std::error_code error;
    return a == b || (!b.empty() && std::filesystem::equivalent(a, b, error));
}

}  // namespace

std::string build_of(const void* address) {
    std::string build;
    for_each_object([&](const dl_phdr_info& object) {
        if (!contains(object, reinterpret_cast<uintptr_t>(address))) return false;
        build = build_of_loaded(object);
        if (build.empty()) build = size_and_time(path_of(object).c_str());
        return true;
    });
    return build;
}

std::string build_of_file(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return "";
    const auto read_at = [&](void* to, size_t bytes, uint64_t offset) {
        return ::pread(file, to, bytes, off_t(offset)) == ssize_t(bytes);
    };
    std::string id;
    ElfW(Ehdr) header;
    if (read_at(&header, sizeof header, 0) && !std::memcmp(header.e_ident, ELFMAG, SELFMAG) &&
        header.e_phentsize == sizeof(ElfW(Phdr))) {
        for (int i = 0; i < header.e_phnum && id.empty(); ++i) {
            ElfW(Phdr) part;
            constexpr size_t most_bytes = 1 << 16;
            if (!read_at(&part, sizeof part, header.e_phoff + size_t(i) * sizeof part)) break;
            if (part.p_type != PT_NOTE || part.p_filesz > most_bytes) continue;
            std::vector<char> notes(part.p_filesz);
            if (read_at(notes.data(), notes.size(), part.p_offset))
                id = build_id(notes.data(), notes.data() + notes.size());
        }
    }
    ::close(file);
    return id.empty() ? size_and_time(path.c_str()) : id;
}

std::string builds_in_process(const std::string& except) {
    std::vector<std::string> builds;
    bool is_first = true;
    for_each_object([&](const dl_phdr_info& object) {
        const bool is_program = std::exchange(is_first, false);
        if (!is_program && !needs_catena(object)) return false;
        const std::string path = path_of(object);
        if (is_same_file(path, except)) return false;
        std::string build = build_of_loaded(object);
        builds.push_back(build.empty() ? size_and_time(path.c_str()) : std::move(build));
        return false;
    });
    std::ranges::sort(builds);  // Libraries are loaded in this order or that.
    std::string text;
    for (const std::string& build : builds) text += build + "\n";
    return text;
}

}  // namespace catena
