// Packages that are cut short, damaged, newer or made to harm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <sstream>

#include <nlohmann/json.hpp>

#include "frontend/c_export/c_export.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/file/limits.h"
#include "runtime/file/zip_writer.h"
#include "runtime/program/file/package.h"
#include "runtime/program/file/program.h"
#include "tests/export/saved_step.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

class HostilePackage : public ::testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
        set_seed(7);
        Training training;
        auto step = static_graph(std::ref(training), {.name = "step"});
        step(batch(0, 8), labels(0, 8));
        step.save(path(), {.code_levels = {"scalar"}, .stages = false});
    }
    static std::string path() { return temporary("x.catena"); }
    static std::string changed() { return temporary("y.catena"); }

    /// The message of a FileError; everything else fails the test.
    static std::string refusal(const std::string& file) {
        try {
            Program program = Program::load(file);
            program.run({batch(0, 8).array(), labels(0, 8).array()});
        } catch (const FileError& error) {
            return error.what();
        }
        return "";
    }

    /// What is said of the package after a change of its documents, with checksums that fit.
    std::string after(const std::function<void(Json& manifest, Json& schedule,
                                               program::Package& package)>& change) {
        Json manifest;
        program::Package package = program::read_package(path(), manifest);
        Json schedule = Json::parse(package.texts.at("schedule.json"));
        change(manifest, schedule, package);
        package.texts["schedule.json"] = schedule.dump();
        program::write_package(changed(), manifest, package);
        return refusal(changed());
    }
};

TEST_F(HostilePackage, every_truncation_is_refused) {
    const std::string whole = content_of(path());
    for (size_t bytes = 0; bytes < whole.size(); bytes += std::max<size_t>(whole.size() / 97, 1)) {
        std::ofstream(changed(), std::ios::binary).write(whole.data(), std::streamsize(bytes));
        EXPECT_THAT(refusal(changed()), HasSubstr("y.catena")) << bytes << " of " << whole.size();
    }
}

TEST_F(HostilePackage, flipped_bits_are_found_or_do_not_matter) {
    const std::string whole = content_of(path());
    Program right = Program::load(path());
    const double loss = right.run({batch(0, 8).array(), labels(0, 8).array()})[0].item<double>();
    std::mt19937 random(3);
    int refused = 0;
    constexpr int trials = 150;
    for (int i = 0; i < trials; ++i) {
        std::string bytes = whole;
        bytes[random() % bytes.size()] ^= char(1 << random() % 8);
        std::ofstream(changed(), std::ios::binary | std::ios::trunc)
            .write(bytes.data(), std::streamsize(bytes.size()));
        try {
            Program program = Program::load(changed());
            EXPECT_EQ(program.run({batch(0, 8).array(), labels(0, 8).array()})[0].item<double>(),
                      loss);
        } catch (const FileError&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, trials * 3 / 4);
}

TEST_F(HostilePackage, a_newer_version_is_named) {
    const std::string manifest =
        R"({"format": "catena program", "version": 99, "written_by": "Catena 9.9", "entries": {}})";
    ZipWriter zip(changed());
    zip.begin("manifest.json", true);
    zip.write(manifest.data(), manifest.size());
    zip.end();
    zip.finish();
    EXPECT_THAT(refusal(changed()),
                HasSubstr("was written by a newer Catena (Catena 9.9): it is of version 99"));
}

TEST_F(HostilePackage, other_files_are_named) {
    EXPECT_THAT(refusal(temporary("none.catena")), HasSubstr("none.catena"));
    std::ofstream(changed()) << "no zip at all, though long enough to be one";
    EXPECT_THAT(refusal(changed()), HasSubstr("not a valid zip archive"));
}

TEST_F(HostilePackage, indices_that_name_nothing_are_refused) {
    EXPECT_THAT(after([](Json&, Json& s, auto&) { s["launches"][0]["kernels"].push_back(9999); }),
                HasSubstr("kernel 9999"));
    EXPECT_THAT(after([](Json&, Json& s, auto&) { s["kernels"][0]["operands"][0]["buffer"] = -5; }),
                HasSubstr("buffer -5"));
    EXPECT_THAT(after([](Json&, Json& s, auto&) { s["kernels"][0]["symbol"] = "abort_"; }),
                HasSubstr("abort_"));
    EXPECT_THAT(after([](Json& m, Json&, auto&) { m["assigned"][0] = 999; }), HasSubstr("999"));
    EXPECT_THAT(after([](Json& m, Json&, auto&) { m["sources"][0] = {"constant", 7}; }),
                HasSubstr("value 7"));
    EXPECT_THAT(after([](Json& m, Json&, auto&) { m["states"][0]["shape"] = {1, 2}; }),
                HasSubstr("should be"));
    EXPECT_THAT(after([](Json& m, Json&, auto&) { m.erase("results"); }), HasSubstr("damaged"));
    EXPECT_THAT(after([](Json&, Json& s, auto&) { s["library_calls"][0]["op"] = "no_such_op"; }),
                HasSubstr("no_such_op"));
}

TEST_F(HostilePackage, kernels_that_leave_their_memory_are_refused) {
    EXPECT_THAT(after([](Json&, Json& s, auto&) {
                    s["kernels"][0]["operands"][0]["byte_offset"] = 1 << 20;
                }),
                HasSubstr("outside of its memory"));
    EXPECT_THAT(
        after([](Json&, Json& s, auto&) { s["kernels"][0]["operands"][0]["byte_offset"] = -64; }),
        HasSubstr("outside of its memory"));
    EXPECT_THAT(after([](Json&, Json& s, auto&) {
                    for (Json& size : s["kernels"][0]["domain"]) size = int64_t(1) << 40;
                }),
                HasSubstr("y.catena"));
    EXPECT_THAT(after([](Json&, Json& s, auto&) {
                    for (Json& b : s["buffers"])
                        if (b["place"] == 2) b["bytes"] = 1;
                }),
                HasSubstr("outside of its memory"));
    EXPECT_THAT(after([](Json&, Json& s, auto&) {
                    s["library_calls"][0]["inputs"][0]["strides"][0] = 1000000;
                }),
                HasSubstr("outside of its memory"));
    EXPECT_THAT(after([](Json&, Json& s, auto&) {
                    for (Json& b : s["buffers"])
                        if (b["place"] == 2) b["bytes"] = uint64_t(1) << 60;
                }),
                HasSubstr("y.catena"));
}

//---- every field of a schedule

using Pointer = Json::json_pointer;

void find_fields(const Json& json, const Pointer& at, std::vector<Pointer>& fields) {
    fields.push_back(at);
    if (json.is_object())
        for (const auto& [key, value] : json.items()) find_fields(value, at / key, fields);
    if (json.is_array())
        for (size_t i = 0; i < json.size(); ++i) find_fields(json[i], at / i, fields);
}

/// What may stand in the place of a value.
std::vector<Json> others(const Json& value) {
    std::vector<Json> found = {nullptr, Json::array(), Json::object(), "x"};
    if (value.is_number_integer()) {
        const int64_t number = value.get<int64_t>();
        for (int64_t other :
             {number + 1, number - 1, number * 2, -number, int64_t(0), int64_t(1), int64_t(64),
              int64_t(1) << 31, int64_t(1) << 45, int64_t(1) << 62, INT64_MIN})
            if (other != number) found.emplace_back(other);
    }
    if (value.is_number_float())
        for (double other : {0.0, -1.0, 1e300}) found.emplace_back(other);
    if (value.is_string())
        for (const char* other : {"float64", "int32", "bool", "matmul", "take", "dropout"})
            found.emplace_back(other);
    if (value.is_array() && !value.empty()) {
        Json fewer = value, more = value, turned = value;
        fewer.erase(fewer.size() - 1);
        more.push_back(value.back());
        std::reverse(turned.begin(), turned.end());
        found.insert(found.end(), {fewer, more, turned});
    }
    if (value.is_object())
        for (const auto& [key, part] : value.items()) {
            Json fewer = value;
            fewer.erase(key);
            found.push_back(fewer);
        }
    return found;
}

/// A name or a line of the user's program, which is shown and never computed with.
bool is_label(const Pointer& field) {
    const std::string text = field.to_string();
    return text.find("/operations/") != text.npos || text.ends_with("/line") ||
           text.ends_with("/function");
}

/// Most changes are found; the others make another program, which stays in its memory.
/// CATENA_ALL_CHANGES=1 tries all.
TEST_F(HostilePackage, a_changed_field_is_refused_or_harms_nobody) {
    Json manifest;
    const program::Package package = program::read_package(path(), manifest);
    const Json schedule = Json::parse(package.texts.at("schedule.json"));
    Program right = Program::load(path());
    const std::string loss = to_string(right.run({batch(0, 8).array(), labels(0, 8).array()})[0]);
    std::vector<Pointer> fields;
    find_fields(schedule, Pointer(), fields);
    const char* all = std::getenv("CATENA_ALL_CHANGES");
    const uint32_t step = all && *all == '1' ? 1 : 97;
    std::mt19937 random(5);
    int tried = 0, refused = 0, same = 0;
    std::map<std::string, int> another;
    for (const Pointer& field : fields)
        for (const Json& other : others(schedule.at(field))) {
            if (random() % step != 0) continue;
            const bool counts = !is_label(field);
            tried += counts;
            program::Package changed_package = package;
            Json changed_schedule = schedule;
            changed_schedule[field] = other;
            changed_package.texts["schedule.json"] = changed_schedule.dump();
            program::write_package(changed(), manifest, changed_package);
            if (all) std::ofstream(temporary("last")) << field.to_string() << ' ' << other.dump();
            try {
                Program program = Program::load(changed());
                const std::vector<Array> results =
                    program.run({batch(0, 8).array(), labels(0, 8).array()});
                const bool is_same = to_string(results[0]) == loss;
                same += is_same && counts;
                EXPECT_TRUE(is_same || counts) << field.to_string() << " = " << other.dump();
                if (!is_same) ++another[field.to_string() + " = " + other.dump()];
            } catch (const Error&) {
                refused += counts;
            }
        }
    std::printf("%d changes of %zu fields: %d refused, %d without effect, %zu other programs\n",
                tried, fields.size(), refused, same, another.size());
    if (all)
        for (const auto& [what, count] : another) std::printf("  %s\n", what.c_str());
    EXPECT_GT(tried, 100);
    EXPECT_GT(refused, tried * 9 / 10);
}

TEST_F(HostilePackage, what_is_not_as_the_code_was_made_is_refused) {
    const auto kernel_with_scratch = [](Json& s) -> Json& {
        for (Json& kernel : s["kernels"])
            if (kernel["row_scratch_rows"] > 0) return kernel;
        return s["kernels"][0];
    };
    EXPECT_THAT(after([&](Json&, Json& s, auto&) {
                    Json& kernel = kernel_with_scratch(s);
                    kernel["row_scratch_rows"] = kernel["row_scratch_rows"] == 0 ? 1 : 0;
                }),
                HasSubstr("does not match its code"));
    EXPECT_THAT(after([](Json&, Json& s, auto&) { s["kernels"][0]["operands"].erase(0); }),
                HasSubstr("y.catena"));
    EXPECT_THAT(after([](Json&, Json& s, auto&) { s["kernels"][0]["scalars"].push_back(0); }),
                HasSubstr("does not match its code"));
    EXPECT_THAT(after([](Json&, Json& s, auto&) {
                    Json& dtype = s["kernels"][0]["operands"][0]["dtype"];
                    dtype = dtype == "int8" ? "uint8" : "int8";
                }),
                HasSubstr("y.catena"));
}

TEST_F(HostilePackage, buffers_that_nobody_gives_memory_are_refused) {
    EXPECT_THAT(after([](Json&, Json& s, auto&) {
                    for (Json& b : s["buffers"])
                        if (b["place"] == 2) {
                            b["place"] = 1;
                            b["index"] = 0;
                            break;
                        }
                }),
                HasSubstr("is output 0, which is another buffer"));
    EXPECT_THAT(after([](Json&, Json& s, auto&) {
                    for (Json& b : s["buffers"])
                        if (b["place"] == 2) b["first"] = b["last"] = -1;
                }),
                HasSubstr("y.catena"));
    EXPECT_THAT(after([](Json&, Json& s, auto&) {
                    for (Json& b : s["buffers"])
                        if (b["place"] == 2) b["last"] = b["first"];
                }),
                HasSubstr("share bytes"));
}

TEST_F(HostilePackage, buffers_larger_than_any_memory_together_are_refused) {
    EXPECT_THAT(after([](Json&, Json& s, auto&) {
                    Json buffer = s["buffers"][0];
                    for (const Json& each : s["buffers"])
                        if (each["place"] == 2) buffer = each;
                    buffer["bytes"] = int64_t(1) << 46;
                    for (int i = 0; i < 1 << 17; ++i) s["buffers"].push_back(buffer);
                }),
                HasSubstr("buffers are larger than any memory"));
}

TEST_F(HostilePackage, sizes_beside_one_of_zero_are_bounded_too) {
    const auto with_domain = [&](const Json& domain) {
        return after([&](Json&, Json& s, auto&) {
            Json& kernel = s["kernels"][0];
            kernel["domain"] = domain;
            kernel["split"] = 2;
            kernel["split_size"] = 1;
        });
    };
    EXPECT_THAT(with_domain({1 << 20, 0, int64_t(1) << 46}),
                HasSubstr("float64[1048576,0,70368744177664] is larger than any memory"));
    EXPECT_THAT(after([](Json&, Json& s, auto&) {
                    Json& view = s["results"][0]["view"];
                    view["shape"] = view["strides"] = {int64_t(1) << 40, int64_t(1) << 40};
                }),
                HasSubstr("is larger than any memory"));
}

TEST_F(HostilePackage, code_for_two_devices_gives_as_many_results) {
    EXPECT_THAT(after([](Json& m, Json& s, program::Package& p) {
                    Json other = s;
                    other["results"].erase(0);
                    p.texts["other.json"] = other.dump();
                    m["cuda"] = {{"schedule", "other.json"}, {"images", Json::array()}};
                    m["results"][0] = {"argument", 0};
                }),
                HasSubstr("schedule and manifest are of different programs"));
}

TEST_F(HostilePackage, sizes_in_words_are_bounded) {
    const auto with_size = [&](const std::string& name, const Json& size) {
        return after([&](Json& m, Json&, auto&) {
            m["open_sizes"] = {{{"name", name}, {"input", 0}, {"axis", 0}}};
            m["inputs"][0]["shape"][0] = size;
        });
    };
    EXPECT_THAT(with_size("rows", {{"polynomial", {{1, 2'000'000'000}}}}),
                HasSubstr("a size has the exponent 2000000000"));
    const std::string long_name(1 << 20, 'x');
    FileLimits limits = file_limits();
    limits.bytes = uint64_t(16) << 20;
    set_file_limits(limits);
    EXPECT_THAT(with_size(long_name, {{"polynomial", std::vector<std::vector<int>>(100, {1, 16})}}),
                HasSubstr("a size in words declares 1048576 bytes"));
    set_file_limits({});
}

TEST_F(HostilePackage, an_older_version_is_named) {
    const std::string manifest_text =
        R"({"format": "catena program", "version": 1, "written_by": "Catena 0.1", "entries": {}})";
    ZipWriter zip(changed());
    zip.begin("manifest.json", true);
    zip.write(manifest_text.data(), manifest_text.size());
    zip.end();
    zip.finish();
    EXPECT_THAT(refusal(changed()),
                HasSubstr("was written by an older Catena (Catena 0.1): it is of version 1"));
}

TEST_F(HostilePackage, code_that_is_none_is_refused) {
    EXPECT_THAT(
        after([](Json&, Json&, program::Package& p) { p.texts["code/scalar.so"] = "no code"; }),
        HasSubstr("its code cannot be loaded"));
    EXPECT_THAT(after([](Json& m, Json&, auto&) { m["code"][0]["architecture"] = "vax"; }),
                HasSubstr("vax scalar"));
    EXPECT_THAT(after([](Json&, Json&, program::Package& p) { p.texts.erase("code/scalar.so"); }),
                HasSubstr("missing"));
}

TEST_F(HostilePackage, documents_that_are_nested_without_end_are_refused) {
    const std::string deep = "{\"inputs\": " + std::string(1'000'000, '[');
    Json manifest;
    program::Package package = program::read_package(path(), manifest);
    package.texts["schedule.json"] = deep + std::string(1'000'000, ']') + "}";
    program::write_package(changed(), manifest, package);
    EXPECT_THAT(refusal(changed()),
                HasSubstr("y.catena(schedule.json): brackets are nested deeper than 100 at byte"));
    ZipWriter zip(changed());
    zip.begin("manifest.json", true);
    zip.write(deep.data(), deep.size());
    zip.end();
    zip.finish();
    EXPECT_THAT(refusal(changed()),
                HasSubstr("y.catena(manifest.json): brackets are nested deeper than 100 at byte"));
}

TEST_F(HostilePackage, verifying_finds_what_is_wrong_and_loads_no_code) {
    Json manifest;
    program::Package package = program::read_package(path(), manifest);
    const std::string library = manifest.at("code").at(0).at("library");
    package.texts.at(library) = "no machine code at all";
    program::write_package(changed(), manifest, package);
    EXPECT_NO_THROW(Program::open(changed()).verify());
    EXPECT_THAT(refusal(changed()), HasSubstr("its code cannot be loaded"));
    package.texts.erase(library);
    program::write_package(changed(), manifest, package);
    EXPECT_THROW(Program::open(changed()).verify(), FileError);

    package = program::read_package(path(), manifest);
    Json schedule = Json::parse(package.texts.at("schedule.json"));
    schedule["kernels"][0]["operands"][0]["byte_offset"] = 1 << 20;
    package.texts["schedule.json"] = schedule.dump();
    program::write_package(changed(), manifest, package);
    try {
        Program::open(changed()).verify();
        ADD_FAILURE() << "nothing was found";
    } catch (const FileError& error) {
        EXPECT_THAT(error.what(), HasSubstr("outside of its memory"));
    }
    const CommandResult sound = run(program("catena") + " run --check " + path());
    EXPECT_EQ(sound.status, 0) << sound.output;
    EXPECT_THAT(
        sound.output,
        HasSubstr("is sound but for its machine code (x86_64 scalar), which was not loaded"));
    const CommandResult unsound = run(program("catena") + " run --check " + changed());
    EXPECT_NE(unsound.status, 0);
    EXPECT_THAT(unsound.output, HasSubstr("outside of its memory"));
}

TEST_F(HostilePackage, names_do_not_become_c_code) {
    Json manifest;
    program::Package package = program::read_package(path(), manifest);
    for (Json& state : manifest.at("states"))
        state["name"] = "*/\nint injected(void);\n/*" + state["name"].get<std::string>();
    for (Json& number : manifest.at("numbers")) number["name"] = "*/ int injected;";
    manifest["name"] = "x */ int injected;";
    program::write_package(changed(), manifest, package);
    export_c(changed(), temporary("c"), {.name = "step", .level = "scalar"});
    for (const char* file : {"/step.h", "/step.c"}) {
        std::istringstream lines(content_of(temporary("c") + file));
        bool comment = false;
        for (std::string line; std::getline(lines, line);) {
            const size_t at = line.find("injected");
            comment = line.starts_with("/*");
            EXPECT_TRUE(at == line.npos || comment || line.starts_with("#define STEP_")) << line;
            if (at != line.npos && comment) {
                EXPECT_EQ(line.find("*/"), line.size() - 2) << line;
            }
        }
    }
    Json schedule = Json::parse(package.texts.at("schedule.json"));
    schedule["kernels"][0]["symbol"] = "f(void); int injected; void g";
    package.texts["schedule.json"] = schedule.dump();
    program::write_package(changed(), manifest, package);
    EXPECT_THROW(export_c(changed(), temporary("c"), {.level = "scalar"}), FileError);
}

}  // namespace
}  // namespace catena::testing
