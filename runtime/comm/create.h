#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "runtime/comm/communicator.h"
#include "runtime/comm/local.h"

namespace catena {

/// Options of create_communicator.
struct CommunicatorOptions {
    /// The dtype in which gradients are sent; default: their own. Floats only.
    std::optional<Dtype> allreduce_grad_dtype = {};
    /// For pure_nccl: this process's GPU; default "cuda:N" with N its rank on the machine.
    Device* device = nullptr;
    /// The order of sums; default: rank_order up to 16 ranks, engine for more. Equal on all ranks:
    /// it is compared at every sum.
    std::optional<Sums> sums = {};
};

/// The group of all processes of this job, by ChainerMN's names:
///   pure_nccl  NCCL between GPUs, one per process; connected by MPI, or as "tcp" when
///              CATENA_RENDEZVOUS is set
///   flat       MPI; gradients are packed into buckets
///   naive      MPI; one all-reduce per parameter
///   tcp        processes connected through CATENA_RENDEZVOUS (runtime/comm/tcp.h), without MPI
///   local      the threads of run_local()
///   dummy      as flat or tcp, but gradients are not sent (runtime/comm/dummy.h)
///   non_cuda_aware  as flat
/// ValueError for another name; DeviceError when the plug-in, a GPU or a driver is missing, saying
/// which.
std::shared_ptr<Communicator> create_communicator(std::string_view name = "pure_nccl",
                                                  const CommunicatorOptions& options = {});

/// The entry function of a plug-in: returns the group of all processes.
using CommunicatorEntry = Communicator* (*)();
/// The name of the entry function in the MPI plug-in.
inline constexpr const char* mpi_entry = "catena_mpi_communicator_2";
/// The entry function of the NCCL plug-in, which also takes CommunicatorOptions::device.
using DeviceCommunicatorEntry = Communicator* (*)(Device*);
/// The name of the entry function in the NCCL plug-in.
inline constexpr const char* nccl_entry = "catena_nccl_communicator_3";

}  // namespace catena
