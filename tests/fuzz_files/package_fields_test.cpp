// Packages whose fields were changed, with right checksums: they are refused, or run within their
// memory.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/core/memory/checked_memory.h"
#include "runtime/program/file/package.h"
#include "runtime/program/file/program.h"
#include "tests/fuzz_files/corpus.h"
#include "tests/fuzz_files/fields.h"
#include "tests/fuzz_files/json_fields.h"
#include "tests/fuzz_files/odd_numbers.h"

namespace catena::fuzz {
namespace {

namespace fs = std::filesystem;
using testing::Random;

struct Content {
    nlohmann::json manifest;
    program::Package package;
};

Variable some_numbers(const Shape& shape) {
    std::vector<float> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = float(i * 37 % 64) / 32 - 1;
    return Variable(Array::from(values, shape), false);
}

/// The package of a function of one array, whose first size is open or not.
template <class F>
void write_program(const std::string& folder, const std::string& name, F function,
                   const Variable& x, bool is_open = false) {
    auto region = static_graph(function, {.name = name});
    region(x);
    PackageOptions options{.code_levels = {"scalar"}, .stages = false};
    if (is_open) options.open_sizes = {{0, 0, "batch"}};
    region.save(folder + "/" + name + ".catena", options);
}

struct Net : Chain {
    Linear l1{4, 6}, l2{6, 3};
    BatchNormalization bn{6};
    Net() { add_children({{"l1", l1}, {"bn", bn}, {"l2", l2}}); }
    Variable operator()(const Variable& x) { return softmax(l2(relu(bn(l1(x))))); }
};

struct PictureNet : Chain {
    Convolution2D convolution{2, 4, 3};
    Linear last{16, 3};
    PictureNet() { add_children({{"convolution", convolution}, {"last", last}}); }
    Variable operator()(const Variable& x) {
        return last(flatten(max_pooling_2d(relu(convolution(x)), 2)));
    }
    static Variable flatten(const Variable& x) {
        return reshape(x, {x.shape()[0], x.size() / x.shape()[0]});
    }
};

struct WordNet : Chain {
    EmbedID words{7, 4};
    Linear last{4, 3};
    WordNet() { add_children({{"words", words}, {"last", last}}); }
    Variable operator()(const Variable& ids) { return dropout(last(words(ids)), 0.3); }
};

/// Programs with kernels and calls of every kind: maps, reductions, products, convolutions,
/// gathers, states, random numbers, open sizes.
void write_programs(const std::string& folder) {
    fs::create_directories(folder);
    set_seed(1);
    Net net;
    SGD sgd(0.1);
    sgd.setup(net);
    const auto step = [&](const Variable& x) {
        const Variable loss = sum(net(x));
        net.cleargrads();
        loss.backward();
        sgd.update();
        return loss;
    };
    write_program(folder, "step", step, some_numbers({5, 4}));
    Linear l1(4, 6), l2(6, 3);
    write_program(
        folder, "open", [&](const Variable& x) { return softmax(l2(relu(l1(x)))); },
        some_numbers({5, 4}), true);
    PictureNet pictures;
    write_program(
        folder, "pictures", [&](const Variable& x) { return pictures(x); },
        some_numbers({2, 2, 6, 6}));
    WordNet words;
    write_program(
        folder, "words", [&](const Variable& x) { return words(x); },
        Variable(Array::from(std::vector<int32_t>{3, 0, 6, 1, 1, 5}, {6}), false));
    write_program(
        folder, "sums",
        [](const Variable& x) {
            const Variable centred = x - mean(x, {1}, true);
            return sum(concat({centred * transpose(exp(x)), cumsum(x, 0)}, 1), {0}) +
                   max(absolute(x)) + cast(sum(argmax(x, 1)), Dtype::float32);
        },
        some_numbers({9, 9}));
}

std::vector<Content> read_programs(const std::string& folder) {
    std::vector<Content> all;
    std::vector<fs::path> paths;
    for (const auto& file : fs::directory_iterator(folder)) paths.push_back(file.path());
    std::ranges::sort(paths);
    for (const fs::path& path : paths) {
        Content& content = all.emplace_back();
        content.package = program::read_package(path.string(), content.manifest);
    }
    return all;
}

/// Of a state or a constant.
void change_array(Array& array, Random& random) {
    if (random() % 3 == 0) {
        array = array.astype(Dtype(random() % uint64_t(dtype_count)));
    } else if (random() % 2 == 0) {
        Shape shape = array.shape();
        if (shape.rank() > 0) shape[int(random() % uint64_t(shape.rank()))] = int64_t(random() % 9);
        array = Array::zeros({array.dtype(), shape});
    } else {
        std::vector<double> values = array.to_vector<double>();
        for (double& value : values)
            if (random() % 4 == 0)
                value = is_float(array.dtype()) ? odd_float(random) : double(random() % 4096);
        array = Array::from(values, array.shape()).astype(array.dtype());
    }
}

void change_program(Content& content, Random& random) {
    std::string& schedule = content.package.texts.at("schedule.json");
    const uint64_t what = random() % 8;
    if (what < 5) {
        nlohmann::json document = nlohmann::json::parse(schedule);
        change_json(document, random);
        schedule = document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    } else if (what < 7 || content.package.arrays.empty()) {
        change_json(content.manifest, random);
    } else {
        auto entry = content.package.arrays.begin();
        std::advance(entry, random() % content.package.arrays.size());
        change_array(entry->second, random);
    }
}

Array argument_for(const Program::Port& port, uint64_t seed) {
    Shape shape;
    for (const std::string& size : port.sizes) {
        int64_t number = int64_t(seed % 5) + 1;
        std::from_chars(size.data(), size.data() + size.size(), number);
        shape.push_back(number);
    }
    return some_numbers(shape).array().astype(port.dtype);
}

/// So that writing outside of memory ends the process (checked_memory.h). Before anything asks.
const bool memory_is_checked = setenv("CATENA_CHECK_MEMORY", "1", 1) == 0;

TEST(FieldsOfPackagesInOwnProcess, give_results_or_errors_whatever_they_are) {
    if (!compiler_available()) GTEST_SKIP() << "this build has no compiler to make packages";
    const std::string folder = ::testing::TempDir() + "programs";
    ASSERT_TRUE(in_child([&] { write_programs(folder); }));
    const std::vector<Content> programs = read_programs(folder);
    ASSERT_EQ(programs.size(), 5u);
    const auto write = [&](const std::string& path, uint64_t seed) {
        Random random(seed);
        Content content = programs[random() % programs.size()];
        change_program(content, random);
        // Half of the time of a file would be its compression.
        program::write_package(path, content.manifest, content.package, false);
    };
    const auto read = [](const std::string& path, uint64_t seed) {
        EXPECT_TRUE(checked_memory::is_on());
        Program::open(path).verify();
        Program program = Program::load(path);
        std::vector<Array> arguments;
        for (const Program::Port& port : program.inputs())
            arguments.push_back(argument_for(port, seed));
        for (int times = 0; times < 2; ++times)
            for (const Array& y : program.run(arguments)) to_string(y);
        program.launches();
        for (const std::string& name : program.state_names()) program.state(name);
    };
    fuzz_fields({.kind = "catena", .seconds = 4}, write, read);
}

}  // namespace
}  // namespace catena::fuzz
