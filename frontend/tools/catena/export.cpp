// catena export: a compiled program in a file as C.
#include <charconv>
#include <memory>

#include "frontend/package/c_export.h"
#include "frontend/tools/catena/commands.h"
#include "frontend/tools/catena/completion.h"
#include "runtime/core/error.h"
#include "runtime/program/code_library.h"

namespace catena::tool {
namespace {

/// "batch=32"
std::pair<std::string, int64_t> parse_size(const std::string& text) {
    const size_t at = text.find('=');
    int64_t size = 0;
    const char* end = text.data() + text.size();
    if (at == std::string::npos || at == 0)
        fail<ValueError>("export: --size {} is not NAME=NUMBER", text);
    const auto [rest, error] = std::from_chars(text.data() + at + 1, end, size);
    if (error != std::errc() || rest != end)
        fail<ValueError>("export: --size {} is not NAME=NUMBER", text);
    return {text.substr(0, at), size};
}

}  // namespace

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
        for (const std::string& size : options->sizes)
            if (!options->c.sizes.insert(parse_size(size)).second)
                fail<ValueError>("export: --size {}: this size is given twice", size);
        const CExport made = export_c(options->package, options->folder, options->c);
        fmt::print(
            "{}/{}.c: {} kernels in {} bytes of code, {} other operations, {} bytes of weights, {} "
            "bytes of scratch\n",
            options->folder, made.name, made.kernels, made.object_bytes, made.operations,
            made.weight_bytes, made.arena_bytes);
        fmt::print("needs: libc, libm{}\n", made.uses_library ? ", libcatena_c" : "");
        fmt::print("link with: {0}.c {0}_kernels.o{1} -lm\n", made.name,
                   made.uses_library ? " -lcatena_c" : "");
    });
}

}  // namespace catena::tool
