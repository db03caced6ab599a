#include "frontend/testing/save_and_load.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "runtime/core/system/error.h"

namespace catena {

TemporaryFile::TemporaryFile(const std::string& suffix) {
    path_ = (std::filesystem::temp_directory_path() / ("catena-XXXXXX" + suffix)).string();
    const int descriptor = mkstemps(path_.data(), int(suffix.size()));
    if (descriptor < 0)
        fail<FileError>("{}: a temporary file cannot be made: {}", path_, std::strerror(errno));
    close(descriptor);
}

TemporaryFile::~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
}

}  // namespace catena
