// Operations that all ranks take part in.
#include "runtime/ops/communication/message.h"

#include "runtime/core/array/device.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/define/define.h"

namespace catena::parallel {
namespace {

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
        return register_anywhere(std::move(op));
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
        return register_anywhere(std::move(op));
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
            give_received(c, "bcast", root, 0,
                          comm.bcast(comm.rank() == root ? c.inputs[0] : Array(), root));
            advance(c);
        };
        op.gradient = [](const GradientCall& g) {
            Variable gy = g.gy();
            Variable sum = issue_again(op_allreduce(), g, std::span(&gy, 1), {{"mean", false}})[0];
            bool at_root = communicator_in(g.attributes()).rank() == int_in(g.attributes(), "root");
            return Variables{at_root ? sum : Variable(), Variable()};
        };
        return register_anywhere(std::move(op));
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
        return register_anywhere(std::move(op));
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
            give_received(
                c, "scatter", root, 0,
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
        return register_anywhere(std::move(op));
    }();
    return made;
}

}  // namespace

Variable allreduce(Communicator& comm, const Operand& x, Reduction reduction) {
    check_given("allreduce", comm, x.variable());
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
    check_given("allgather", comm, x.variable());
    return issue(op_allgather(), comm, std::span(&x.variable(), 1), {}, x.location());
}

Variables alltoall(Communicator& comm, std::span<const Variable> xs) {
    if (int(xs.size()) != comm.size())
        fail<ValueError>("alltoall: {} arrays for {} ranks; give one for each", xs.size(),
                         comm.size());
    for (const Variable& x : xs) check_given("alltoall", comm, x);
    return issue(op_alltoall(), comm, xs, {}, known_location());
}

Variables gather(Communicator& comm, const Operand& x, int root) {
    check_rank("gather", comm, root);
    check_given("gather", comm, x.variable());
    return issue(op_gather(), comm, std::span(&x.variable(), 1), {{"root", int64_t(root)}},
                 x.location());
}

Variable scatter(Communicator& comm, std::span<const Variable> xs, int root,
                 const ReceiveOptions& options) {
    check_rank("scatter", comm, root);
    bool at_root = comm.rank() == root;
    if (at_root && int(xs.size()) != comm.size())
        fail<ValueError>("scatter: {} arrays for {} ranks; give one for each", xs.size(),
                         comm.size());
    if (at_root)
        for (const Variable& x : xs) check_given("scatter", comm, x);
    Type type = at_root ? xs[size_t(root)].type()
                        : incoming("scatter", comm, root, 0, options,
                                   [&] { return comm.type_of_scatter(root); });
    std::span<const Variable> inputs = at_root ? xs : std::span(&anchor(current_device()), 1);
    return issue(op_scatter(), comm, inputs, received(type, {{"root", int64_t(root)}}),
                 known_location())[0];
}

}  // namespace catena::parallel
