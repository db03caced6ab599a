#include "runtime/comm/mpi/mpi_calls.h"

#include <chrono>
#include <string>
#include <thread>

#include "runtime/comm/communicator.h"

namespace catena {

void check_mpi(const char* call, int status) {
    if (status == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(status, text, &length);
    fail<CommunicationError>("{}: MPI says: {}", call, std::string(text, size_t(length)));
}

void wait_for_mpi(const char* call, std::span<MPI_Request> requests,
                  const std::function<void()>& late) {
    using MpiClock = std::chrono::steady_clock;
    const MpiClock::time_point start = MpiClock::now();
    for (int64_t tries = 0;; ++tries) {
        int all_done = 0;
        check_mpi(call, MPI_Testall(int(requests.size()), requests.data(), &all_done,
                                    MPI_STATUSES_IGNORE));
        if (all_done) return;
        if (tries < 200) continue;
        std::this_thread::sleep_for(std::chrono::microseconds(tries < 2000 ? 10 : 100));
        if (tries % 1000 == 0 && std::chrono::duration<double>(MpiClock::now() - start).count() >
                                     communication_timeout())
            late();
    }
}

}  // namespace catena
