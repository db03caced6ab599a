#include "tests/distributed/counted_ranks.h"

#include <cstdlib>

#include "runtime/comm/local.h"

namespace catena {

CountedCommunicator::CountedCommunicator(std::shared_ptr<Communicator> real)
    : Communicator(real->rank(), real->size()), real_(std::move(real)) {
    find_neighbours_as(*real_);
}

void CountedCommunicator::abort(int status, const std::string& reason) {
    real_->abort(status, reason);
    std::abort();  // Not reached: a virtual function's promise is not seen through a pointer.
}

void CountedCommunicator::transfer(const char* call, int tag, std::span<const Message> sends,
                                   std::span<const Message> receives) {
    traffic.messages += int64_t(sends.size());
    for (const Message& m : sends) traffic.bytes += int64_t(m.bytes);
    transfer_by(*real_, call, tag, sends, receives);
}

std::shared_ptr<Communicator> CountedCommunicator::make_group(int color, int key) {
    std::shared_ptr<Communicator> part = real_->split(color, key);
    return part ? std::make_shared<CountedCommunicator>(std::move(part)) : nullptr;
}

void CountedCommunicator::break_off(const std::string& reason,
                                    const std::shared_ptr<void>& memory) {
    break_off_by(*real_, reason, memory);
}

std::vector<Traffic> traffic_of(int size, const std::function<void(CountedCommunicator&)>& f) {
    std::vector<Traffic> all(static_cast<size_t>(size));
    run_local(size, [&](const std::shared_ptr<Communicator>& real) {
        CountedCommunicator comm(real);
        f(comm);
        all[size_t(comm.rank())] = comm.traffic;
    });
    return all;
}

}  // namespace catena
