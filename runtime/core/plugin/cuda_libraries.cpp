#include "runtime/core/plugin/cuda_libraries.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "runtime/core/system/environment.h"

namespace catena {

namespace {

namespace fs = std::filesystem;

/// Folders of a folder, sorted by name; none where it is not there or may not be read.
std::vector<fs::path> folders_in(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        std::error_code ignored;
        if (at->is_directory(ignored)) found.push_back(at->path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

void add_nvidia_folders(const fs::path& packages, std::vector<std::string>& found) {
    std::error_code ignored;
    for (const fs::path& package : folders_in(packages / "nvidia")) {
        const std::string folder = (package / "lib").string();
        if (fs::is_directory(folder, ignored) &&
            std::find(found.begin(), found.end(), folder) == found.end())
            found.push_back(folder);
    }
}

/// Adds the folders of an environment's packages, of all versions of Python that it has.
void add_environment(const fs::path& prefix, std::vector<std::string>& found) {
    for (const char* lib : {"lib", "lib64", "local/lib"})
        for (const fs::path& python : folders_in(prefix / lib))
            if (python.filename().string().starts_with("python3"))
                for (const char* packages : {"site-packages", "dist-packages"})
                    add_nvidia_folders(python / packages, found);
}

/// The environment of bin/python3. Where pyenv has a script in its place, the one that it would
/// choose.
fs::path environment_of(const fs::path& python) {
    const fs::path folder = python.parent_path();
    if (folder.filename() != "shims") return folder.parent_path();
    std::string version = environment::text("PYENV_VERSION").value_or("");
    if (version.empty()) std::ifstream(folder.parent_path() / "version") >> version;
    return folder.parent_path() / "versions" / version;
}

}  // namespace

std::vector<std::string> python_library_folders() {
    std::vector<std::string> found;
    for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
        if (const auto prefix = environment::text(variable)) add_environment(*prefix, found);
    std::istringstream path(environment::text("PATH").value_or(""));
    std::error_code ignored;
    for (std::string folder; std::getline(path, folder, ':');)
        if (const fs::path python = fs::path(folder) / "python3";
            !folder.empty() && fs::exists(python, ignored))
            add_environment(environment_of(python), found);
    if (const auto home = environment::text("HOME"))
        add_environment(fs::path(*home) / ".local", found);
    return found;
}

std::vector<std::string> cuda_library_files(const char* variable,
                                            const std::vector<std::string>& names) {
    if (auto file = environment::text(variable)) return {*file};
    std::vector<std::string> files = names;
    std::vector<std::string> folders;
    for (const std::string& toolkit :
         {environment::text("CUDA_HOME").value_or(""), std::string("/usr/local/cuda")})
        for (const char* below : {"/lib64", "/lib"})
            if (!toolkit.empty()) folders.push_back(toolkit + below);
    for (std::string& folder : python_library_folders()) folders.push_back(std::move(folder));
    std::error_code ignored;
    for (const std::string& folder : folders)
        for (const std::string& name : names)
            if (const std::string file = folder + "/" + name; fs::exists(file, ignored))
                files.push_back(file);
    return files;
}

}  // namespace catena
