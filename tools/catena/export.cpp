// catena export: a compiled program in a file as C.
#include "tools/catena/export.h"

#include <memory>

#include <fmt/core.h>

#include "runtime/core/system/counted.h"
#include "runtime/program/run/code_library.h"
#include "tools/catena/commands.h"
#include "tools/catena/completion.h"
#include "tools/catena/size_option.h"

namespace catena::tool {

void print_c_export(const std::string& folder, const CExport& made) {
    fmt::print("{}/{}.c: {} in {} bytes of code, {}, {} bytes of weights, {} bytes of scratch\n",
               folder, made.name, counted(made.kernels, "kernel"), made.object_bytes,
               counted(made.operations, "other operation"), made.weight_bytes, made.arena_bytes);
    fmt::print("needs: libc, libm{}\n", made.uses_library ? ", libcatena_c" : "");
    fmt::print("link with: {0}.c {0}_kernels.o{1} -lm\n", made.name,
               made.uses_library ? " -lcatena_c" : "");
}

void add_export(CLI::App& program) {
    struct Options {
        std::string package, folder;
        std::vector<std::string> sizes;
        CExportOptions c;
    };
    auto options = std::make_shared<Options>();
    auto* command = program.add_subcommand("export", "writes a program (.catena) as C");
    command->add_option("program", options->package, "the file")->required();
    command
        ->add_option("--c", options->folder,
                     "the folder for header, source, object file and weights")
        ->required();
    command->add_option("--name", options->c.name,
                        "prefix of files and functions instead of the program's name");
    CLI::Option* level = command->add_option("--level", options->c.level,
                                             "instruction set of the code: scalar, avx2, avx512");
    level->capture_default_str();
    complete_with(level, [](auto) { return program::known_code_levels(); });
    command->add_option("--size", options->sizes,
                        "NAME=NUMBER, the value of an open size; each needs one");
    command->callback([options] {
        options->c.sizes = parse_sizes("export", "--size", options->sizes);
        print_c_export(options->folder, export_c(options->package, options->folder, options->c));
    });
}

}  // namespace catena::tool
