#include "runtime/ops/communication/tuples.h"

namespace catena::parallel {

Variable send(Communicator& comm, std::span<const Variable> xs, int rank, int tag) {
    if (xs.empty()) fail<ValueError>("send: there are no arrays to send to rank {}", rank);
    Variable delegate = send(comm, xs[0], rank, tag);
    // In a chain, so that backward asks for the gradients in one order, the last first.
    for (size_t i = 1; i < xs.size(); ++i)
        delegate = send(comm, pseudo_connect(delegate, xs[i]), rank, tag + int(i));
    return delegate;
}

Variables recv_tuple(Communicator& comm, int rank, int count, const Variable& delegate, int tag) {
    if (count < 1)
        fail<ValueError>("recv_tuple: {} arrays of rank {}; at least one is expected", count, rank);
    Variables xs;
    // The same delegate for all: backward then visits the latest first, as the sender expects.
    for (int i = 0; i < count; ++i) xs.push_back(recv(comm, rank, delegate, tag + i));
    return xs;
}

Variables pseudo_connect(const Variable& delegate, std::span<const Variable> xs) {
    Variables tied;
    for (const Variable& x : xs) tied.push_back(pseudo_connect(delegate, x));
    return tied;
}

}  // namespace catena::parallel
