#include "tests/cuda/nvrtc_check.h"

#include <atomic>
#include <bit>
#include <map>
#include <mutex>
#include <regex>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codegen/cuda/nvrtc.h"
#include "codegen/cuda/scalar_text.h"
#include "runtime/core/system/error.h"

namespace catena::testing {

namespace {

constexpr std::string_view linkage = "extern \"C\" ";

/// Of all units, each once.
std::set<std::string> kernels_of(std::span<const std::string> texts) {
    std::set<std::string> kernels;
    for (const std::string& text : texts)
        for (size_t begin = text.find(linkage), end; begin != text.npos; begin = end) {
            end = text.find(linkage, begin + 1);
            kernels.insert(text.substr(begin, end - begin));
        }
    return kernels;
}

/// What it says of itself.
struct Facts {
    std::string threads, name;
    int parameters = 0;
};
Facts facts_of(const std::string& kernel) {
    static const std::regex head(
        R"(__global__ void __launch_bounds__\((\d+)\) (\w+)\(const __grid_constant__ Arguments<(\d+), (\d+)>)");
    std::smatch found;
    if (!std::regex_search(kernel, found, head)) {
        ADD_FAILURE() << "a kernel begins otherwise: " << kernel.substr(0, 200);
        return {};
    }
    return {found[1], found[2], std::stoi(found[3]) + std::stoi(found[4])};
}

/// All that is not C++'s.
std::string kind_of(const std::string& kernel) {
    const Facts facts = facts_of(kernel);
    std::string kind =
        fmt::format("{} {} {}", facts.threads, facts.name.substr(0, facts.name.find('_')),
                    std::bit_width(unsigned(facts.parameters)));
    for (const char* word : {"half_to_float", "float_to_half", "__syncthreads", "_sync(", "store<"})
        kind += kernel.find(word) != kernel.npos ? " 1" : " 0";
    for (size_t at = 0; (at = kernel.find("__shared__", at)) != kernel.npos; ++at)
        kind += " " + kernel.substr(at, kernel.find(';', at) - at);
    return kind;
}

std::set<std::string> one_of_each_kind(const std::set<std::string>& kernels) {
    std::map<std::string, std::string> kinds;
    for (const std::string& kernel : kernels) kinds.emplace(kind_of(kernel), kernel);
    std::set<std::string> some;
    for (const auto& [kind, kernel] : kinds) some.insert(kernel);
    return some;
}

/// In few translation units. Two programs of one process may each have a kernel of one name.
std::vector<std::string> units_of(const std::set<std::string>& kernels) {
    constexpr size_t bytes_at_once = 200'000;
    std::set<codegen::Instruction> with_steps;
    for (int i = 0; i < codegen::instruction_count; ++i)
        if (codegen::facts_of(codegen::Instruction(i)).has_steps)
            with_steps.insert(codegen::Instruction(i));
    const std::string preamble = codegen::cuda::preamble_text(with_steps);
    std::vector<std::string> units;
    std::set<std::string> defined;
    for (const std::string& kernel : kernels) {
        const std::string name = facts_of(kernel).name;
        if (units.empty() || units.back().size() > bytes_at_once || defined.contains(name)) {
            units.push_back(preamble);
            defined.clear();
        }
        defined.insert(name);
        units.back() += kernel;
    }
    return units;
}

struct Compilation {
    std::string unit;
    codegen::cuda::NvrtcOptions options;
};

void add(std::vector<Compilation>& all, const std::set<std::string>& kernels,
         const codegen::cuda::NvrtcOptions& options) {
    for (std::string& unit : units_of(kernels)) all.push_back({std::move(unit), options});
}

void expect_all_compile(const std::vector<Compilation>& all) {
    std::atomic<size_t> next{0};
    std::mutex mutex;
    std::string complaints;
    const auto work = [&] {
        for (size_t i; (i = next++) < all.size();) {
            std::string complaint;
            try {
                if (codegen::cuda::nvrtc_compile(all[i].unit, all[i].options).empty())
                    complaint = "there is no code";
            } catch (const CompileError& error) {
                complaint = error.what();
            }
            const std::lock_guard lock(mutex);
            complaints += complaint;
        }
    };
    std::thread other(work);
    work();
    other.join();
    EXPECT_EQ(complaints, "");
}

}  // namespace

void expect_nvrtc_takes(std::span<const std::string> texts) {
    const std::set<std::string> kernels = kernels_of(texts);
    ASSERT_FALSE(kernels.empty());
    std::vector<Compilation> all;
    for (const char* architecture : {"sm_80", "sm_100"})
        add(all, kernels, {.architecture = architecture});
    expect_all_compile(all);
    std::printf("%zu kernels\n", kernels.size());
}

void expect_nvrtc_takes_quickly(std::span<const std::string> texts) {
    const std::set<std::string> kernels = kernels_of(texts), some = one_of_each_kind(kernels);
    ASSERT_FALSE(kernels.empty());
    std::vector<Compilation> all;
    for (const char* architecture : {"sm_80", "sm_100"})
        add(all, some, {.architecture = architecture});
    add(all, kernels, {.architecture = "sm_80", .ptx = true, .quick = true});
    expect_all_compile(all);
    std::printf("%zu kernels of %zu kinds\n", kernels.size(), some.size());
}

}  // namespace catena::testing
