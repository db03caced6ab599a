#include "tests/support/command.h"

#include <sys/resource.h>

#include <cstdio>

namespace catena::testing {

namespace {

double children_seconds() {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    return double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

}  // namespace

CommandResult run(const std::string& command) {
    CommandResult result;
    const double before = children_seconds();
    FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    char buffer[4096];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
        result.output.append(buffer, n);
    result.status = pclose(pipe);
    result.cpu_seconds = children_seconds() - before;
    return result;
}

std::string program(const std::string& name) { return CATENA_BINARY_DIR "/bin/" + name; }

}  // namespace catena::testing
