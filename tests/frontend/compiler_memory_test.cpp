#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "frontend/compiler/compiler_memory.h"

namespace catena {
namespace {

bool has(const std::vector<FilePages>& pages, const void* address) {
    return std::ranges::any_of(pages, [&](const FilePages& p) {
        return address >= p.begin && address < p.begin + p.bytes;
    });
}

bool is_compiler(const std::string& line) {
    return std::ranges::any_of(
        std::array{"libcatena_compiler", "libLLVM", "libMLIR"},
        [&](const char* name) { return line.find(name) != std::string::npos; });
}

/// Resident kilobytes of the compiler's code, and of LLVM's if that is in libraries of its own.
int64_t resident_code() {
    std::ifstream maps("/proc/self/smaps");
    bool wanted = false;
    int64_t kilobytes = 0;
    for (std::string line; std::getline(maps, line);) {
        if (const size_t space = line.find(' ');
            space < line.find(':'))  // "begin-end r-xp ... file", then "Rss: ...".
            wanted = line.substr(space + 1, 4) == "r-xp" && is_compiler(line);
        if (wanted && line.starts_with("Rss:")) kilobytes += std::stoll(line.substr(4));
    }
    return kilobytes;
}

bool is_mapped(const std::string& name) {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (line.find(name) != std::string::npos) return true;
    return false;
}

/// What this build says of the compiler's library.
bool llvm_is_inside() {
    std::ifstream settings(CATENA_BINARY_DIR "/CMakeCache.txt");
    for (std::string line; std::getline(settings, line);)
        if (line.starts_with("CATENA_HAS_LLVM_INSIDE:")) return line.ends_with("=ON");
    return false;
}

float doubled(double factor) {
    auto f = static_graph([factor](Variable x) { return exp(x) * factor + x; });
    return f(Variable(Array::zeros({Dtype::float32, Shape{3}}))).array().elements<float>()[1];
}

int written = 1;

TEST(CompilerMemory, pages_of_libraries_are_code_and_never_what_is_written) {
    const std::vector<FilePages> pages = pages_of_libraries();
    EXPECT_TRUE(has(pages, reinterpret_cast<const void*>(&pages_of_libraries)));
    EXPECT_FALSE(has(pages, &written));
    EXPECT_FALSE(has(pages, pages.data()));
}

TEST(CompilerMemory, llvm_is_a_part_of_the_compiler_where_its_archives_are_installed) {
    if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
    EXPECT_TRUE(is_mapped("libcatena_compiler"));
    for (const char* name : {"libLLVM", "libMLIR"})
        EXPECT_NE(is_mapped(name), llvm_is_inside()) << name;
}

TEST(CompilerMemory, is_given_back_after_long_compilations_and_read_again_by_the_next) {
    if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
    EXPECT_EQ(doubled(2), 2);
    compiled_for(2 * worthwhile_compilation);
    EXPECT_FALSE(compiled_for(0.25 * worthwhile_compilation)) << "too short";
    EXPECT_TRUE(compiled_for(worthwhile_compilation)) << "both together are long enough";
    EXPECT_LT(resident_code(), 4096);
    constexpr double long_time = 1e6;
    EXPECT_FALSE(compiled_for(-long_time))
        << "so that the next compilation, however long it takes, leaves what it has read";
    EXPECT_EQ(doubled(3), 3);
    EXPECT_GT(resident_code(), 4096);
    compiled_for(long_time);
}

}  // namespace
}  // namespace catena
