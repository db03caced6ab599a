// catena run: runs a model from a file on arrays from files.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <iostream>
#include <map>
#include <numeric>
#include <sstream>

#include "frontend/serializer/npz.h"
#include "frontend/static_graph/static_graph.h"
#include "frontend/tools/catena/call_inputs.h"
#include "frontend/tools/catena/commands.h"
#include "frontend/tools/catena/random_inputs.h"
#include "runtime/core/code_device.h"
#include "runtime/graph/config.h"
#include "runtime/program/program.h"
#ifdef CATENA_HAS_ONNX
#include "frontend/onnx/import.h"
#endif

namespace catena::tool {
namespace {

struct RunOptions {
    std::string model;
    std::vector<std::string> inputs;
    std::string output, save, device = "cpu";
    std::vector<std::string> made_inputs;
    bool eager = false, check = false, print = false;
    int repeat = 1;
};

/// NAME=SIZExSIZE:DTYPE as an array: floats uniform in [0, 1), the same in every run; others 0.
std::pair<std::string, Array> made_input(const std::string& text, RandomInputs& random) {
    const size_t equals = text.find('='), colon = text.find(':', equals == text.npos ? 0 : equals);
    const auto wrong = [&] {
        fail<ValueError>("run: --input {}: write NAME=SIZExSIZE:DTYPE, as in x=32x8:float32", text);
    };
    if (equals == 0 || equals == text.npos) wrong();
    const Dtype dtype = colon == text.npos ? Dtype::float32 : parse_dtype(text.substr(colon + 1));
    std::vector<int64_t> sizes;
    std::istringstream list(text.substr(equals + 1, colon == text.npos ? colon : colon - equals - 1));
    for (std::string word; std::getline(list, word, 'x');) {
        int64_t size = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
        if (error != std::errc() || end != word.data() + word.size() || size < 0) wrong();
        sizes.push_back(size);
    }
    const Shape shape{std::span<const int64_t>(sizes)};
    return {text.substr(0, equals), is_float(dtype) ? random.uniform(shape).astype(dtype) : Array::zeros({dtype, shape})};
}

/// Inputs that the user described instead of giving files, by the names of `ports`.
template <class Ports>
std::vector<Array> made_arrays(const Ports& ports, const std::vector<std::string>& texts) {
    RandomInputs random;
    std::map<std::string, Array> made;
    for (const std::string& text : texts) made.insert(made_input(text, random));
    std::vector<Array> arrays;
    std::string names;
    for (const auto& port : ports) {
        names += (names.empty() ? "" : ", ") + port.name;
        const auto found = made.find(port.name);
        if (found == made.end()) continue;
        arrays.push_back(found->second);
        made.erase(found);
    }
    if (!made.empty()) fail<ValueError>("run: --input {}: there is no such input; there are {}", made.begin()->first, names);
    if (arrays.size() != ports.size())
        fail<ValueError>("run: {} of the inputs are given by --input; all are needed: {}", arrays.size(), names);
    return arrays;
}

/// By the names of `ports` from one .npz, else x0 x1 ... or .npy files in order.
template <class Ports>
std::vector<Array> arrays_for(const Ports& ports, const RunOptions& options) {
    const std::vector<std::string>& files = options.inputs;
    if (!options.made_inputs.empty()) {
        if (!files.empty()) fail<ValueError>("run: inputs are given by files and by --input; use one of the two");
        return made_arrays(ports, options.made_inputs);
    }
    std::vector<Array> arrays;
    if (files.size() == 1 && files[0].ends_with(".npz")) {
        const NpzFile file(files[0]);
        bool by_name = true;
        for (const auto& port : ports) by_name &= file.contains(port.name);
        for (const auto& port : ports)
            if (by_name) arrays.push_back(file.read(port.name));
        if (by_name) return arrays;
        std::string wanted;
        for (const auto& port : ports) wanted += (wanted.empty() ? "" : ", ") + port.name;
        for (const std::string& key : file.keys())
            if (!key.starts_with('x'))
                fail<ValueError>("run: {} has an array '{}'; the inputs are {}, or x0 x1 ... in this order", files[0],
                                 key, wanted);
    }
    return read_call_inputs(files).x;
}

/// Time until a device has done what it was asked for.
class Stopwatch {
public:
    explicit Stopwatch(Device& device) : device_(dynamic_cast<CodeDevice*>(&device)) { wait(); }
    double milliseconds() {
        wait();
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    void wait() {
        if (device_) device_->synchronize();
    }
    CodeDevice* device_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

NamedArrays run_program(const RunOptions& options) {
    if (options.eager) fail<ValueError>("run: {} is compiled code; --eager is for models", options.model);
    Program program = Program::load(options.model, {.device = options.device});
    std::vector<Array> inputs = arrays_for(program.inputs(), options);
    for (Array& input : inputs) input = input.to(program.device());
    std::vector<Array> outputs;
    auto run = [&] {
        Stopwatch watch(program.device());
        outputs = program.run(inputs);
        return watch.milliseconds();
    };
    const double first = run();
    std::vector<double> others;
    for (int i = 1; i < options.repeat; ++i) others.push_back(run());
    if (!others.empty()) {
        std::sort(others.begin(), others.end());
        const double all = std::accumulate(others.begin(), others.end(), 0.0);
        auto percentile = [&](double p) { return others[std::min(others.size() - 1, size_t(p / 100 * double(others.size())))]; };
        fmt::print("first step {:.3f} ms, the other {} take {:.3f} ms each on {} ({}); half of them up to {:.3f} ms, 90% {:.3f} "
                   "ms, 99% {:.3f} ms\n", first, others.size(), all / double(others.size()), options.device,
                   program.code_level(), percentile(50), percentile(90), percentile(99));
    }
    NamedArrays results;
    for (size_t i = 0; i < outputs.size(); ++i)
        results.emplace_back(program.outputs()[i].name, outputs[i].to(cpu_device()));
    if (!options.save.empty()) program.save(options.save);
    return results;
}

#ifdef CATENA_HAS_ONNX

NamedArrays run_model(const RunOptions& options) {
    const auto test_mode = using_config(&Config::train, false);
    const auto no_graph = no_backprop_mode();
    const onnx::Model model = onnx::import_model(options.model);
    std::vector<Variable> inputs;
    for (const Array& array : arrays_for(model.inputs(), options)) inputs.emplace_back(array, false);
    std::vector<Variable> outputs;
    if (options.eager) {
        outputs = model(inputs);
    } else {
        auto region = static_graph([&](const std::vector<Variable>& xs) { return model(xs); },
                                   {.name = "model"});
        region(inputs);  // records
        outputs = region(inputs);
    }
    NamedArrays results;
    for (size_t i = 0; i < outputs.size(); ++i)
        results.emplace_back(model.outputs()[i].name, outputs[i].array());
    return results;
}

void check_model(const std::string& path) { onnx::import_model(path); }

#else

void check_model(const std::string& path) {
    fail<ValueError>(
        "run: {} cannot be read, this Catena was built without ONNX (libprotobuf-dev libonnx-dev)", path);
}

NamedArrays run_model(const RunOptions& options) {
    check_model(options.model);
    return {};
}

#endif

void check(const std::string& model) {
    if (!model.ends_with(".catena")) {
        check_model(model);
        return fmt::print("{}: every node is known and has what it reads; nothing was run\n", model);
    }
    const Program program = Program::open(model);
    program.verify();
    std::string targets;
    for (const std::string& target : program.targets()) targets += (targets.empty() ? "" : ", ") + target;
    fmt::print("{}: is sound but for its machine code ({}), which was not loaded\n", model, targets.empty() ? "none" : targets);
}

}  // namespace

void add_run(CLI::App& program) {
    auto options = std::make_shared<RunOptions>();
    auto* command = program.add_subcommand("run", "runs a program (.catena) or a model (.onnx) on arrays from files");
    command->add_option("model", options->model, "the file")->required();
    command->add_option(
        "inputs", options->inputs,
        "one .npz with the names of its inputs or x0 x1 ..., or .npy files in order");
    command->add_option("--input", options->made_inputs,
                        "make this input instead of reading it, NAME=SIZExSIZE:DTYPE as in x=32x8:float32; again for more")
        ->allow_extra_args(false);
    command->add_flag("--print", options->print, "print the values of the results beside -o, too");
    command->add_option("-o,--output", options->output,
                        "an .npz file for the results, under the names of the outputs");
    command->add_flag("--eager", options->eager, "do not compile a model");
    command->add_flag("--check", options->check, "only check the file: no code from it is loaded, nothing is run");
    command->add_option("--save", options->save, "a .catena file for the program with its states as the run left them");
    command->add_option("--device", options->device, "where a program runs: cpu, cuda:0")->capture_default_str();
    command->add_option("--repeat", options->repeat, "run a program so many times, for training steps; prints the time of one")
        ->check(CLI::PositiveNumber);
    command->callback([options] {
        if (options->check) return check(options->model);
        const bool is_program = options->model.ends_with(".catena");
        if (!is_program && (!options->save.empty() || options->repeat != 1 || options->device != "cpu"))
            fail<ValueError>("run: --save, --repeat and --device are for programs (.catena), {} is a model", options->model);
        const NamedArrays results = is_program ? run_program(*options) : run_model(*options);
        for (const auto& [name, array] : results)
            std::cout << name << ' ' << (options->output.empty() || options->print ? to_string(array) : to_string(array.type())) << '\n';
        if (!options->output.empty()) save_npz(options->output, results);
    });
}

}  // namespace catena::tool
