#include "frontend/parallel/objects.h"

#include "frontend/dataset/example_bytes.h"
#include "runtime/core/array/device.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"

namespace catena {
namespace {

std::string from(int rank) { return fmt::format("an object of rank {}", rank); }

Example added(const Example& a, const Example& b, size_t rank) {
    auto wrong = [&] {
        fail<ValueError>("allreduce_obj: rank 0 gives {}, rank {} {}; they must be alike",
                         to_string(a), rank, to_string(b));
    };
    if (!a.is_like(b)) wrong();
    std::vector<Array> sums;
    for (size_t i = 0; i < a.size(); ++i) {
        if (!(a[i].type() == b[i].type())) wrong();
        sums.push_back((Variable(a[i]) + Variable(b[i])).array());
    }
    if (a.is_dict()) return Example(a.keys(), std::move(sums));
    return a.is_tuple() ? Example(std::move(sums)) : Example(std::move(sums[0]));
}

}  // namespace

void send_obj(Communicator& communicator, const Example& object, int dest, int tag) {
    communicator.send_bytes(example_bytes(object), dest, tag);
}

Example recv_obj(Communicator& communicator, int source, int tag) {
    return example_from(communicator.recv_bytes(source, tag), from(source));
}

Example bcast_obj(Communicator& communicator, const Example& object, int root) {
    const bool at_root = communicator.rank() == root;
    return example_from(communicator.bcast_bytes(at_root ? example_bytes(object) : "", root),
                        from(root));
}

std::vector<Example> allgather_obj(Communicator& communicator, const Example& object) {
    std::vector<Example> all;
    for (const std::string& bytes : communicator.allgather_bytes(example_bytes(object)))
        all.push_back(example_from(bytes, from(int(all.size()))));
    return all;
}

std::vector<Example> gather_obj(Communicator& communicator, const Example& object, int root) {
    std::vector<Example> all;
    if (communicator.rank() != root) {
        send_obj(communicator, object, root);
        return all;
    }
    for (int rank = 0; rank < communicator.size(); ++rank)
        all.push_back(rank == root ? example_from(example_bytes(object), from(root))
                                   : recv_obj(communicator, rank));
    return all;
}

Example allreduce_obj(Communicator& communicator, const Example& object) {
    const std::vector<Example> all = allgather_obj(communicator, object);
    const RecorderScope unseen(nullptr);
    const DeviceScope host(cpu_device());
    const auto no_graph = no_backprop_mode();
    Example sum = all[0];
    for (size_t rank = 1; rank < all.size(); ++rank) sum = added(sum, all[rank], rank);
    return sum;
}

void send_arrays(Communicator& communicator, const std::vector<Array>& arrays, int dest, int tag) {
    send_obj(communicator, Example(arrays), dest, tag);
}

std::vector<Array> recv_arrays(Communicator& communicator, int source, int tag) {
    return recv_obj(communicator, source, tag).values();
}

}  // namespace catena
