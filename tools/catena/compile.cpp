// catena compile: a model in a file as a program package, or as C.
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "frontend/static_graph/static_graph.h"
#include "runtime/core/system/counted.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/settings/config.h"
#include "runtime/program/file/program.h"
#include "runtime/program/run/code_library.h"
#include "tools/catena/caffe_model.h"
#include "tools/catena/commands.h"
#include "tools/catena/compile_inputs.h"
#include "tools/catena/completion.h"
#include "tools/catena/export.h"
#include "tools/catena/model_file.h"

namespace catena::tool {
namespace {

struct CompileOptions {
    std::string model, package, folder, name;
    CompileInputs inputs;
    std::vector<std::string> levels, cuda_architectures;
};

/// A file that is removed again, for what only the next step reads.
struct TemporaryPackage {
    std::string path =
        (std::filesystem::temp_directory_path() / fmt::format("catena-compile-{}.catena", getpid()))
            .string();
    TemporaryPackage() = default;
    TemporaryPackage(const TemporaryPackage&) = delete;
    TemporaryPackage& operator=(const TemporaryPackage&) = delete;
    ~TemporaryPackage() {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
    }
};

void check_options(const CompileOptions& options) {
    if (options.model.ends_with(".catena"))
        fail<ValueError>(
            "compile: {} is a compiled program; `catena export` writes it as C, and compile takes "
            "models (.onnx, .caffemodel)",
            options.model);
    if (options.package.empty() && options.folder.empty())
        fail<ValueError>("compile: where to? -o FILE.catena writes a program, --c FOLDER plain C");
    if (!options.folder.empty() && options.levels.size() > 1)
        fail<ValueError>("compile: C is for one instruction set, --level gives {}: {}",
                         options.levels.size(), fmt::join(options.levels, ", "));
    if (!options.folder.empty() && !options.inputs.open.empty())
        fail<ValueError>("compile: --open {}: the sizes of C are fixed; give --size",
                         options.inputs.open[0]);
}

ModelFile open_model(const CompileOptions& options) {
    if (!options.model.ends_with(".caffemodel")) return open_onnx("compile", options.model);
    std::vector<std::string> given;
    for (const std::string& text : options.inputs.described)
        given.push_back(text.substr(0, text.find('=')));
    if (given.empty())
        fail<ValueError>(
            "compile: {}: a Caffe model does not say how large its inputs are: give --input "
            "NAME=SIZExSIZE:DTYPE (`catena show` lists their names)",
            options.model);
    return open_caffe(options.model, given);
}

/// Records the model with arrays of these sizes and writes its program.
void save_program(const ModelFile& model, const RecordedInputs& recorded, const std::string& path,
                  const CompileOptions& options) {
    const auto test_mode = using_config(&Config::train, false);
    const auto no_graph = no_backprop_mode();
    const std::string name =
        options.name.empty() ? std::filesystem::path(options.model).stem().string() : options.name;
    auto region = static_graph(model.call, {.name = name});
    region(recorded.inputs);
    region.save(path, {.input_names = model.input_names(),
                       .output_names = model.outputs,
                       .open_sizes = recorded.open_sizes,
                       .code_levels = options.levels,
                       .cuda_architectures = options.cuda_architectures});
}

void print_program(const std::string& path, const RecordedInputs& recorded) {
    std::string open;
    for (const OpenSize& size : recorded.open_sizes)
        if ((", " + open + ",").find(", " + size.name + ",") == std::string::npos)
            open += (open.empty() ? "" : ", ") + size.name;
    const Program program = Program::open(path);
    fmt::print("{}: {}, {}, {}; code for {}\n", path,
               counted(int64_t(program.inputs().size()), "input"),
               counted(int64_t(program.outputs().size()), "output"),
               open.empty() ? "all sizes fixed" : "open sizes: " + open,
               fmt::join(program.targets(), ", "));
}

void compile(const CompileOptions& options) {
    check_options(options);
    const ModelFile model = open_model(options);
    const RecordedInputs recorded = inputs_to_record(model, options.model, options.inputs,
                                                     /*fixed=*/!options.folder.empty());
    CompileOptions chosen = options;
    const bool only_c = options.package.empty();
    const std::string level = options.levels.empty() ? "scalar" : options.levels[0];
    if (!options.folder.empty() && only_c) chosen.levels = {level};
    std::optional<TemporaryPackage> temporary;
    if (only_c) temporary.emplace();
    const std::string& path = only_c ? temporary->path : options.package;
    save_program(model, recorded, path, chosen);
    if (!only_c) print_program(path, recorded);
    if (!options.folder.empty())
        print_c_export(options.folder, export_c(path, options.folder, {.level = level}));
}

}  // namespace

void add_compile(CLI::App& program) {
    auto options = std::make_shared<CompileOptions>();
    auto* command = program.add_subcommand(
        "compile", "compiles a model (.onnx, .caffemodel) to a program (.catena) or to C");
    command->add_option("model", options->model, "the file")->required();
    command->add_option("-o,--output", options->package,
                        "the file for the program (.catena); this, --c or both");
    command->add_option("--c", options->folder,
                        "the folder for header, source, object file and weights");
    command->add_option(
        "--name", options->name,
        "name of the program, and prefix of the files of --c; default: the model file's");
    command
        ->add_option("--size", options->inputs.sizes,
                     "NAME=NUMBER fixes a size that the model leaves open; again for more")
        ->allow_extra_args(false);
    command
        ->add_option(
            "--open", options->inputs.open,
            "NAME=NUMBER records the model with this size instead of 2, which not every model "
            "takes; the program takes others, too")
        ->allow_extra_args(false);
    command
        ->add_option("--input", options->inputs.described,
                     "sizes of an input of which the model says too little, NAME=SIZExSIZE:DTYPE; "
                     "again for more")
        ->allow_extra_args(false);
    CLI::Option* level =
        command
            ->add_option("--level", options->levels,
                         "instruction sets: scalar, avx2, avx512; default: all, for C scalar")
            ->delimiter(',')
            ->allow_extra_args(false);
    complete_with(level, [](auto) { return program::known_code_levels(); });
    command
        ->add_option("--cuda", options->cuda_architectures,
                     "also code for these CUDA architectures: sm_80,sm_90,compute_90")
        ->delimiter(',')
        ->allow_extra_args(false);
    command->callback([options] { compile(*options); });
}

}  // namespace catena::tool
