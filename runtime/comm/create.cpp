#include "runtime/comm/create.h"

#include "runtime/comm/dummy.h"
#include "runtime/comm/except_hook.h"
#include "runtime/comm/tcp.h"
#include "runtime/core/plugin/plugin.h"
#include "runtime/core/system/environment.h"

namespace catena {
namespace {

void* entry_of(std::string_view communicator, const char* name, const char* entry,
               const char* title, const char* remedy) {
    const PlugIn& plug_in = find_plug_in(name, entry, title, remedy);
    if (!plug_in.entry)
        fail<DeviceError>("create_communicator({}): {}", communicator, plug_in.problem);
    return plug_in.entry;
}

std::shared_ptr<Communicator> create(std::string_view name, Device* device) {
    if (name == "local") return local_communicator();
    if (name == "tcp") return tcp_communicator(Rendezvous::from_environment());
    // Arrays of GPUs always go through the host with MPI, so that it need not know CUDA.
    if (name == "flat" || name == "naive" || name == "non_cuda_aware") {
        void* entry = entry_of(name, "mpi", mpi_entry, "MPI",
                               "build with CATENA_MPI=ON (Debian: libopenmpi-dev)");
        return std::shared_ptr<Communicator>(reinterpret_cast<CommunicatorEntry>(entry)());
    }
    if (name == "pure_nccl") {
        void* entry = entry_of(name, "nccl", nccl_entry, "NCCL",
                               "build with CATENA_NCCL=ON (the CUDA toolkit and NCCL's header)");
        return std::shared_ptr<Communicator>(
            reinterpret_cast<DeviceCommunicatorEntry>(entry)(device));
    }
    if (name == "dummy")
        return dummy_communicator(
            create(Rendezvous::is_in_environment() ? "tcp" : "flat", nullptr));
    if (name == "hierarchical" || name == "two_dimensional" || name == "single_node")
        fail<ValueError>(
            "create_communicator: '{}' was removed in ChainerMN 6; use pure_nccl (a GPU for each "
            "process) or flat",
            name);
    fail<ValueError>(
        "create_communicator: there is no '{}'; there are pure_nccl, flat, naive, non_cuda_aware, "
        "tcp, "
        "local and dummy",
        name);
}

}  // namespace

std::shared_ptr<Communicator> create_communicator(std::string_view name,
                                                  const CommunicatorOptions& options) {
    if (options.allreduce_grad_dtype && !is_float(*options.allreduce_grad_dtype))
        fail<ValueError>("create_communicator: gradients are sent as floats, not as {}",
                         name_of(*options.allreduce_grad_dtype));
    if (options.device && name != "pure_nccl")
        fail<ValueError>(
            "create_communicator({}): takes arrays of any device; CommunicatorOptions::device is "
            "for pure_nccl",
            name);
    std::shared_ptr<Communicator> made = create(name, options.device);
    if (options.allreduce_grad_dtype)
        made->set_config("allreduce_grad_dtype",
                         std::string(name_of(*options.allreduce_grad_dtype)));
    if (options.sums) made->set_sums(options.sums);
    if (name == "naive") made->set_config("bucket_bytes", "0");
    for (const char* wish :
         {"CATENA_FORCE_ABORT_ON_EXCEPTION", "CHAINERMN_FORCE_ABORT_ON_EXCEPTION",
          "CHAINERMN_FORCE_ABORT_ON_EXCEPTIONS"})
        if (environment::flag(wish, false) && name != "local") add_global_except_hook(made);
    return made;
}

}  // namespace catena
