// Groups of processes by MPI: its messages, and its collectives (mpi_collectives.h).
#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <memory>
#include <vector>

#include <dlfcn.h>
#include <mpi.h>

#include "runtime/comm/create.h"
#include "runtime/comm/mpi/mpi_calls.h"
#include "runtime/comm/mpi/mpi_collectives.h"
#include "runtime/comm/process_communicator.h"
#include "runtime/core/system/log.h"

namespace catena {
namespace {

constexpr size_t largest_message = size_t(1) << 30;  // MPI counts in int.

std::atomic<bool> clean = true;  // Until a transfer has failed.

/// A rank that ends in error must not wait for the others to finalize: mpirun sees that it has not,
/// and ends them.
void finalize_after_success(int exit_status, void*) {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (exit_status == 0 && clean && !finalized) MPI_Finalize();
}

void initialize_mpi() {
    int initialized = 0;
    MPI_Initialized(&initialized);
    if (initialized) return;
    // Open MPI loads modules of its own, which look for its symbols among the global ones.
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&MPI_Init_thread), &info) && info.dli_fname)
        dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    int provided = 0;
    check_mpi("MPI_Init_thread", MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided));
    if (provided != MPI_THREAD_MULTIPLE)
        fail<DeviceError>(
            "this MPI library cannot be called from several threads (it provides level {} of {})",
            provided, MPI_THREAD_MULTIPLE);
    on_exit(finalize_after_success, nullptr);
}

int rank_in(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank;
}
int size_of_group(MPI_Comm comm) {
    int size = 0;
    MPI_Comm_size(comm, &size);
    return size;
}

/// The groups that were split off one group, in that order on all its ranks. MPI_Comm_free is a
/// collective call, and destructors run in any order: a group is freed when the next one is made,
/// if it is known then that no rank of the parent uses it any more.
class Descendants {
public:
    struct Member {
        MPI_Comm comm = MPI_COMM_NULL;  ///< MPI's communicator; null on ranks that are not in it.
        std::atomic<bool> in_use = true;
        std::shared_ptr<Descendants> own = std::make_shared<Descendants>();
    };

    /// Called by all ranks of `parent`.
    void free_unused(MPI_Comm parent) {
        std::vector<char> used;
        for (const auto& member : members_) used.push_back(member->in_use);
        if (used.empty()) return;
        check_mpi("split", MPI_Allreduce(MPI_IN_PLACE, used.data(), int(used.size()), MPI_CHAR,
                                         MPI_MAX, parent));
        std::vector<std::shared_ptr<Member>> rest;
        for (size_t i = 0; i < used.size(); ++i) {
            if (used[i])
                rest.push_back(members_[i]);
            else if (MPI_Comm& comm = members_[i]->comm; comm != MPI_COMM_NULL) {
                members_[i]->own->free_unused(comm);
                check_mpi("split", MPI_Comm_free(&comm));
            }
        }
        members_ = std::move(rest);
    }
    std::shared_ptr<Member> add(MPI_Comm comm) {
        auto member = std::make_shared<Member>();
        member->comm = comm;
        member->in_use = comm != MPI_COMM_NULL;
        members_.push_back(member);
        return member;
    }

private:
    std::vector<std::shared_ptr<Member>> members_;
};

class MpiCommunicator final : public ProcessCommunicator {
public:
    explicit MpiCommunicator(std::shared_ptr<Descendants::Member> group)
        : ProcessCommunicator(rank_in(group->comm), size_of_group(group->comm)),
          group_(std::move(group)),
          comm_(group_->comm),
          collectives_(comm_, rank(), size(), ways()) {
        MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
        int* largest = nullptr;
        int found = 0;
        MPI_Comm_get_attr(comm_, MPI_TAG_UB, &largest, &found);
        if (found) largest_tag_ = *largest;
        char machine[MPI_MAX_PROCESSOR_NAME] = {};
        int length = 0;
        MPI_Get_processor_name(machine, &length);
        find_neighbours_and_share(std::string(machine, size_t(length)));
    }
    ~MpiCommunicator() override {
        close();
        if (failure().empty()) group_->in_use = false;  // Else its requests still need it.
    }
    std::string name() const override { return "mpi"; }

    [[noreturn]] void abort(int status, const std::string& reason) override {
        say(LogLevel::error, fmt::format("rank {} ends the job: {}", rank(), reason));
        MPI_Abort(comm_, status == 0 ? 1 : status);
        std::_Exit(status == 0 ? 1 : status);
    }

protected:
    std::shared_ptr<Communicator> make_group(int color, int key) override {
        allgather_bytes("",
                        "split");  // MPI itself would wait forever for a rank that does not come.
        MPI_Comm part = MPI_COMM_NULL;
        group_->own->free_unused(comm_);
        check_mpi("split", MPI_Comm_split(comm_, color < 0 ? MPI_UNDEFINED : color, key, &part));
        auto member = group_->own->add(part);
        return part == MPI_COMM_NULL ? nullptr : std::make_shared<MpiCommunicator>(member);
    }
    int make_progress(std::span<const int>) override {
        int arrived = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &arrived, MPI_STATUS_IGNORE);
        return -1;  // mpirun ends the others.
    }
    /// MPI goes on reading and writing what its requests name: there is no way to stop it that does
    /// not wait for other ranks.
    void break_off(const std::string& reason, const std::shared_ptr<void>& memory) override {
        ProcessCommunicator::break_off(reason, memory);
        clean = false;
        if (memory) new std::shared_ptr<void>(memory);
    }
    int largest_tag() const override { return largest_tag_ - 1; }
    Collectives& collectives() override { return collectives_; }
    void transfer_far(const char* call, int tag, std::span<const Message> sends,
                      std::span<const Message> receives) override {
        const int mpi_tag = tag < 0 ? largest_tag_ : tag;
        std::vector<MPI_Request> requests;
        std::vector<int> peers;
        for (const Message& m : receives)
            for_each_piece(m, [&](char* data, int bytes) {
                peers.push_back(m.peer);
                check_mpi(call, MPI_Irecv(data, bytes, MPI_BYTE, m.peer, mpi_tag, comm_,
                                          &requests.emplace_back()));
            });
        for (const Message& m : sends)
            for_each_piece(m, [&](char* data, int bytes) {
                peers.push_back(m.peer);
                check_mpi(call, MPI_Isend(data, bytes, MPI_BYTE, m.peer, mpi_tag, comm_,
                                          &requests.emplace_back()));
            });
        wait_for_mpi(call, requests, [&] { give_up(call, requests, peers); });
    }

private:
    MpiCollectives::Ways ways() {
        return {
            .transfer =
                [this](const char* call, std::span<const Message> sends,
                       std::span<const Message> receives) { transfer(call, -1, sends, receives); },
            .prefers_messages =
                [this](size_t bytes) {
                    return shares_memory() && bytes <= SharedMemory::largest_message;
                },
            .largest_call = [this] { return largest_call(); },
        };
    }
    size_t largest_call() const {
        const std::string& set = get_config("mpi_bytes_per_call");
        if (set.empty()) return largest_message;
        size_t bytes = 0;
        const char* end = set.data() + set.size();
        const auto read = std::from_chars(set.data(), end, bytes);
        if (read.ec != std::errc() || read.ptr != end || bytes < 1 || bytes > largest_message)
            fail<ValueError>("mpi_bytes_per_call is '{}'; it must be from 1 to {}", set,
                             largest_message);
        return bytes;
    }
    template <class F>
    static void for_each_piece(const Message& m, F&& f) {
        for (size_t begin = 0; begin < m.bytes; begin += largest_message)
            f(static_cast<char*>(m.data) + begin, int(std::min(largest_message, m.bytes - begin)));
    }

    [[noreturn]] void give_up(const char* call, const std::vector<MPI_Request>& requests,
                              const std::vector<int>& peers) {
        std::vector<int> late;
        for (size_t i = 0; i < requests.size(); ++i) {
            if (requests[i] == MPI_REQUEST_NULL) continue;
            if (std::find(late.begin(), late.end(), peers[i]) == late.end())
                late.push_back(peers[i]);
        }
        std::string names;
        for (int rank : late) names += (names.empty() ? "" : ", ") + std::to_string(rank);
        fail<CommunicationError>("{}: rank {} has waited {} s for rank {}", call, rank(),
                                 communication_timeout(), names);
    }

    std::shared_ptr<Descendants::Member> group_;
    MPI_Comm comm_;
    MpiCollectives collectives_;
    int largest_tag_ = 32767;
};

}  // namespace

extern "C" Communicator* catena_mpi_communicator_2() {
    initialize_mpi();
    static Descendants& worlds = *new Descendants;
    worlds.free_unused(MPI_COMM_WORLD);
    MPI_Comm world = MPI_COMM_NULL;
    check_mpi("create_communicator", MPI_Comm_dup(MPI_COMM_WORLD, &world));
    return new MpiCommunicator(worlds.add(world));
}

}  // namespace catena
