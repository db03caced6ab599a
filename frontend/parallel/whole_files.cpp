#include "frontend/parallel/whole_files.h"

#include <algorithm>

#include <fmt/core.h>

#include "frontend/parallel/lines.h"
#include "frontend/trainer/extensions/snapshot/snapshot_file.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/notice.h"

namespace catena {

std::vector<std::string> common_names(Communicator& communicator,
                                      const std::vector<std::string>& names, bool has_files) {
    std::string own = has_files ? "+" : "-";
    for (const std::string& name : names) own += name + "\n";
    std::optional<std::vector<std::string>> common;
    for (const std::string& text : communicator.allgather_bytes(own)) {
        if (!text.starts_with('+')) continue;
        const std::vector<std::string> theirs = lines_of(text.substr(1));
        if (!common) common = theirs;
        std::erase_if(*common, [&](const std::string& name) {
            return std::ranges::find(theirs, name) == theirs.end();
        });
    }
    return common.value_or(std::vector<std::string>());
}

std::optional<size_t> first_whole(Communicator& communicator, const char* what,
                                  const std::vector<std::string>& files,
                                  extensions::SnapshotFormat format) {
    std::string first_damage;
    for (size_t i = 0; i < files.size(); ++i) {
        const std::string own = files[i].empty() ? "" : extensions::damage_of(files[i], format);
        const std::vector<std::string> all = communicator.allgather_bytes(own);
        const auto damaged =
            std::ranges::find_if(all, [](const std::string& text) { return !text.empty(); });
        if (damaged == all.end()) {
            if (i > 0 && !files[i].empty())
                notice_once(fmt::format("{}: the training goes on from {}", what, files[i]),
                            LogLevel::info);
            return i;
        }
        const std::string text =
            fmt::format("the file of rank {} is damaged: {}", damaged - all.begin(), *damaged);
        notice_once(fmt::format("{}: {}", what, text));
        if (first_damage.empty()) first_damage = text;
    }
    if (!first_damage.empty())
        fail<FileError>("{}: no older files that all ranks can read; {}", what, first_damage);
    return {};
}

}  // namespace catena
