#include "runtime/ops/communication/parts.h"

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/core/array/device.h"
#include "runtime/graph/call/assign.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/communication/buckets.h"
#include "runtime/ops/communication/message.h"

namespace catena::parallel {
namespace {

/// Where the parts of several arrays lie in a block of each rank, one after the other. All blocks
/// are as large as the largest, so that libraries can add and gather them.
class Packing {
public:
    Packing(std::span<const int64_t> sizes, int ranks) : sizes_(sizes), ranks_(ranks) {
        for (int r = 0; r < ranks; ++r) block_ = std::max(block_, filled(r));
    }
    int64_t block() const { return block_; }
    int64_t total() const { return block_ * ranks_; }
    /// The elements of a rank's block that are used.
    int64_t filled(int rank) const {
        int64_t count = 0;
        for (const int64_t size : sizes_) count += part_of_rank(size, rank, ranks_).size;
        return count;
    }
    /// Calls f(index of the array, its part, where the part begins in the buffer).
    template <class F>
    void for_each(int rank, const F& f) const {
        int64_t at = block_ * rank;
        for (size_t i = 0; i < sizes_.size(); ++i) {
            const RankPart part = part_of_rank(sizes_[i], rank, ranks_);
            f(i, part, at);
            at += part.size;
        }
    }

private:
    std::span<const int64_t> sizes_;
    int ranks_;
    int64_t block_ = 0;
};

Array elements(const Array& flat, int64_t begin, int64_t count) {
    return flat.view({count}, {1}, flat.body()->offset + begin);
}

Array flat(const Array& contiguous) {
    return contiguous.view({contiguous.size()}, {1}, contiguous.body()->offset);
}

void clear_rest(const Array& buffer, const Packing& packing, int rank) {
    const int64_t filled = packing.filled(rank), rest = packing.block() - filled;
    const DeviceScope host(cpu_device());
    if (rest > 0)
        copy_elements(Array::zeros({buffer.dtype(), {rest}}),
                      elements(buffer, packing.block() * rank + filled, rest));
}

const OpDef& op_start_parts() {
    static const OpDef& made = []() -> const OpDef& {
        OpDef op = message("comm_start_parts");
        op.type = [](const TypeCall&) { return Types{order_type()}; };
        op.kernel = [](const KernelCall& c) {
            Communicator& comm = communicator_in(c.attributes);
            std::vector<Array> gradients;
            std::vector<int64_t> sizes;
            for (const Array& g : data_of(c)) {
                gradients.push_back(flat(g.as_contiguous()));
                sizes.push_back(g.size());
            }
            const Packing packing(sizes, comm.size());
            Array bucket = comm.transfer_buffer({c.attributes.dtype("dtype"), {packing.total()}});
            for (int r = 0; r < comm.size(); ++r) {
                packing.for_each(r, [&](size_t i, const RankPart& part, int64_t at) {
                    copy_elements(elements(gradients[i], part.begin, part.size),
                                  elements(bucket, at, part.size));
                });
                clear_rest(bucket, packing, r);
            }
            const int64_t ticket = comm.start_reduce_scatter(std::move(bucket), Reduction::mean,
                                                             c.attributes.integer("label"));
            c.outputs[0].device().copy_from_host(&ticket, c.outputs[0]);
        };
        return register_anywhere(std::move(op));
    }();
    return made;
}

const OpDef& op_start_gather() {
    static const OpDef& made = []() -> const OpDef& {
        OpDef op = message("comm_start_gather");
        op.type = [](const TypeCall&) { return Types{order_type()}; };
        op.kernel = [](const KernelCall& c) {
            Communicator& comm = communicator_in(c.attributes);
            std::vector<int64_t> sizes;
            for (size_t i = 0; i < data_of(c).size(); ++i)
                sizes.push_back(c.attributes.integer("size" + std::to_string(i)));
            const Packing packing(sizes, comm.size());
            Array buffer = comm.transfer_buffer({c.inputs[0].dtype(), {packing.total()}});
            packing.for_each(comm.rank(), [&](size_t i, const RankPart& part, int64_t at) {
                copy_elements(c.inputs[i], elements(buffer, at, part.size));
            });
            clear_rest(buffer, packing, comm.rank());
            const int64_t ticket =
                comm.start_allgather(std::move(buffer), c.attributes.integer("label"));
            c.outputs[0].device().copy_from_host(&ticket, c.outputs[0]);
        };
        return register_anywhere(std::move(op));
    }();
    return made;
}

const OpDef& op_wait_gather() {
    static const OpDef& made = []() -> const OpDef& {
        OpDef op = message("comm_wait_gather");
        op.type = types_awaited;
        op.kernel = [](const KernelCall& c) {
            Communicator& comm = communicator_in(c.attributes);
            int64_t ticket = 0;
            c.inputs[0].device().copy_to_host(c.inputs[0], &ticket);
            const Array buffer = comm.wait_started(ticket);
            std::vector<int64_t> sizes;
            std::vector<Array> wholes;
            for (const Array& y : c.outputs) {
                sizes.push_back(y.size());
                wholes.push_back(flat(y.contiguous() ? y : Array::empty(y.type(), y.device())));
            }
            const Packing packing(sizes, comm.size());
            for (int r = 0; r < comm.size(); ++r)
                packing.for_each(r, [&](size_t i, const RankPart& part, int64_t at) {
                    copy_elements(elements(buffer, at, part.size),
                                  elements(wholes[i], part.begin, part.size));
                });
            for (size_t i = 0; i < wholes.size(); ++i)
                if (const Array& y = c.outputs[i]; !y.contiguous())
                    copy_elements(wholes[i].view(y.shape(), contiguous_strides(y.shape()), 0), y);
        };
        return register_anywhere(std::move(op));
    }();
    return made;
}

}  // namespace

Variable cut(const Operand& whole, const RankPart& part) {
    const LocationScope scope(whole.location());
    return slice_axis(reshape(whole, {whole.variable().size()}), 0, part.begin, part.size);
}

Variable start_parts(Communicator& comm, std::span<const Variable> gradients, Dtype dtype,
                     int64_t label) {
    for (const Variable& g : gradients) check_given("start_parts", comm, g);
    return start(op_start_parts(), comm, gradients,
                 {{"dtype", std::string(name_of(dtype))}, {"label", label}});
}

Variable start_gather(Communicator& comm, std::span<const Variable> parts,
                      std::span<const Type> wholes, int64_t label) {
    std::vector<Attributes::Entry> entries{{"label", label}};
    for (size_t i = 0; i < parts.size(); ++i) {
        check_given("start_gather", comm, parts[i]);
        entries.push_back({intern("size" + std::to_string(i)), element_count(wholes[i].shape)});
    }
    return start(op_start_gather(), comm, parts, std::move(entries));
}

Variables wait_gather(Communicator& comm, const Variable& ticket, std::span<const Type> wholes) {
    return await(op_wait_gather(), comm, ticket, wholes);
}

}  // namespace catena::parallel
