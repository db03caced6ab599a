#include "runtime/program/run/linked_object.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/core/system/error.h"

namespace catena::program {
namespace {

[[noreturn]] void refuse(const std::string& what) { fail<FileError>("linking kernels: {}", what); }

/// `count` structures at `offset`; the file need not align them.
template <class T>
std::vector<T> read(std::string_view file, uint64_t offset, uint64_t count) {
    if (offset > file.size() || count > (file.size() - offset) / sizeof(T))
        refuse("the object file is cut off");
    std::vector<T> read(count);
    if (count > 0) std::memcpy(read.data(), file.data() + offset, count * sizeof(T));
    return read;
}

/// A call goes 2 GiB far at most, and libraries may be further away: jmp *(after it); the address.
constexpr unsigned char jump[8] = {0xff, 0x25, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00};
constexpr size_t stub_bytes = 16;

}  // namespace

/// Places the sections that are needed at run time, first those with code and the stubs, then
/// constants, and resolves what they name.
class LinkedObject::Linker {
public:
    Linker(LinkedObject& made, std::string_view file) : made_(made), file_(file) {
        const Elf64_Ehdr header = read<Elf64_Ehdr>(file, 0, 1)[0];
        if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
            header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
            header.e_type != ET_REL || header.e_shentsize != sizeof(Elf64_Shdr))
            refuse("it is no object file of ELF with 64 bits");
        if (header.e_machine != machine) refuse("the object file is for another processor");
        sections_ = read<Elf64_Shdr>(file, header.e_shoff, header.e_shnum);
        address_.resize(sections_.size());
        read_symbols();
    }

    void link() {
        place();
        for (const Elf64_Shdr& section : sections_) relocate(section);
        protect();
        for (const Elf64_Sym& symbol : symbols_)
            if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF)
                made_.functions_.emplace(name_of(symbol), address_of(symbol));
    }

private:
#if defined(__x86_64__)
    static constexpr uint16_t machine = EM_X86_64;
#else
    static constexpr uint16_t machine = EM_NONE;
#endif

    const Elf64_Shdr& section(uint64_t number) const {
        if (number >= sections_.size())
            refuse("the object file names a section that it does not have");
        return sections_[number];
    }

    void read_symbols() {
        for (const Elf64_Shdr& each : sections_) {
            if (each.sh_type != SHT_SYMTAB) continue;
            symbols_ = read<Elf64_Sym>(file_, each.sh_offset, each.sh_size / sizeof(Elf64_Sym));
            const Elf64_Shdr& names = section(each.sh_link);
            const std::vector<char> text = read<char>(file_, names.sh_offset, names.sh_size);
            names_.assign(text.begin(), text.end());
        }
    }

    std::string name_of(const Elf64_Sym& symbol) const {
        const size_t end =
            symbol.st_name < names_.size() ? names_.find('\0', symbol.st_name) : std::string::npos;
        if (end == std::string::npos) refuse("the object file has a symbol without a name");
        return names_.substr(symbol.st_name, end - symbol.st_name);
    }

    /// Whether the section is there at run time. Tables for exceptions are not: kernels throw none.
    bool is_placed(const Elf64_Shdr& each) const {
        constexpr uint32_t unwind_tables =
            0x70000001;  // SHT_X86_64_UNWIND, as LLVM gives it to .eh_frame.
        if (!(each.sh_flags & SHF_ALLOC) || each.sh_size == 0 || each.sh_type == unwind_tables)
            return false;
        if (each.sh_flags & SHF_WRITE || each.sh_type != SHT_PROGBITS)
            refuse("the object file has data that is written");
        return true;
    }

    void place() {
        size_t bytes = place_if(
            [](const Elf64_Shdr& each) { return (each.sh_flags & SHF_EXECINSTR) != 0; }, 0);
        next_stub_ = bytes = (bytes + stub_bytes - 1) / stub_bytes * stub_bytes;
        for (const Elf64_Sym& symbol : symbols_)
            bytes += symbol.st_shndx == SHN_UNDEF ? stub_bytes : 0;
        const auto page = size_t(::sysconf(_SC_PAGESIZE));
        constants_ = (bytes + page - 1) / page * page;
        bytes =
            place_if([](const Elf64_Shdr& each) { return (each.sh_flags & SHF_EXECINSTR) == 0; },
                     constants_);
        made_.bytes_ = (bytes + page - 1) / page * page;
        if (made_.bytes_ == 0) refuse("the object file is empty");
        void* memory = ::mmap(nullptr, made_.bytes_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) refuse(std::strerror(errno));
        made_.memory_ = static_cast<char*>(memory);
        for (size_t i = 0; i < sections_.size(); ++i)
            if (is_placed(sections_[i]))
                std::memcpy(made_.memory_ + address_[i], file_.data() + sections_[i].sh_offset,
                            sections_[i].sh_size);
    }

    template <class Condition>
    size_t place_if(Condition is_wanted, size_t bytes) {
        for (size_t i = 0; i < sections_.size(); ++i) {
            const Elf64_Shdr& each = sections_[i];
            if (!is_placed(each) || !is_wanted(each)) continue;
            read<char>(file_, each.sh_offset, each.sh_size);
            const uint64_t alignment = std::max<uint64_t>(each.sh_addralign, 1);
            if (alignment > 4096) refuse("the object file aligns a section to more than a page");
            bytes = (bytes + alignment - 1) / alignment * alignment;
            address_[i] = bytes;
            bytes += each.sh_size;
        }
        return bytes;
    }

    char* address_of(const Elf64_Sym& symbol) const {
        const Elf64_Shdr& home = section(symbol.st_shndx);
        if (!is_placed(home) || symbol.st_value > home.sh_size)
            refuse("the object file names a place that it does not have");
        return made_.memory_ + address_[symbol.st_shndx] + symbol.st_value;
    }

    /// A jump to a function of the process.
    char* stub_of(const Elf64_Sym& symbol) {
        const std::string name = name_of(symbol);
        const auto known = stub_.find(name);
        if (known != stub_.end()) return known->second;
        void* function = ::dlsym(RTLD_DEFAULT, name.c_str());
        if (!function)
            refuse("the object file calls " + name + ", which this process does not have");
        char* stub = made_.memory_ + next_stub_;
        next_stub_ += stub_bytes;
        std::memcpy(stub, jump, sizeof jump);
        std::memcpy(stub + sizeof jump, &function, sizeof function);
        return stub_[name] = stub;
    }

    void relocate(const Elf64_Shdr& table) {
        if (table.sh_type == SHT_REL) refuse("the object file has relocations without addends");
        if (table.sh_type != SHT_RELA) return;
        const Elf64_Shdr& target = section(table.sh_info);
        if (!is_placed(target)) return;
        for (const Elf64_Rela& entry :
             read<Elf64_Rela>(file_, table.sh_offset, table.sh_size / sizeof(Elf64_Rela))) {
            const uint64_t type = ELF64_R_TYPE(entry.r_info), number = ELF64_R_SYM(entry.r_info);
            if (number >= symbols_.size())
                refuse("the object file names a symbol that it does not have");
            if (entry.r_offset > target.sh_size ||
                target.sh_size - entry.r_offset < sizeof(int32_t))
                refuse("the object file relocates beyond a section");
            const Elf64_Sym& symbol = symbols_[number];
            const bool is_call = type == R_X86_64_PLT32;
            if (!is_call && type != R_X86_64_PC32)
                refuse(fmt::format("the object file has relocations of type {}", type));
            if (symbol.st_shndx == SHN_UNDEF && !is_call)
                refuse("the object file reads the data of another");
            const char* to = symbol.st_shndx == SHN_UNDEF ? stub_of(symbol) : address_of(symbol);
            char* place = made_.memory_ + address_[table.sh_info] + entry.r_offset;
            const auto distance = int64_t(uint64_t(to - place) + uint64_t(entry.r_addend));
            if (distance != int32_t(distance)) refuse("the object file is too large");
            const auto written = int32_t(distance);
            std::memcpy(place, &written, sizeof written);
        }
    }

    void protect() const {
        if (constants_ > 0 && ::mprotect(made_.memory_, constants_, PROT_READ | PROT_EXEC) != 0)
            refuse(std::strerror(errno));
        if (made_.bytes_ > constants_ &&
            ::mprotect(made_.memory_ + constants_, made_.bytes_ - constants_, PROT_READ) != 0)
            refuse(std::strerror(errno));
    }

    LinkedObject& made_;
    const std::string_view file_;
    std::vector<Elf64_Shdr> sections_;
    std::vector<size_t> address_;  ///< The address of each section in the memory.
    std::vector<Elf64_Sym> symbols_;
    std::string names_;
    std::map<std::string, char*> stub_;  ///< The stub of each function.
    size_t next_stub_ = 0, constants_ = 0;
};

LinkedObject::LinkedObject(std::string_view object) {
    try {
        Linker(*this, object).link();
    } catch (...) {
        if (memory_) ::munmap(memory_, bytes_);
        throw;
    }
}

LinkedObject::~LinkedObject() { ::munmap(memory_, bytes_); }

void* LinkedObject::find(const std::string& symbol) const {
    const auto found = functions_.find(symbol);
    if (found == functions_.end())
        fail<FileError>("linking kernels: the object file has no function {}", symbol);
    return found->second;
}

}  // namespace catena::program
