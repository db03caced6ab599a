// Messages by MPI. The collectives are those of Communicator: their order of addition does not
// depend on the library.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <mpi.h>

#include "runtime/comm/create.h"
#include "runtime/comm/process_communicator.h"

namespace catena {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t largest_message = size_t(1) << 30;  // MPI counts in int.

void check(const char* call, int status) {
    if (status == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(status, text, &length);
    fail<CommunicationError>("{}: MPI says: {}", call, std::string(text, size_t(length)));
}

bool clean = true;  // Until a rank has timed out.

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
    check("MPI_Init_thread", MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided));
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

class MpiCommunicator final : public ProcessCommunicator {
public:
    explicit MpiCommunicator(MPI_Comm comm)
        : ProcessCommunicator(rank_in(comm), size_of_group(comm)), comm_(comm) {
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
    ~MpiCommunicator() override { close(); }
    std::string name() const override { return "mpi"; }

    std::shared_ptr<Communicator> split(int color, int key) override {
        MPI_Comm part = MPI_COMM_NULL;
        check("split", MPI_Comm_split(comm_, color < 0 ? MPI_UNDEFINED : color, key, &part));
        return part == MPI_COMM_NULL ? nullptr : std::make_shared<MpiCommunicator>(part);
    }
    [[noreturn]] void abort(int status, const std::string& reason) override {
        std::fprintf(stderr, "catena: rank %d ends the job: %s\n", rank(), reason.c_str());
        std::fflush(stderr);
        MPI_Abort(comm_, status == 0 ? 1 : status);
        std::_Exit(status == 0 ? 1 : status);
    }

protected:
    int make_progress(std::span<const int>) override {
        int arrived = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &arrived, MPI_STATUS_IGNORE);
        return -1;  // mpirun ends the others.
    }
    void failed() override { clean = false; }
    void transfer_far(const char* call, int tag, std::span<const Message> sends,
                      std::span<const Message> receives) override {
        if (tag >= largest_tag_)
            fail<ValueError>("{}: the tag is {}, the maximum is {}", call, tag, largest_tag_ - 1);
        const int mpi_tag = tag < 0 ? largest_tag_ : tag;
        std::vector<MPI_Request> requests;
        std::vector<int> peers;
        for (const Message& m : receives)
            for_each_piece(m, [&](char* data, int bytes) {
                peers.push_back(m.peer);
                check(call, MPI_Irecv(data, bytes, MPI_BYTE, m.peer, mpi_tag, comm_,
                                      &requests.emplace_back()));
            });
        for (const Message& m : sends)
            for_each_piece(m, [&](char* data, int bytes) {
                peers.push_back(m.peer);
                check(call, MPI_Isend(data, bytes, MPI_BYTE, m.peer, mpi_tag, comm_,
                                      &requests.emplace_back()));
            });
        wait_for(call, requests, peers);
    }

private:
    template <class F>
    static void for_each_piece(const Message& m, F&& f) {
        for (size_t begin = 0; begin < m.bytes; begin += largest_message)
            f(static_cast<char*>(m.data) + begin, int(std::min(largest_message, m.bytes - begin)));
    }

    /// Polls, because MPI's own waiting keeps a core busy.
    void wait_for(const char* call, std::vector<MPI_Request>& requests,
                  const std::vector<int>& peers) {
        const Clock::time_point start = Clock::now();
        for (int64_t tries = 0;; ++tries) {
            int all_done = 0;
            check(call, MPI_Testall(int(requests.size()), requests.data(), &all_done,
                                    MPI_STATUSES_IGNORE));
            if (all_done) return;
            if (tries < 200) continue;
            std::this_thread::sleep_for(std::chrono::microseconds(tries < 2000 ? 10 : 100));
            if (tries % 1000 == 0 && std::chrono::duration<double>(Clock::now() - start).count() >
                                         communication_timeout())
                give_up(call, requests, peers);
        }
    }

    [[noreturn]] void give_up(const char* call, std::vector<MPI_Request>& requests,
                              const std::vector<int>& peers) {
        std::vector<int> late;
        for (size_t i = 0; i < requests.size(); ++i) {
            if (requests[i] == MPI_REQUEST_NULL) continue;
            if (std::find(late.begin(), late.end(), peers[i]) == late.end())
                late.push_back(peers[i]);
            MPI_Cancel(&requests[i]);  // Its memory is about to be freed.
            MPI_Request_free(&requests[i]);
        }
        clean = false;
        std::string names;
        for (int rank : late) names += (names.empty() ? "" : ", ") + std::to_string(rank);
        fail<CommunicationError>("{}: rank {} has waited {} s for rank {}", call, rank(),
                                 communication_timeout(), names);
    }

    MPI_Comm comm_;
    int largest_tag_ = 32767;
};

}  // namespace

extern "C" Communicator* catena_mpi_communicator_1() {
    initialize_mpi();
    MPI_Comm world = MPI_COMM_NULL;
    check("create_communicator", MPI_Comm_dup(MPI_COMM_WORLD, &world));
    return new MpiCommunicator(world);
}

}  // namespace catena
