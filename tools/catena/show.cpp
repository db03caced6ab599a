// catena show: what a compiled program in a file is, and its forms on the way to code.
#include <algorithm>
#include <iostream>
#include <memory>

#include <fmt/ranges.h>

#include "frontend/pages/html.h"
#include "frontend/pages/program_page.h"
#include "frontend/serializer/hdf5.h"
#include "frontend/serializer/npz.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/printable.h"
#include "runtime/file/npy.h"
#include "runtime/file/write_file.h"
#include "runtime/program/file/program.h"
#include "tools/catena/caffe_model.h"
#include "tools/catena/commands.h"
#include "tools/catena/completion.h"
#ifdef CATENA_HAS_ONNX
#include "frontend/onnx/import.h"
#endif

namespace catena::tool {
namespace {

void print_ports(const char* what, const std::vector<Program::Port>& ports) {
    for (const Program::Port& port : ports) {
        std::string sizes;
        for (const std::string& size : port.sizes) sizes += (sizes.empty() ? "" : ",") + size;
        fmt::print("{:<8} {} {}[{}]\n", what, printable(port.name), name_of(port.dtype),
                   printable(sizes));
    }
}

std::string contents(const ArchiveReader& file, const std::string& key) {
    if (file.is_text(key)) return fmt::format("\"{}\"", printable(file.read_text(key)));
    const Array array = file.read(key);
    return array.defined() ? to_string(array.type()) : "None";
}

/// Arrays of an .npz or HDF5 file by key, and texts; what cannot be read does not hide the others.
void print_archive(const ArchiveReader& file) {
    const std::vector<std::string> keys = file.keys();
    size_t unreadable = 0;
    for (const std::string& key : keys) {
        try {
            fmt::print("{} {}\n", printable(key), contents(file, key));
        } catch (const FileError& error) {
            ++unreadable;
            fmt::print("{} cannot be read: {}\n", printable(key), printable(error.what()));
        }
    }
    if (unreadable > 0)
        fail<FileError>("{}: {} of {} entries cannot be read", file.path(), unreadable,
                        keys.size());
}

#ifdef CATENA_HAS_ONNX
void print_model(const std::string& path) {
    const onnx::Model model = onnx::import_model(path);
    const auto print = [](const char* what, const std::vector<onnx::Port>& ports) {
        for (const onnx::Port& port : ports)
            fmt::print(
                "{:<8} {} {}[{}]\n", what, printable(port.name),
                port.dtype ? name_of(*port.dtype) : "of any dtype",
                port.shape ? printable(fmt::format("{}", fmt::join(*port.shape, ","))) : "...");
    };
    print("input", model.inputs());
    print("output", model.outputs());
    for (const auto& [name, variable] : model.initializers())
        fmt::print("{:<8} {} {}\n", "array", printable(name), to_string(variable.type()));
}
#else
void print_model(const std::string& path) {
    fail<ValueError>(
        "show: {} cannot be read, this Catena was built without ONNX (libprotobuf-dev libonnx-dev)",
        path);
}
#endif

void print_contents(const Program& program) {
    fmt::print("{:<8} {}\n", "program", printable(program.name()));
    for (const std::string& target : program.targets())
        fmt::print("{:<8} {}\n", "code", printable(target));
    print_ports("input", program.inputs());
    print_ports("output", program.outputs());
    for (const std::string& name : program.state_names())
        fmt::print("{:<8} {} {}\n", "state", printable(name),
                   to_string(program.state(name).type()));
    for (const Program::Number& number : program.numbers())
        if (!number.name.empty())
            fmt::print("{:<8} {} = {}\n", "number", printable(number.name), number.value);
    std::string stages;
    for (const std::string& stage : program.stages())
        stages += (stages.empty() ? "" : " ") + printable(stage);
    fmt::print("{:<8} {}\n", "stages", stages.empty() ? "none were kept" : stages);
}

/// The program as one page for a browser.
void save_page(const Program& program, const std::string& path) {
    pages::ProgramSection section{program.name(), program.launches(), {}, {}};
    for (const char* name : {"import.mlir", "fused.mlir", "schedule.txt", "cuda_schedule.txt"}) {
        const std::vector<std::string> stages = program.stages();
        if (std::ranges::find(stages, name) != stages.end())
            section.stages.emplace_back(name, program.stage(name));
    }
    std::vector<std::string> lines;
    for (const std::string& target : program.targets()) lines.push_back("code for " + target);
    write_file(path, pages::program_page(program.name(), lines, {section}));
}

/// Of the program that was named.
std::vector<std::string> stages_of_file(std::span<const std::string> before) {
    for (const std::string& word : before)
        if (word.ends_with(".catena")) return Program::open(word).stages();
    return {};
}

}  // namespace

void add_show(CLI::App& program) {
    struct Options {
        std::string file, stage, html;
    };
    auto options = std::make_shared<Options>();
    auto* command = program.add_subcommand("show",
                                           "prints what is in a program (.catena), a model (.onnx, "
                                           ".caffemodel) or a file of arrays (.npz, .npy, .h5)");
    command->add_option("file", options->file, "the file")->required();
    CLI::Option* stage = command->add_option(
        "--stage", options->stage,
        "print the program as it was at a stage: program.txt, program.dot (for Graphviz), "
        "import.mlir, "
        "fused.mlir, schedule.txt, LEVEL.ll, LEVEL.s, cuda_schedule.txt, kernels.cu");
    complete_with(stage, stages_of_file);
    command->add_option("--html", options->html,
                        "write a page for a browser there: launches as boxes, stages side by side");
    command->callback([options] {
        const std::string& path = options->file;
        if (!path.ends_with(".catena") && !options->html.empty())
            fail<ValueError>("show: --html is for programs (.catena), {} is none", path);
        if (!path.ends_with(".catena") && !options->stage.empty())
            fail<ValueError>("show: --stage is for programs (.catena), {} is none", path);
        if (path.ends_with(".npz")) return print_archive(NpzFile(path));
        if (path.ends_with(".h5") || path.ends_with(".hdf5"))
            return print_archive(*open_hdf5(path));
        if (path.ends_with(".npy")) return fmt::print("{}\n", to_string(load_npy(path).type()));
        if (path.ends_with(".onnx")) return print_model(path);
        if (path.ends_with(".caffemodel")) return show_caffe(path);
        const Program loaded = Program::open(options->file);
        if (!options->html.empty()) return save_page(loaded, options->html);
        if (options->stage.empty())
            print_contents(loaded);
        else
            std::cout << printable(loaded.stage(options->stage), "\n\t");
    });
}

}  // namespace catena::tool
