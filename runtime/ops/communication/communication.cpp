#include "runtime/ops/communication/communication.h"

#include <cmath>
#include <map>
#include <tuple>

#include "runtime/core/device.h"
#include "runtime/core/per_thread.h"
#include "runtime/graph/arithmetic.h"
#include "runtime/graph/config.h"
#include "runtime/graph/recorder.h"
#include "runtime/ops/declare/element_text.h"
#include "runtime/ops/declare/message.h"
#include "runtime/ops/define/define.h"
#include "runtime/ops/math/reduction.h"

namespace catena::parallel {
namespace {

// Every op takes the communicator's order state last and gives its next value last, which is
// assigned: no compiled program can drop one, merge two, or run them in another order.

Communicator& communicator_in(const Attributes& a) {
    return communicator_of(a.integer("communicator"));
}
int int_in(const Attributes& a, std::string_view name) { return int(a.integer(name)); }
Type order_type() { return {Dtype::int64, {}}; }
Type delegate_type() { return {Dtype::float32, {0}}; }
Type type_in(const Attributes& a) { return {a.dtype("dtype"), a.dims("shape")}; }

/// The content of the order state is irrelevant; only the dependences between calls matter.
void advance(const KernelCall& c) { copy_elements(c.inputs.back(), c.outputs.back()); }

std::span<const Array> data_of(const KernelCall& c) { return c.inputs.first(c.inputs.size() - 1); }

void give(const KernelCall& c, size_t output, const Array& value) {
    const Array& y = c.outputs[output];
    if (!(value.type() == y.type()))
        fail<CommunicationError>("{}: {} came, {} was recorded", c.op.name, to_string(value.type()),
                                 to_string(y.type()));
    copy_elements(value, y);
}

/// `state` where the op's arrays are: one for all devices, so that it keeps its identity.
const Variable& beside(const Variable& state, Device& device) {
    if (&state.device() == &device || device.is_meta() || state.device().is_meta()) return state;
    RecorderScope unseen(nullptr);
    state.set_grad(Array());
    state.set_array(state.array().to(device));
    return state;
}

/// Debug mode: throws if the result of an all-reduce is not finite.
void check_finite(const Array& y) {
    if (!config().debug || !is_float(y.dtype())) return;
    RecorderScope paused(nullptr);
    for (double v : y.to_vector<double>())
        if (!std::isfinite(v))
            fail<ValueError>("allreduce: {} over the ranks has an element that is {} (debug mode)",
                             to_string(y.type()), v);
}

/// Runs one of the ops below; returns its results without the order.
Variables issue(const OpDef& op, Communicator& comm, std::span<const Variable> inputs,
                std::vector<Attributes::Entry> entries, const SourceLoc& at) {
    LocationScope scope(at);
    entries.push_back({"communicator", comm.id()});
    entries.push_back({"ranks", int64_t(comm.size())});
    std::vector<const Variable*> all;
    for (const Variable& x : inputs) all.push_back(&x);
    all.push_back(&beside(comm.order(), inputs.empty() ? current_device() : inputs[0].device()));
    Variables results = apply(op, all, at, Attributes(std::move(entries)));
    assign(comm.order(), results.back());
    results.pop_back();
    return results;
}

Variables issue_again(const OpDef& op, const GradientCall& g, std::span<const Variable> inputs,
                      std::vector<Attributes::Entry> entries) {
    return issue(op, communicator_in(g.attributes()), inputs, std::move(entries),
                 current_location());
}

/// An input that makes a receiving op part of the graph if no other input does.
const Variable& anchor(Device& device) {
    thread_local PerThread<Variable> leaf;
    const Variable& made = leaf.get([] {
        RecorderScope unseen(nullptr);
        DeviceScope host(cpu_device());
        Variable made(Array::zeros(delegate_type()), true);
        made.body()->is_state = true;
        made.set_array(made.array());
        made.set_name("communication_anchor");
        return made;
    });
    return beside(made, device);
}

Variable empty_delegate(Device& device) {
    DeviceScope scope(device);
    return fill(delegate_type(), 0);
}

/// The type of the received array: as given, as announced by the sender, or, while a region is recorded, as received
/// last here in the same mode: a test's last batch may be smaller than those of the training.
template <class Ask>
Type incoming(const char* call, Communicator& comm, int peer, int tag,
              const ReceiveOptions& options, Ask ask) {
    if (options.type) return *options.type;
    thread_local std::map<std::tuple<std::string, int64_t, int, int, std::string, bool>, Type> known;
    std::tuple key(std::string(call), comm.id(), peer, tag, to_string(current_location()), config().train);
    Recorder* recorder = current_recorder();
    if (!recorder) return known[key] = ask();
    auto found = known.find(key);
    if (found == known.end() && !recorder->shape_only()) {
        recorder->settle();  // The sender may be waiting for earlier messages of this rank.
        RecorderScope unseen(nullptr);
        return known[key] = ask();
    }
    if (found == known.end())
        fail<TraceError>(
            "{}: the type that rank {} will send is unknown while only shapes are computed; give its type "
            "(ReceiveOptions::type), or run the call once outside",
            call, peer);
    return found->second;
}

Types types_with_order(std::initializer_list<Type> types) {
    Types all(types);
    all.push_back(order_type());
    return all;
}

OpDef message(const char* name) {
    OpDef op;
    op.name = name;
    op.input_count = -1;
    op.output_count = -1;
    op.checks_values = true;
    return op;
}

/// For communicators that send from host memory.
const OpDef& register_message(OpDef op) {
    const OpDef& made = register_op(std::move(op));
    set_is_message(made);
    set_host_only(made, "messages are sent from the host's memory");
    return made;
}

/// For communicators that can access device memory.
const OpDef& register_anywhere(OpDef op) {
    const OpDef& made = register_op(std::move(op));
    set_is_message(made);
    set_runs_anywhere(made);
    return made;
}

//---- all to all

const OpDef& op_allreduce() {
    static const OpDef& made = []() -> const OpDef& {
        OpDef op = message("comm_allreduce");
        op.type = [](const TypeCall& c) { return types_with_order({c.inputs[0]}); };
        op.kernel = [](const KernelCall& c) {
            Reduction reduction = c.attributes.flag("mean") ? Reduction::mean : Reduction::sum;
            give(c, 0, communicator_in(c.attributes).allreduce(c.inputs[0], reduction));
            check_finite(c.outputs[0]);
            advance(c);
        };
        op.gradient = [](const GradientCall& g) {
            Variable gy = g.gy();
            bool mean = g.attributes().flag("mean");
            return Variables{issue_again(op_allreduce(), g, std::span(&gy, 1), {{"mean", mean}})[0],
                             Variable()};
        };
        return register_anywhere(std::move(op));
    }();
    return made;
}

const OpDef& op_alltoall() {
    static const OpDef& made = []() -> const OpDef& {
        OpDef op = message("comm_alltoall");
        op.type = [](const TypeCall& c) {
            // Assumes that rank i sends the type that it receives; a mismatch is an error at run
            // time.
            return Types(c.inputs);
        };
        op.kernel = [](const KernelCall& c) {
            std::vector<Array> ys = communicator_in(c.attributes).alltoall(data_of(c));
            for (size_t i = 0; i < ys.size(); ++i) give(c, i, ys[i]);
            advance(c);
        };
        op.gradient = [](const GradientCall& g) {
            std::vector<Variable> gys;
            for (int i = 0; i + 1 < g.input_count(); ++i) gys.push_back(g.gy(i));
            Variables gx = issue_again(op_alltoall(), g, gys, {});
            gx.push_back(Variable());
            return gx;
        };
        return register_message(std::move(op));
    }();
    return made;
}

const OpDef& op_allgather() {
    static const OpDef& made = []() -> const OpDef& {
        OpDef op = message("comm_allgather");
        op.type = [](const TypeCall& c) {
            Types types;
            for (int r = 0; r < int_in(c.attributes, "ranks"); ++r) types.push_back(c.inputs[0]);
            types.push_back(order_type());
            return types;
        };
        op.kernel = [](const KernelCall& c) {
            std::vector<Array> ys = communicator_in(c.attributes).allgather(c.inputs[0]);
            for (size_t i = 0; i < ys.size(); ++i) give(c, i, ys[i]);
            advance(c);
        };
        op.gradient = [](const GradientCall& g) {
            std::vector<Variable> gys;
            for (int i = 0; i < int_in(g.attributes(), "ranks"); ++i) gys.push_back(g.gy(i));
            Variables parts = issue_again(op_alltoall(), g, gys, {});
            return Variables{add(std::span<const Variable>(parts.begin(), parts.end())),
                             Variable()};
        };
        return register_message(std::move(op));
    }();
    return made;
}

//---- one to all, all to one

const OpDef& op_bcast() {
    static const OpDef& made = []() -> const OpDef& {
        OpDef op = message("comm_bcast");
        op.type = [](const TypeCall& c) { return types_with_order({type_in(c.attributes)}); };
        op.kernel = [](const KernelCall& c) {
            Communicator& comm = communicator_in(c.attributes);
            int root = int_in(c.attributes, "root");
            give(c, 0, comm.bcast(comm.rank() == root ? c.inputs[0] : Array(), root));
            advance(c);
        };
        op.gradient = [](const GradientCall& g) {
            Variable gy = g.gy();
            Variable sum = issue_again(op_allreduce(), g, std::span(&gy, 1), {{"mean", false}})[0];
            bool at_root = communicator_in(g.attributes()).rank() == int_in(g.attributes(), "root");
            return Variables{at_root ? sum : Variable(), Variable()};
        };
        return register_message(std::move(op));
    }();
    return made;
}

const OpDef& op_scatter();

const OpDef& op_gather() {
    static const OpDef& made = []() -> const OpDef& {
        OpDef op = message("comm_gather");
        op.type = [](const TypeCall& c) {
            bool at_root = communicator_in(c.attributes).rank() == int_in(c.attributes, "root");
            Types types;
            if (at_root)
                for (int r = 0; r < int_in(c.attributes, "ranks"); ++r)
                    types.push_back(c.inputs[0]);
            else
                types.push_back(delegate_type());
            types.push_back(order_type());
            return types;
        };
        op.kernel = [](const KernelCall& c) {
            std::vector<Array> ys =
                communicator_in(c.attributes).gather(c.inputs[0], int_in(c.attributes, "root"));
            for (size_t i = 0; i < ys.size(); ++i) give(c, i, ys[i]);
            advance(c);
        };
        op.gradient = [](const GradientCall& g) {
            bool at_root = communicator_in(g.attributes()).rank() == int_in(g.attributes(), "root");
            std::vector<Variable> gys;
            if (at_root)
                for (int r = 0; r < int_in(g.attributes(), "ranks"); ++r) gys.push_back(g.gy(r));
            else
                gys.push_back(anchor(g.gy().device()));
            const Type& x = g.x_type(0);
            Variables gx = issue_again(op_scatter(), g, gys,
                                       {{"root", g.attributes().integer("root")},
                                        {"shape", x.shape},
                                        {"dtype", std::string(name_of(x.dtype))}});
            return Variables{gx[0], Variable()};
        };
        return register_message(std::move(op));
    }();
    return made;
}

const OpDef& op_scatter() {
    static const OpDef& made = []() -> const OpDef& {
        OpDef op = message("comm_scatter");
        op.type = [](const TypeCall& c) { return types_with_order({type_in(c.attributes)}); };
        op.kernel = [](const KernelCall& c) {
            Communicator& comm = communicator_in(c.attributes);
            int root = int_in(c.attributes, "root");
            give(c, 0,
                 comm.scatter(comm.rank() == root ? data_of(c) : std::span<const Array>(), root));
            advance(c);
        };
        op.gradient = [](const GradientCall& g) {
            Variable gy = g.gy();
            Variables gx = issue_again(op_gather(), g, std::span(&gy, 1),
                                       {{"root", g.attributes().integer("root")}});
            if (communicator_in(g.attributes()).rank() != int_in(g.attributes(), "root"))
                gx = {Variable()};
            gx.push_back(Variable());
            return gx;
        };
        return register_message(std::move(op));
    }();
    return made;
}

//---- one to one

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
            give(c, 0,
                 communicator_in(c.attributes)
                     .recv(int_in(c.attributes, "peer"), int_in(c.attributes, "tag")));
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

//---- buckets

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

std::vector<Attributes::Entry> received(const Type& type,
                                        std::initializer_list<Attributes::Entry> more) {
    std::vector<Attributes::Entry> entries(more);
    entries.push_back({"shape", type.shape});
    entries.push_back({"dtype", std::string(name_of(type.dtype))});
    return entries;
}

void check_rank(const char* call, Communicator& comm, int rank) {
    if (rank < 0 || rank >= comm.size())
        fail<ValueError>("{}: there is no rank {}; there are 0 to {}", call, rank, comm.size() - 1);
}

}  // namespace

Variable allreduce(Communicator& comm, const Operand& x, Reduction reduction) {
    return issue(op_allreduce(), comm, std::span(&x.variable(), 1),
                 {{"mean", reduction == Reduction::mean}}, x.location())[0];
}

Variable bcast(Communicator& comm, const Operand& x, int root, const ReceiveOptions& options) {
    check_rank("bcast", comm, root);
    LocationScope scope(x.location());
    bool at_root = comm.rank() == root;
    if (at_root && !x.variable().defined())
        fail<ValueError>("bcast: the root (rank {}) gives no array", root);
    Type type = at_root ? x.variable().type() : incoming("bcast", comm, root, 0, options, [&] {
        return comm.type_of_bcast(root);
    });
    const Variable& input = at_root ? x.variable() : anchor(current_device());
    return issue(op_bcast(), comm, std::span(&input, 1), received(type, {{"root", int64_t(root)}}),
                 x.location())[0];
}

Variables allgather(Communicator& comm, const Operand& x) {
    return issue(op_allgather(), comm, std::span(&x.variable(), 1), {}, x.location());
}

Variables alltoall(Communicator& comm, std::span<const Variable> xs) {
    if (int(xs.size()) != comm.size())
        fail<ValueError>("alltoall: {} arrays for {} ranks", xs.size(), comm.size());
    return issue(op_alltoall(), comm, xs, {}, current_location());
}

Variables gather(Communicator& comm, const Operand& x, int root) {
    check_rank("gather", comm, root);
    return issue(op_gather(), comm, std::span(&x.variable(), 1), {{"root", int64_t(root)}},
                 x.location());
}

Variable scatter(Communicator& comm, std::span<const Variable> xs, int root,
                 const ReceiveOptions& options) {
    check_rank("scatter", comm, root);
    bool at_root = comm.rank() == root;
    if (at_root && int(xs.size()) != comm.size())
        fail<ValueError>("scatter: {} arrays for {} ranks", xs.size(), comm.size());
    Type type = at_root ? xs[size_t(root)].type()
                        : incoming("scatter", comm, root, 0, options,
                                   [&] { return comm.type_of_scatter(root); });
    std::span<const Variable> inputs = at_root ? xs : std::span(&anchor(current_device()), 1);
    return issue(op_scatter(), comm, inputs, received(type, {{"root", int64_t(root)}}),
                 current_location())[0];
}

Variable send(Communicator& comm, const Operand& x, int rank, int tag) {
    check_rank("send", comm, rank);
    if (rank == comm.rank()) fail<ValueError>("send: rank {} sends to itself", rank);
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
        current_location())[0];
}

Variable pseudo_connect(const Variable& delegate, const Operand& x) {
    LocationScope scope(x.location());
    // The sum of nothing is 0, and its gradient reaches the delegate.
    return x.variable() + cast(sum(delegate), x.variable().dtype());
}

Variable start_bucket(Communicator& comm, std::span<const Variable> gradients, Dtype dtype,
                      int64_t label) {
    std::vector<const Variable*> inputs;
    for (const Variable& g : gradients) inputs.push_back(&g);
    inputs.push_back(&beside(comm.order(), gradients[0].device()));
    Attributes attributes{
        {"communicator", comm.id()}, {"dtype", std::string(name_of(dtype))}, {"label", label}};
    Variable ticket = apply(op_start(), inputs, current_location(), attributes)[0];
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
    return apply(op_wait(), inputs, current_location(), Attributes(std::move(entries)));
}

}  // namespace catena::parallel
