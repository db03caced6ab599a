#include "runtime/comm/create.h"

#include <algorithm>

#include "runtime/comm/dummy.h"
#include "runtime/comm/except_hook.h"
#include "runtime/comm/tcp.h"
#include "runtime/core/array/device.h"
#include "runtime/core/plugin/plugin.h"
#include "runtime/core/system/environment.h"
#include "runtime/core/system/notice.h"

namespace catena {
namespace {

const PlugIn& mpi_plug_in() {
    return find_plug_in("mpi", mpi_entry, "MPI",
                        "build with CATENA_MPI=ON (Debian: libopenmpi-dev)");
}
const PlugIn& nccl_plug_in() {
    return find_plug_in("nccl", nccl_entry, "NCCL",
                        "build with CATENA_NCCL=ON (the CUDA toolkit and NCCL's header)");
}
void* entry_of(std::string_view communicator, const PlugIn& plug_in) {
    if (!plug_in.entry)
        fail<DeviceError>("create_communicator({}): {}", communicator, plug_in.problem);
    return plug_in.entry;
}

/// An MPI library whose ranks another one's launcher started finds itself alone.
void check_against_launcher(std::string_view name, const Communicator& made) {
    const Launched launched = find_launched();
    if (launched.launcher == "none" || launched.size == 0 ||
        (made.size() == launched.size && made.rank() == launched.rank))
        return;
    fail<CommunicationError>(
        "create_communicator({}): this is rank {} of {} for {}, and rank {} of {} for MPI; start "
        "the ranks by the mpirun of the same MPI library or by srun --mpi=pmix, use the "
        "communicator tcp, or set CATENA_LAUNCHER=none if each process is to be alone",
        name, launched.rank, launched.size, launched.why, made.rank(), made.size());
}

std::shared_ptr<Communicator> mpi_communicator(std::string_view name) {
    void* entry = entry_of(name, mpi_plug_in());
    std::shared_ptr<Communicator> made(reinterpret_cast<CommunicatorEntry>(entry)());
    check_against_launcher(name, *made);
    return made;
}

std::shared_ptr<Communicator> nccl_communicator(Device* device) {
    void* entry = entry_of("pure_nccl", nccl_plug_in());
    return std::shared_ptr<Communicator>(reinterpret_cast<DeviceCommunicatorEntry>(entry)(device));
}

/// This rank's GPU, so that two ranks with one GPU say the same; "": NCCL cannot be used.
std::string gpu_for_nccl(const Communicator& host) {
    if (!nccl_plug_in().entry) return "";
    try {
        return fmt::format("{} of machine {}, CUDA_VISIBLE_DEVICES={}", device_of_rank(host).name(),
                           host.inter_rank(),
                           environment::text("CUDA_VISIBLE_DEVICES").value_or(""));
    } catch (const DeviceError&) {
        return "";
    }
}

/// Whether all ranks have a GPU of their own: NCCL takes one GPU a rank.
bool all_have_their_own(std::vector<std::string> gpus) {
    std::ranges::sort(gpus);
    if (gpus[0].empty()) return false;
    const auto twice = std::ranges::adjacent_find(gpus);
    if (twice == gpus.end()) return true;
    notice_once(fmt::format("create_communicator: several ranks have {}, so it is not pure_nccl; "
                            "if they are different GPUs, ask for it by its name",
                            *twice),
                LogLevel::info);
    return false;
}

std::shared_ptr<Communicator> create(std::string_view name, Device* device);

/// What all ranks can use; each sees its own machine only.
std::shared_ptr<Communicator> create_fitting() {
    if (local_communicator()->size() > 1) return local_communicator();
    std::shared_ptr<Communicator> host = create(chosen_communicator(find_launched()).name, nullptr);
    if (host->size() == 1) return host;
    if (!all_have_their_own(host->allgather_bytes(gpu_for_nccl(*host), "who has which GPU")))
        return host;
    try {
        return nccl_communicator(nullptr);
    } catch (const DeviceError& error) {  // On all ranks, or on none.
        notice_once(error.what(), LogLevel::info);
    }
    return host;
}

std::shared_ptr<Communicator> create(std::string_view name, Device* device) {
    if (name == "auto") return create_fitting();
    if (name == "local") return local_communicator();
    if (name == "tcp") return tcp_communicator(Rendezvous::from_environment());
    // Arrays of GPUs always go through the host with MPI, so that it need not know CUDA.
    if (name == "flat" || name == "naive" || name == "non_cuda_aware")
        return mpi_communicator(name);
    if (name == "pure_nccl") return nccl_communicator(device);
    if (name == "dummy") return dummy_communicator(create(host_communicator(), nullptr));
    if (name == "hierarchical" || name == "two_dimensional" || name == "single_node")
        fail<ValueError>(
            "create_communicator: '{}' was removed in ChainerMN 6; use pure_nccl (a GPU for each "
            "process) or flat",
            name);
    fail<ValueError>(
        "create_communicator: there is no '{}'; there are auto, pure_nccl, flat, naive, "
        "non_cuda_aware, tcp, local and dummy",
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
    if (name != "local" && wants_global_except_hook()) add_global_except_hook(made);
    return made;
}

ChosenCommunicator chosen_communicator(const Launched& launched) {
    if (launched.launcher == "none") return {"local", "one process: " + launched.why};
    if (launched.is_place_given) return {"tcp", launched.why};
    if (launched.serves_mpi && (mpi_plug_in().entry || launched.rendezvous.empty()))
        return {"flat", launched.why};
    if (!launched.rendezvous.empty())
        return {"tcp",
                launched.serves_mpi ? launched.why + "; " + mpi_plug_in().problem : launched.why};
    if (launched.size == 1) return {"local", launched.why};
    fail<ValueError>(
        "create_communicator: {} does not say where ranks meet; set CATENA_RENDEZVOUS to "
        "tcp://HOST:PORT or file:///FOLDER/NAME, the same for all",
        launched.why);
}

std::string host_communicator() {
    const std::string name = chosen_communicator(find_launched()).name;
    return name == "tcp" ? name : "flat";
}

Device& device_of_rank(const Communicator& communicator) {
    const int place = find_launched().local_rank.value_or(communicator.intra_rank());
    try {
        return get_device(fmt::format("cuda:{}", place));
    } catch (const DeviceError&) {
        if (place == 0) throw;
        // A launcher may show each rank its own GPU only.
        Device& only = get_device("cuda:0");
        try {
            get_device("cuda:1");
        } catch (const DeviceError&) {
            return only;
        }
        throw;
    }
}

}  // namespace catena
