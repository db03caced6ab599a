#include "tests/structure/source_tree.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

namespace catena::structure {

namespace fs = std::filesystem;

fs::path root() { return CATENA_SOURCE_DIR; }

std::vector<std::string> sources_below(const std::string& folder) {
    std::vector<std::string> files;
    if (!fs::exists(root() / folder)) return files;
    for (const auto& entry : fs::recursive_directory_iterator(root() / folder)) {
        const auto extension = entry.path().extension();
        if (extension == ".h" || extension == ".cpp" || extension == ".def" || extension == ".inc")
            files.push_back(fs::relative(entry.path(), root()).string());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<std::string> code_files() {
    std::vector<std::string> files;
    for (const auto& folder : fs::directory_iterator(root())) {
        if (!fs::exists(folder.path() / "CMakeLists.txt")) continue;  // docs, or a build.
        for (fs::recursive_directory_iterator it(folder), end; it != end; ++it) {
            const std::string extension = it->path().extension();
            if (it->is_directory() && fs::exists(it->path() / "CMakeCache.txt"))
                it.disable_recursion_pending();
            else if (extension == ".h" || extension == ".cpp" || extension == ".c" ||
                     extension == ".inc")
                files.push_back(fs::relative(it->path(), root()).string());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string read(const std::string& path) {
    std::ifstream file(root() / path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> lines_of(const std::string& path) {
    std::istringstream text(read(path));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
}

}  // namespace catena::structure
