#include "frontend/c_export/c_export.h"

#include <filesystem>

#include "frontend/c_export/c_writer.h"
#include "runtime/file/write_file.h"
#include "runtime/program/run/code_library.h"

namespace catena {
namespace {

const std::string& object_of(const program::Contents& contents, const std::string& level) {
    std::string has;
    for (const program::Contents::Code& code : contents.codes) {
        has += (has.empty() ? "" : ", ") + code.level;
        auto object = contents.package.texts.find(code.object);
        if (code.level == level && code.architecture == program::architecture() &&
            object != contents.package.texts.end())
            return object->second;
    }
    fail<ValueError>("export: {} has no code for '{}' (it has {})", contents.path, level,
                     has.empty() ? "none" : has);
}

}  // namespace

CExport export_c(const std::string& package, const std::string& folder,
                 const CExportOptions& options) {
    const program::Contents contents(package);
    const CWriter writer(contents, options);
    const std::string& object = object_of(contents, options.level);
    CExport made = writer.summary();
    made.object_bytes = object.size();
    const std::string source = writer.source();
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) fail<FileError>("{}: cannot be created: {}", folder, problem.message());
    const std::string stem = folder + "/" + made.name;
    write_file(stem + ".h", writer.header());
    write_file(stem + ".c", source);
    write_file(stem + "_kernels.o", object);
    write_file(stem + ".weights", writer.weights());
    return made;
}

}  // namespace catena
