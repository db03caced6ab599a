// Gradients in buckets, averaged in the background.
#include "runtime/ops/communication/buckets.h"

#include <string>

#include "runtime/core/array/device.h"
#include "runtime/graph/call/assign.h"

namespace catena::parallel {
namespace {

const OpDef& op_start() {
    static const OpDef& made = []() -> const OpDef& {
        OpDef op = message("comm_start");
        op.type = [](const TypeCall&) { return Types{order_type()}; };
        op.kernel = [](const KernelCall& c) {
            int64_t total = 0, at = 0;
            for (const Array& g : data_of(c)) total += g.size();
            Device& device = c.outputs[0].device();
            // Separate memory, which the program's memory plan cannot reuse during the transfer.
            Array bucket = communicator_in(c.attributes)
                               .transfer_buffer({c.attributes.dtype("dtype"), {total}}, device);
            for (const Array& g : data_of(c)) {
                copy_elements(g, bucket.view(g.shape(), contiguous_strides(g.shape()), at));
                at += g.size();
            }
            const int64_t ticket = communicator_in(c.attributes)
                                       .start_allreduce(std::move(bucket), Reduction::mean,
                                                        c.attributes.integer("label"));
            device.copy_from_host(&ticket, c.outputs[0]);
        };
        return register_anywhere(std::move(op));
    }();
    return made;
}

const OpDef& op_wait() {
    static const OpDef& made = []() -> const OpDef& {
        OpDef op = message("comm_wait");
        op.type = types_awaited;
        op.kernel = [](const KernelCall& c) {
            int64_t ticket = 0, at = 0;
            c.inputs[0].device().copy_to_host(c.inputs[0], &ticket);
            Array bucket = ticket ? communicator_in(c.attributes).wait_started(ticket) : Array();
            const DeviceScope host(cpu_device());
            for (const Array& g : c.outputs) {
                if (bucket.defined())
                    copy_elements(bucket.view(g.shape(), contiguous_strides(g.shape()), at), g);
                else
                    copy_elements(Array::zeros(g.type()), g);
                at += g.size();
                check_finite(g);
            }
        };
        return register_anywhere(std::move(op));
    }();
    return made;
}

}  // namespace

Variable start_bucket(Communicator& comm, std::span<const Variable> gradients, Dtype dtype,
                      int64_t label) {
    if (gradients.empty())
        fail<ValueError>("start_bucket: rank {} gives no gradients", comm.rank());
    for (const Variable& g : gradients) check_given("start_bucket", comm, g);
    return start(op_start(), comm, gradients,
                 {{"dtype", std::string(name_of(dtype))}, {"label", label}});
}

Variables wait_bucket(Communicator& comm, const Variable& ticket, std::span<const Type> types) {
    return await(op_wait(), comm, ticket, types);
}

Variable start(const OpDef& op, Communicator& comm, std::span<const Variable> inputs,
               std::vector<Attributes::Entry> entries) {
    std::vector<const Variable*> all;
    for (const Variable& x : inputs) all.push_back(&x);
    all.push_back(&beside(comm.order(), inputs[0].device()));
    entries.push_back({"communicator", comm.id()});
    Variable ticket = apply(op, all, known_location(), Attributes(std::move(entries)))[0];
    assign(comm.order(), ticket);
    return ticket;
}

Variables await(const OpDef& op, Communicator& comm, const Variable& ticket,
                std::span<const Type> types) {
    std::vector<Attributes::Entry> entries{{"communicator", comm.id()},
                                           {"count", int64_t(types.size())}};
    for (size_t i = 0; i < types.size(); ++i) {
        entries.push_back({intern("shape" + std::to_string(i)), types[i].shape});
        entries.push_back(
            {intern("dtype" + std::to_string(i)), std::string(name_of(types[i].dtype))});
    }
    const Variable* inputs[] = {&ticket};
    return apply(op, inputs, known_location(), Attributes(std::move(entries)));
}

Types types_awaited(const TypeCall& call) {
    Types types;
    for (int i = 0; i < int_in(call.attributes, "count"); ++i) {
        const std::string number = std::to_string(i);
        types.push_back(
            {call.attributes.dtype("dtype" + number), call.attributes.dims("shape" + number)});
    }
    return types;
}

}  // namespace catena::parallel
