// Kept programs of right checksums and wrong content: they are compiled again, or run without harm.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "frontend/compiler/compiler_loader.h"
#include "runtime/core/system/error.h"
#include "runtime/file/disk_cache.h"
#include "runtime/program/file/kept_schedule.h"
#include "runtime/program/run/joint_executable.h"
#include "tests/support/command.h"
#include "tests/support/environment.h"
#include "tests/support/mutator.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A program that was kept: its key, and the form under it.
struct KeptEntry {
    std::string key;
    Json form;
};

/// Of an entry's file (runtime/file/disk_cache.cpp): magic, two lengths, two fingerprints; key and
/// value.
std::optional<KeptEntry> entry_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string content(std::istreambuf_iterator<char>(file), {});
    constexpr size_t header = 8 + 8 + 8 + 32 + 32;
    uint64_t key_bytes = 0;
    std::memcpy(&key_bytes, content.data() + 8, sizeof key_bytes);
    const Json form = Json::from_cbor(content.substr(header + key_bytes), true, false);
    if (form.is_discarded() || !form.is_object() || !form.contains("schedule")) return std::nullopt;
    return KeptEntry{content.substr(header, key_bytes), form};
}

class KeptContent : public ::testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
#if !defined(__x86_64__)
        GTEST_SKIP() << "programs are kept on x86-64 only";
#endif
        std::string pattern = (fs::temp_directory_path() / "catena_content_XXXXXX").string();
        root_ = mkdtemp(pattern.data());
    }
    void TearDown() override {
        if (!root_.empty()) fs::remove_all(root_);
    }
    fs::path cache() const { return root_ / "kernels"; }
    CommandResult result_of(const std::string& arguments) const {
        return run(fmt::format("CATENA_CHECK_SCHEDULES=0 CATENA_KERNEL_CACHE={} {} {}",
                               cache().string(), program("kept_programs_1"), arguments));
    }
    /// What it prints; it must end well.
    std::string output_of(const std::string& arguments) const {
        const CommandResult result = result_of(arguments);
        EXPECT_EQ(result.status, 0) << result.output;
        return result.output;
    }
    std::vector<KeptEntry> entries() const {
        std::vector<KeptEntry> found;
        for (const auto& file : fs::directory_iterator(cache()))
            if (const std::optional<KeptEntry> entry = entry_of(file.path()))
                found.push_back(*entry);
        return found;
    }
    void store(const std::string& key, const Json& form) const {
        std::string bytes;
        Json::to_cbor(form, bytes);
        DiskCache(cache().string(), size_t(1) << 30).store(key, bytes);
    }

private:
    fs::path root_;
};

TEST_F(KeptContent, the_program_of_another_recording_is_compiled_again) {
    const std::string own = output_of("own 2");
    const std::vector<KeptEntry> first = entries();
    ASSERT_EQ(first.size(), 1u);
    output_of("step mushroom");
    for (const KeptEntry& other : entries())
        if (other.key != first[0].key) store(first[0].key, other.form);
    EXPECT_EQ(output_of("own 2"), own) << "compiled";
    EXPECT_THAT(output_of("own 2"), HasSubstr("own 12 12\nprograms 1, from disk 1"));
}

TEST_F(KeptContent, what_names_numbers_steps_or_a_border_that_are_not_there_is_compiled_again) {
    const std::string first = output_of("step mushroom");
    const std::string results = first.substr(0, first.find('\n'));
    const std::vector<KeptEntry> kept = entries();
    ASSERT_EQ(kept.size(), 1u);
    std::map<std::string, Json> wrong;
    for (const auto& [name, place, value] : std::vector<std::tuple<std::string, std::string, Json>>{
             {"a step", "/kernels/0/1/0", 100000},
             {"no step", "/calls/0/0", -7},
             {"a cut", "/schedule/cut",
              Json{{"launch", 0}, {"inputs", 0}, {"outputs", 0}, {"assigns", 0}}},
             {"no results", "/schedule/results", Json::array()},
             {"an object", "/objects/0", "00000000000000000000000000000000"},
             {"a symbol", "/code/0/1", "no_such_kernel"},
             {"no schedule", "/schedule", 5}}) {
        wrong[name] = kept[0].form;
        wrong[name][Json::json_pointer(place)] = value;
    }
    wrong["numbers"] = kept[0].form;
    for (const char* list : {"kernels", "library_calls"})
        for (Json& launched : wrong["numbers"]["schedule"][list])
            for (Json& number : launched["scalars"]) number = 100000;
    wrong["nothing"] = Json::object();
    for (const auto& [name, form] : wrong) {
        SCOPED_TRACE(name);
        ASSERT_NE(form, kept[0].form);
        store(kept[0].key, form);
        EXPECT_THAT(output_of("step mushroom"),
                    ::testing::AllOf(HasSubstr(results), HasSubstr("from disk 0")));
    }
    EXPECT_THAT(output_of("step mushroom"), HasSubstr("from disk 1")) << "kept again";
}

/// Puts another number into a place of the form that random numbers choose.
void change_a_number(Json& form, Random& random) {
    const Json flat = form.flatten();
    std::vector<std::string> places;
    for (const auto& [place, value] : flat.items())
        if (value.is_number()) places.push_back(place);
    const int64_t values[] = {-1, 0, 1, 2, 7, 255, int64_t(1) << 31, int64_t(1) << 40};
    form[Json::json_pointer(places[random() % places.size()])] =
        values[random() % std::size(values)];
}

/// The cache of a process is that of its first use.
using KeptContentInOwnProcess = KeptContent;

TEST_F(KeptContentInOwnProcess, with_any_other_number_is_refused_or_made_a_program) {
    const test::EnvironmentScope environment("CATENA_KERNEL_CACHE", cache().string());
    output_of("step mushroom");
    const std::vector<KeptEntry> kept = entries();
    ASSERT_EQ(kept.size(), 1u);
    int refused = 0, made = 0;
    for (uint64_t seed = 1; seed <= 1000; ++seed) {
        Random random(seed);
        Json form = kept[0].form;
        change_a_number(form, random);
        std::string bytes;
        Json::to_cbor(form, bytes);
        try {
            program::make_executable(program::schedule_of_kept(bytes));
            ++made;
        } catch (const FileError&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 100);
    EXPECT_GT(made, 100);
}

}  // namespace
}  // namespace catena::testing
