#include "codegen/cpu/link_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <vector>

#include "runtime/core/system/environment.h"
#include "runtime/core/system/error.h"
#include "runtime/file/write_file.h"

extern char** environ;

namespace catena::codegen::cpu {

namespace {

namespace fs = std::filesystem;

/// A temporary folder, removed by the destructor.
class WorkFolder {
public:
    WorkFolder() {
        std::error_code error;
        const fs::path parent = fs::temp_directory_path(error);
        if (error)
            fail<CompileError>("linking: no folder for temporary files; set TMPDIR: {}",
                               error.message());
        std::string pattern = (parent / "catena-link-XXXXXX").string();
        if (!mkdtemp(pattern.data()))
            fail<CompileError>("linking: cannot create a folder in {}", parent.string());
        path_ = pattern;
    }
    ~WorkFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    std::string operator/(const char* name) const { return (path_ / name).string(); }

private:
    fs::path path_;
};

std::string find_linker() {
    if (const auto wanted = environment::text("CATENA_LINKER")) return *wanted;
    const char* list = std::getenv("PATH");
    for (const char* name : {"ld", "ld.lld", "mold", "ld.gold"}) {
        std::istringstream folders(list && *list ? list : "/usr/local/bin:/usr/bin:/bin");
        for (std::string folder; std::getline(folders, folder, ':');) {
            const fs::path path = fs::path(folder.empty() ? "." : folder) / name;
            std::error_code unknown;
            if (access(path.c_str(), X_OK) == 0 && !fs::is_directory(path, unknown))
                return path.string();
        }
    }
    fail<CompileError>(
        "linking: there is no linker (ld, ld.lld, mold or ld.gold) in PATH; install binutils or "
        "set CATENA_LINKER");
}

/// The libraries of this process that kernels may call: for mathematics, and for 16-bit floats on
/// old processors.
std::set<std::string> needed_libraries() {
    std::set<std::string> files;
    for (const char* symbol : {"nearbyintf", "__extendhfsf2"}) {
        Dl_info info{};
        void* address = dlsym(RTLD_DEFAULT, symbol);
        if (address && dladdr(address, &info) && info.dli_fname &&
            std::string_view(info.dli_fname).find(".so") != std::string_view::npos)
            files.insert(info.dli_fname);
    }
    return files;
}

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

int run(const std::vector<std::string>& command, const std::string& messages) {
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child = 0;
    const int problem =
        posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (problem != 0)
        fail<CompileError>("linking: {} cannot be started: {}", command[0], std::strerror(problem));
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

}  // namespace

std::string link_library(const std::string& object) {
    const WorkFolder folder;
    const std::string from = folder / "kernels.o", to = folder / "kernels.so",
                      messages = folder / "messages";
    write_file(from, object);
    std::vector<std::string> command = {
        find_linker(), "-shared", "--as-needed", "-z", "noexecstack", "-o", to, from};
    for (const std::string& library : needed_libraries()) command.push_back(library);
    const int status = run(command, messages);
    std::string library = content_of(to);
    if (status != 0 || library.empty())
        fail<CompileError>("linking: {} failed with status {} in {}; is there room for files? {}",
                           command[0], status, from, content_of(messages));
    return library;
}

}  // namespace catena::codegen::cpu
