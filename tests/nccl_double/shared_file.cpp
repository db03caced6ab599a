#include "tests/nccl_double/shared_file.h"

#include <cstdlib>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace nccl_double {

std::string make_meeting_file() {
    const char* folder = std::getenv("TMPDIR");
    std::string path = std::string(folder ? folder : "/tmp") + "/nccl_double_XXXXXX";
    const int file = mkstemp(path.data());
    if (file < 0) return {};
    const bool sized = ftruncate(file, off_t(sizeof(Meeting))) == 0;
    close(file);
    return sized ? path : std::string();
}

Meeting* map_meeting(const std::string& path) {
    const int file = open(path.c_str(), O_RDWR);
    if (file < 0) return nullptr;
    void* memory = mmap(nullptr, sizeof(Meeting), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return memory == MAP_FAILED ? nullptr : static_cast<Meeting*>(memory);
}

void unmap(Meeting* meeting) { munmap(meeting, sizeof(Meeting)); }

}  // namespace nccl_double
