// catena run: runs a model from a file on arrays from files.
#include <iostream>
#include <map>

#include "frontend/serializer/npz.h"
#include "frontend/static_graph.h"
#include "frontend/tools/catena/call_inputs.h"
#include "frontend/tools/catena/commands.h"
#include "runtime/graph/config.h"
#ifdef CATENA_HAS_ONNX
#include "frontend/onnx/import.h"
#endif

namespace catena::tool {
namespace {

struct RunOptions {
    std::string model;
    std::vector<std::string> inputs;
    std::string output;
    bool eager = false;
};

#ifdef CATENA_HAS_ONNX

/// By the model's names from one .npz, else x0 x1 ... or .npy files in order.
std::vector<Variable> inputs_for(const onnx::Model& model, const std::vector<std::string>& files) {
    std::vector<Variable> inputs;
    if (files.size() == 1 && files[0].ends_with(".npz")) {
        const NpzFile file(files[0]);
        bool by_name = true;
        for (const onnx::Port& port : model.inputs()) by_name &= file.contains(port.name);
        for (const onnx::Port& port : model.inputs())
            if (by_name) inputs.emplace_back(file.read(port.name), false);
        if (by_name) return inputs;
    }
    for (const Array& array : read_call_inputs(files).x) inputs.emplace_back(array, false);
    return inputs;
}

NamedArrays run_model(const RunOptions& options) {
    const auto test_mode = using_config(&Config::train, false);
    const auto no_graph = no_backprop_mode();
    const onnx::Model model = onnx::import_model(options.model);
    const std::vector<Variable> inputs = inputs_for(model, options.inputs);
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

#else

NamedArrays run_model(const RunOptions& options) {
    fail<ValueError>(
        "run: {} cannot be read, this Catena was built without ONNX (libprotobuf-dev libonnx-dev)",
        options.model);
}

#endif

}  // namespace

void add_run(CLI::App& program) {
    auto options = std::make_shared<RunOptions>();
    auto* command = program.add_subcommand("run", "runs a model (.onnx) on arrays from files");
    command->add_option("model", options->model, "the file")->required();
    command->add_option(
        "inputs", options->inputs,
        "one .npz with the model's input names or x0 x1 ..., or .npy files in order");
    command->add_option("-o,--output", options->output,
                        "an .npz file for the results, under the model's output names");
    command->add_flag("--eager", options->eager, "do not compile");
    command->callback([options] {
        const NamedArrays results = run_model(*options);
        for (const auto& [name, array] : results)
            std::cout << name << ' ' << to_string(array) << '\n';
        if (!options->output.empty()) save_npz(options->output, results);
    });
}

}  // namespace catena::tool
