#pragma once

#include <functional>
#include <span>

#include <mpi.h>

namespace catena {

/// CommunicationError with MPI's words unless `status` is MPI_SUCCESS.
void check_mpi(const char* call, int status);

/// Returns when MPI has done all requests. It polls, because MPI's own waiting keeps a core busy.
/// After communication_timeout() seconds it calls `late`, which throws.
void wait_for_mpi(const char* call, std::span<MPI_Request> requests,
                  const std::function<void()>& late);

}  // namespace catena
