#include "tests/cuda/nvrtc_check.h"

#include <algorithm>
#include <regex>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/cuda/nvrtc.h"
#include "codegen/cuda/scalar_text.h"
#include "runtime/core/error.h"

namespace catena::testing {

namespace {

std::set<std::string> kernel_names(const std::string& text) {
    static const std::regex kernel("__global__ void __launch_bounds__\\(\\d+\\) (\\w+)\\(");
    std::set<std::string> names;
    for (std::sregex_iterator it(text.begin(), text.end(), kernel), end; it != end; ++it)
        names.insert((*it)[1]);
    return names;
}

/// All kernels that were loaded, in few translation units. Two programs of one process may each
/// have one of a name.
std::vector<std::string> merged_texts(std::span<const std::string> texts) {
    constexpr size_t bytes_at_once = 200'000;
    std::set<codegen::Instruction> with_steps;
    for (int i = 0; i < codegen::instruction_count; ++i)
        if (codegen::facts_of(codegen::Instruction(i)).has_steps)
            with_steps.insert(codegen::Instruction(i));
    const std::string preamble = codegen::cuda::preamble_text(with_steps);
    std::vector<std::string> merged;
    std::set<std::string> defined;
    for (const std::string& text : texts) {
        const std::set<std::string> names = kernel_names(text);
        const bool again = std::any_of(names.begin(), names.end(),
                                       [&](const auto& name) { return defined.contains(name); });
        if (merged.empty() || merged.back().size() > bytes_at_once || again) {
            merged.push_back(preamble);
            defined.clear();
        }
        defined.insert(names.begin(), names.end());
        merged.back() += text.substr(text.find("extern \"C\""));
    }
    return merged;
}

}  // namespace

void expect_nvrtc_takes(std::span<const std::string> all) {
    const std::vector<std::string> texts = merged_texts(all);
    ASSERT_FALSE(texts.empty());
    std::string complaints[2];
    auto compile = [&](const char* architecture, std::string& complaint) {
        try {
            for (const std::string& text : texts)
                EXPECT_FALSE(
                    codegen::cuda::nvrtc_compile(text, {.architecture = architecture}).empty());
        } catch (const CompileError& error) {
            complaint = error.what();
        }
    };
    std::thread other([&] { compile("sm_80", complaints[0]); });
    compile("sm_100", complaints[1]);
    other.join();
    for (const std::string& complaint : complaints) EXPECT_EQ(complaint, "");
    std::printf("%zu units, merged into %zu\n", all.size(), texts.size());
}

}  // namespace catena::testing
