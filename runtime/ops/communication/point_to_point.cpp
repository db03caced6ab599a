// Messages from one rank to another.
#include "runtime/ops/communication/message.h"

#include "runtime/core/array/device.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/define/define.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena::parallel {
namespace {

const OpDef& op_recv();

const OpDef& op_send() {
    static const OpDef& made = []() -> const OpDef& {
        OpDef op = message("comm_send");
        op.type = [](const TypeCall&) { return types_with_order({delegate_type()}); };
        op.kernel = [](const KernelCall& c) {
            communicator_in(c.attributes)
                .send(c.inputs[0], int_in(c.attributes, "peer"), int_in(c.attributes, "tag"));
            advance(c);
        };
        op.gradient = [](const GradientCall& g) {
            const Type& x = g.x_type(0);
            Variable start = anchor(g.gy().device());
            Variable gx = issue_again(op_recv(), g, std::span(&start, 1),
                                      {{"peer", g.attributes().integer("peer")},
                                       {"tag", g.attributes().integer("tag")},
                                       {"tied", false},
                                       {"shape", x.shape},
                                       {"dtype", std::string(name_of(x.dtype))}})[0];
            return Variables{g.needs(0) ? gx : Variable(), Variable(), Variable()};
        };
        return register_message(std::move(op));
    }();
    return made;
}

const OpDef& op_recv() {
    static const OpDef& made = []() -> const OpDef& {
        OpDef op = message("comm_recv");
        op.type = [](const TypeCall& c) { return types_with_order({type_in(c.attributes)}); };
        op.kernel = [](const KernelCall& c) {
            const int peer = int_in(c.attributes, "peer"), tag = int_in(c.attributes, "tag");
            give_received(c, "recv", peer, tag, communicator_in(c.attributes).recv(peer, tag));
            advance(c);
        };
        op.gradient = [](const GradientCall& g) {
            const Variable gy = g.gy(), sent[] = {gy, anchor(gy.device())};
            issue_again(
                op_send(), g, sent,
                {{"peer", g.attributes().integer("peer")}, {"tag", g.attributes().integer("tag")}});
            bool tied = g.attributes().flag("tied");
            return Variables{tied ? empty_delegate(gy.device()) : Variable(), Variable()};
        };
        return register_message(std::move(op));
    }();
    return made;
}

}  // namespace

Variable send(Communicator& comm, const Operand& x, int rank, int tag) {
    check_rank("send", comm, rank);
    if (rank == comm.rank()) fail<ValueError>("send: rank {} sends to itself", rank);
    check_given("send", comm, x.variable());
    const Variable inputs[] = {x.variable(), anchor(x.variable().device())};
    Variable delegate = issue(op_send(), comm, inputs,
                              {{"peer", int64_t(rank)}, {"tag", int64_t(tag)}}, x.location())[0];
    // So that delegate.backward() needs no start gradient, like a loss.
    if (delegate.requires_grad()) delegate.set_grad_variable(empty_delegate(delegate.device()));
    return delegate;
}

Variable recv(Communicator& comm, int rank, const Variable& delegate, int tag,
              const ReceiveOptions& options) {
    check_rank("recv", comm, rank);
    if (rank == comm.rank()) fail<ValueError>("recv: rank {} receives from itself", rank);
    Type type =
        incoming("recv", comm, rank, tag, options, [&] { return comm.type_of_recv(rank, tag); });
    const Variable& input = delegate.defined() ? delegate : anchor(current_device());
    return issue(
        op_recv(), comm, std::span(&input, 1),
        received(type,
                 {{"peer", int64_t(rank)}, {"tag", int64_t(tag)}, {"tied", delegate.defined()}}),
        known_location())[0];
}

Variable pseudo_connect(const Variable& delegate, const Operand& x) {
    if (!delegate.defined())
        fail<ValueError>(
            "pseudo_connect: the delegate variable is undefined; it is what send returns");
    LocationScope scope(x.location());
    // The sum of nothing is 0, and its gradient reaches the delegate.
    return x.variable() + cast(sum(delegate), x.variable().dtype());
}

}  // namespace catena::parallel
