#include "runtime/core/parallel/start_thread.h"

#include <system_error>
#include <utility>

#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"

namespace catena {

std::thread start_thread(const char* what, std::function<void()> work) {
    try {
        return std::thread(std::move(work));
    } catch (const std::system_error& error) {
        fail<Error>(
            "{}: no thread could be started: {}; the number of threads is limited by "
            "`ulimit -u` and by control groups (pids.max)",
            what, error.code().message());
    } catch (const std::bad_alloc&) {
        throw_out_of_memory(what, "a thread");
    }
}

}  // namespace catena
