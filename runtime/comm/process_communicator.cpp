#include "runtime/comm/process_communicator.h"

#include <algorithm>

#include "runtime/comm/shared_block.h"
#include "runtime/core/system/environment.h"

namespace catena {
namespace {

bool wants_shared_memory() { return environment::flag("CATENA_SHARED_MEMORY", true); }

}  // namespace

void ProcessCommunicator::find_neighbours_and_share(const std::string& machine) {
    find_neighbours(machine);
    if (size() > 1 && inter_size() == 1 && wants_shared_memory())
        shared_ = SharedMemory::create(rank(), size(), [this](const std::string& own) {
            return allgather_bytes(own, "shared memory");
        });
}

Array ProcessCommunicator::transfer_buffer(const Type& type) {
    return shared_ ? shared_array(type) : Communicator::transfer_buffer(type);
}

void ProcessCommunicator::break_off(const std::string&, const std::shared_ptr<void>&) {
    if (shared_) shared_->break_off();
}

void ProcessCommunicator::reduce_buffer(const char* call, const Array& buffer,
                                        Reduction reduction) {
    bool done = false;
    // What fits into mailboxes goes through them; all ranks know the size.
    const size_t bytes = size_t(buffer.size()) * size_of(buffer.dtype());
    if (shared_ && bytes > SharedMemory::largest_message)
        done = shared_->reduce(call, buffer, reduction,
                               [this](std::span<const int> late) { return make_progress(late); });
    if (done)
        count_reduced(buffer);
    else
        reduce_far(call, buffer, reduction);
}

int ProcessCommunicator::lost_rank() {
    std::vector<int> others;
    for (int r = 0; r < size(); ++r)
        if (r != rank()) others.push_back(r);
    return make_progress(others);
}

void ProcessCommunicator::transfer(const char* call, int tag, std::span<const Message> sends,
                                   std::span<const Message> receives) {
    if (!shared_ || tag >= 0) return transfer_far(call, tag, sends, receives);
    // Both sides know the size, so both choose the same path.
    auto is_small = [](const Message& m) { return m.bytes <= SharedMemory::largest_message; };
    std::vector<Message> s(sends.begin(), sends.end()), r(receives.begin(), receives.end());
    auto far_sends = std::stable_partition(s.begin(), s.end(), is_small);
    auto far_receives = std::stable_partition(r.begin(), r.end(), is_small);
    shared_->transfer(call, {s.begin(), far_sends}, {r.begin(), far_receives},
                      [this](std::span<const int> late) { return make_progress(late); });
    if (far_sends != s.end() || far_receives != r.end())
        transfer_far(call, tag, {far_sends, s.end()}, {far_receives, r.end()});
}

}  // namespace catena
