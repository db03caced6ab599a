// catena run: runs a model from a file on arrays from files.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <numeric>

#include "frontend/serializer/npz.h"
#include "runtime/core/array/code_device.h"
#include "runtime/program/file/program.h"
#include "tools/catena/caffe_model.h"
#include "tools/catena/commands.h"
#include "tools/catena/model_file.h"
#include "tools/catena/run_options.h"

namespace catena::tool {
namespace {

/// Time until a device has done what it was asked for.
class Stopwatch {
public:
    explicit Stopwatch(Device& device) : device_(dynamic_cast<CodeDevice*>(&device)) { wait(); }
    double milliseconds() {
        wait();
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_)
            .count();
    }

private:
    void wait() {
        if (device_) device_->synchronize();
    }
    CodeDevice* device_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

template <class Ports>
std::vector<std::string> names_of(const Ports& ports) {
    std::vector<std::string> names;
    for (const auto& port : ports) names.push_back(port.name);
    return names;
}

NamedArrays run_program(const RunOptions& options) {
    if (options.eager)
        fail<ValueError>("run: {} is compiled code; --eager is for models", options.model);
    Program program = Program::load(options.model, {.device = options.device});
    std::vector<Array> inputs = arrays_for(names_of(program.inputs()), options);
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
        auto percentile = [&](double p) {
            return others[std::min(others.size() - 1, size_t(p / 100 * double(others.size())))];
        };
        fmt::print(
            "first step {:.3f} ms, the other {} take {:.3f} ms each on {} ({}); half of them up to "
            "{:.3f} ms, 90% {:.3f} "
            "ms, 99% {:.3f} ms\n",
            first, others.size(), all / double(others.size()), options.device, program.code_level(),
            percentile(50), percentile(90), percentile(99));
    }
    NamedArrays results;
    for (size_t i = 0; i < outputs.size(); ++i)
        results.emplace_back(program.outputs()[i].name, outputs[i].to(cpu_device()));
    if (!options.save.empty()) program.save(options.save);
    return results;
}

NamedArrays run_onnx(const RunOptions& options) {
    const ModelFile model = open_onnx("run", options.model);
    return run_model(model, arrays_for(model.input_names(), options), options.eager);
}

void check(const std::string& model) {
    if (model.ends_with(".caffemodel")) {
        check_caffe(model);
        return fmt::print("{}: every layer that is known has what it needs; nothing was run\n",
                          model);
    }
    if (!model.ends_with(".catena")) {
        open_onnx("run", model);
        return fmt::print("{}: every node is known and has what it reads; nothing was run\n",
                          model);
    }
    const Program program = Program::open(model);
    program.verify();
    std::string targets;
    for (const std::string& target : program.targets())
        targets += (targets.empty() ? "" : ", ") + target;
    fmt::print("{}: is sound but for its machine code ({}), which was not loaded\n", model,
               targets.empty() ? "none" : targets);
}

}  // namespace

void add_run(CLI::App& program) {
    auto options = std::make_shared<RunOptions>();
    auto* command = program.add_subcommand(
        "run", "runs a program (.catena) or a model (.onnx, .caffemodel) on arrays from files");
    command->add_option("model", options->model, "the file")->required();
    command->add_option(
        "inputs", options->inputs,
        "one .npz with the names of its inputs or x0 x1 ..., or .npy files in order");
    command
        ->add_option(
            "--input", options->made_inputs,
            "fill this input with random floats, or with 0 if it is of integers, instead of "
            "reading it: NAME=SIZExSIZE:DTYPE, as in x=32x8:float32; again for more")
        ->allow_extra_args(false);
    command->add_flag("--print", options->print, "print the values of the results beside -o, too");
    command->add_option("-o,--output", options->output,
                        "an .npz file for the results, under the names of the outputs");
    command->add_flag("--eager", options->eager, "do not compile a model");
    command->add_flag("--check", options->check,
                      "only check the file: no code from it is loaded, nothing is run");
    command->add_option("--save", options->save,
                        "a .catena file for the program with its states as the run left them");
    command->add_option("--device", options->device, "where a program runs: cpu, cuda:0")
        ->capture_default_str();
    command
        ->add_option("--repeat", options->repeat,
                     "run a program so many times, for training steps; prints the time of one")
        ->check(CLI::Range(1, 1 << 30));
    command->callback([options] {
        if (options->check) return check(options->model);
        const bool is_program = options->model.ends_with(".catena");
        if (!is_program &&
            (!options->save.empty() || options->repeat != 1 || options->device != "cpu"))
            fail<ValueError>(
                "run: --save, --repeat and --device are for programs (.catena), {} is a model",
                options->model);
        const bool is_caffe = options->model.ends_with(".caffemodel");
        const NamedArrays results = is_program ? run_program(*options)
                                    : is_caffe ? run_caffe(*options)
                                               : run_onnx(*options);
        for (const auto& [name, array] : results)
            std::cout << name << ' '
                      << (options->output.empty() || options->print ? to_string(array)
                                                                    : to_string(array.type()))
                      << '\n';
        if (!options->output.empty()) save_npz(options->output, results);
    });
}

}  // namespace catena::tool
