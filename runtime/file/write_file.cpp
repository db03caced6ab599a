#include "runtime/file/write_file.h"

#include "runtime/file/file.h"

namespace catena {

void write_file(const std::string& path, std::string_view content) {
    AtomicFile file(path);
    file.write(content.data(), content.size());
    file.commit();
}

}  // namespace catena
