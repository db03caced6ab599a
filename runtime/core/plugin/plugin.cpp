#include "runtime/core/plugin/plugin.h"

#include <filesystem>
#include <map>
#include <mutex>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

#include "runtime/core/plugin/load_library.h"
#include "runtime/core/system/environment.h"
#include "runtime/core/system/fork.h"

namespace catena {
namespace {

namespace fs = std::filesystem;

fs::path own_folder() {
    Dl_info info{};
    if (!dladdr(reinterpret_cast<const void*>(&find_plug_in), &info) || !info.dli_fname) return {};
    return fs::path(info.dli_fname).parent_path();
}

std::vector<fs::path> folders() {
    std::vector<fs::path> found;
    const std::string path = environment::text("CATENA_PLUGIN_PATH").value_or("");
    std::string_view rest = path;
    while (!rest.empty()) {
        size_t end = std::min(rest.find(':'), rest.size());
        if (end > 0) found.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    found.push_back(own_folder());
    return found;
}

PlugIn load(std::string_view name, const char* entry, std::string_view title,
            std::string_view remedy) {
    PlugIn plug_in;
    std::string file = fmt::format("libcatena_{}.so", name), looked;
    for (const fs::path& folder : folders()) {
        looked += (looked.empty() ? "" : ", ") + folder.string();
        std::error_code ignored;
        if (!fs::exists(folder / file, ignored)) continue;
        plug_in.file = (folder / file).string();
        void* library = load_library(plug_in.file.c_str());
        if (!library) {
            plug_in.problem = fmt::format("the {} plug-in cannot be loaded: {}", title, dlerror());
            return plug_in;
        }
        plug_in.entry = dlsym(library, entry);
        if (!plug_in.entry)
            plug_in.problem =
                fmt::format("{} is not a {} plug-in of this version of Catena: it has no {}",
                            plug_in.file, title, entry);
        return plug_in;
    }
    plug_in.file = file;
    plug_in.problem = fmt::format("no {} plug-in found in {}; {} or set CATENA_PLUGIN_PATH", title,
                                  looked, remedy);
    return plug_in;
}

}  // namespace

const PlugIn& find_plug_in(std::string_view name, const char* entry, std::string_view title,
                           std::string_view remedy) {
    static std::mutex& mutex = taken_by_forks(*new std::mutex);
    static auto& known = *new std::map<std::string, PlugIn, std::less<>>;
    std::lock_guard lock(mutex);
    auto found = known.find(name);
    if (found == known.end()) found = known.emplace(name, load(name, entry, title, remedy)).first;
    return found->second;
}

}  // namespace catena
