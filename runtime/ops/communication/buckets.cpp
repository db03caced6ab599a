// Gradients in buckets, averaged in the background.
#include "runtime/ops/communication/message.h"

#include <string>

#include "runtime/core/array/device.h"
#include "runtime/graph/call/recorder.h"

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
        op.type = [](const TypeCall& c) {
            Types types;
            for (int i = 0; i < int_in(c.attributes, "count"); ++i) {
                std::string number = std::to_string(i);
                types.push_back(
                    {c.attributes.dtype("dtype" + number), c.attributes.dims("shape" + number)});
            }
            return types;
        };
        op.kernel = [](const KernelCall& c) {
            int64_t ticket = 0, at = 0;
            c.inputs[0].device().copy_to_host(c.inputs[0], &ticket);
            Array bucket = ticket ? communicator_in(c.attributes).wait_allreduce(ticket) : Array();
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
    std::vector<const Variable*> inputs;
    for (const Variable& g : gradients) inputs.push_back(&g);
    inputs.push_back(&beside(comm.order(), gradients[0].device()));
    Attributes attributes{
        {"communicator", comm.id()}, {"dtype", std::string(name_of(dtype))}, {"label", label}};
    Variable ticket = apply(op_start(), inputs, known_location(), attributes)[0];
    assign(comm.order(), ticket);
    return ticket;
}

Variables wait_bucket(Communicator& comm, const Variable& ticket, std::span<const Type> types) {
    std::vector<Attributes::Entry> entries{{"communicator", comm.id()},
                                           {"count", int64_t(types.size())}};
    for (size_t i = 0; i < types.size(); ++i) {
        entries.push_back({intern("shape" + std::to_string(i)), types[i].shape});
        entries.push_back(
            {intern("dtype" + std::to_string(i)), std::string(name_of(types[i].dtype))});
    }
    const Variable* inputs[] = {&ticket};
    return apply(op_wait(), inputs, known_location(), Attributes(std::move(entries)));
}

}  // namespace catena::parallel
