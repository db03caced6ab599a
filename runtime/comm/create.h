#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/comm/communicator.h"
#include "runtime/comm/launcher.h"
#include "runtime/comm/local.h"

namespace catena {

/// Options of create_communicator.
struct CommunicatorOptions {
    /// The dtype in which gradients are sent; default: their own. Floats only.
    std::optional<Dtype> allreduce_grad_dtype = {};
    /// This process's GPU, for pure_nccl; by default that of device_of_rank().
    Device* device = nullptr;
    /// The order of sums; default: rank_order up to 16 ranks, engine for more. Equal on all ranks:
    /// it is compared at every sum.
    std::optional<Sums> sums = {};
};

/// The group of all processes of this job. The names are ChainerMN's, but "auto":
///   auto       what fits how the job was started; see chosen_communicator()
///   pure_nccl  NCCL between GPUs, one per process; connected by MPI or TCP, as host_communicator()
///              says
///   flat       MPI; gradients are packed into buckets
///   naive      MPI; one all-reduce per parameter
///   tcp        processes connected without MPI (runtime/comm/tcp.h), where the launcher or
///              CATENA_RENDEZVOUS says
///   local      the threads of run_local()
///   dummy      as flat or tcp, but gradients are not sent (runtime/comm/dummy.h)
///   non_cuda_aware  as flat
/// ValueError for another name, or if the launcher's variables contradict each other; DeviceError
/// when the plug-in, a GPU or a driver is missing, saying which; CommunicationError if MPI knows
/// other ranks than the launcher has started.
std::shared_ptr<Communicator> create_communicator(std::string_view name = "auto",
                                                  const CommunicatorOptions& options = {});

/// The communicator that "auto" stands for, and the reason.
struct ChosenCommunicator {
    std::string name;  ///< flat, tcp or local.
    std::string why;
};
/// The communicator that "auto" means. Without a launcher: local, a group of one. Started where MPI
/// can be used: flat. Otherwise tcp. Where all ranks of several have a GPU of their own and NCCL,
/// pure_nccl on top of it.
ChosenCommunicator chosen_communicator(const Launched& launched);
/// "tcp" or "flat": what pure_nccl and dummy stand on.
std::string host_communicator();

/// The GPU of this rank: cuda:N, N being its place on its machine; cuda:0 where it sees that one
/// only. DeviceError if there is none.
Device& device_of_rank(const Communicator& communicator);

/// The entry function of a plug-in: returns the group of all processes.
using CommunicatorEntry = Communicator* (*)();
/// The name of the entry function in the MPI plug-in.
inline constexpr const char* mpi_entry = "catena_mpi_communicator_2";
/// The entry function of the NCCL plug-in, which also takes CommunicatorOptions::device.
using DeviceCommunicatorEntry = Communicator* (*)(Device*);
/// The name of the entry function in the NCCL plug-in.
inline constexpr const char* nccl_entry = "catena_nccl_communicator_3";

}  // namespace catena
