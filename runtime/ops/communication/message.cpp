#include "runtime/ops/communication/message.h"

#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "runtime/core/array/device.h"
#include "runtime/core/system/fork.h"
#include "runtime/core/system/per_thread.h"
#include "runtime/graph/call/assign.h"
#include "runtime/graph/call/call_changes.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/communication/received_types.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/declare/message.h"
#include "runtime/ops/define/define.h"

namespace catena::parallel {

namespace {

/// Where another type has come than the recorded one: there it is asked for at every call.
class Surprises {
public:
    void add(const Communicator& comm, std::string_view call, int peer, int tag) {
        std::lock_guard lock(mutex_);
        known_.emplace(comm.id(), call, peer, tag);
    }
    bool contains(const Communicator& comm, std::string_view call, int peer, int tag) {
        std::lock_guard lock(mutex_);
        return known_.contains({comm.id(), std::string(call), peer, tag});
    }

private:
    std::mutex& mutex_ = taken_by_forks(*new std::mutex);
    std::set<std::tuple<int64_t, std::string, int, int>> known_;
};
Surprises& surprises() {
    static Surprises& all = *new Surprises;
    return all;
}

/// What the order state became by the message that was recorded last, of whatever communicator:
/// once it is computed, so are all messages before it.
constinit PerThread<Array> latest_order;

}  // namespace

void give(const KernelCall& c, size_t output, const Array& value) {
    const Array& y = c.outputs[output];
    if (!(value.type() == y.type()))
        fail<CommunicationError>("{}: {} came, {} was recorded", c.op.name, to_string(value.type()),
                                 to_string(y.type()));
    copy_elements(value, y);
}

void give_received(const KernelCall& c, const char* call, int peer, int tag, const Array& value) {
    const Array& y = c.outputs[0];
    if (!(value.type() == y.type())) {
        surprises().add(communicator_in(c.attributes), call, peer, tag);
        fail<CommunicationError>(
            "{}: {} came from rank {}, {} was recorded, as earlier calls of this region with "
            "arguments "
            "of the same types have received. Give the type (ReceiveOptions::type), or the region "
            "an "
            "argument whose size says it. Later calls wait for the type",
            c.op.name, to_string(value.type()), peer, to_string(y.type()));
    }
    copy_elements(value, y);
}

const Variable& beside(const Variable& state, Device& device) {
    if (&state.device() == &device || device.is_meta() || state.device().is_meta()) return state;
    RecorderScope unseen(nullptr);
    state.set_grad(Array());
    state.set_array(state.array().to(device));
    return state;
}

void check_finite(const Array& y) {
    if (!config().debug || !is_float(y.dtype())) return;
    RecorderScope paused(nullptr);
    for (double v : y.to_vector<double>())
        if (!std::isfinite(v))
            fail<ValueError>("allreduce: {} over the ranks has an element that is {} (debug mode)",
                             to_string(y.type()), v);
}

Variables issue(const OpDef& op, Communicator& comm, std::span<const Variable> inputs,
                std::vector<Attributes::Entry> entries, const SourceLoc& at) {
    LocationScope scope(at);
    const NotingPaused unnoted;  // A repeated call sends its messages after all others.
    entries.push_back({"communicator", comm.id()});
    entries.push_back({"ranks", int64_t(comm.size())});
    std::vector<const Variable*> all;
    for (const Variable& x : inputs) all.push_back(&x);
    all.push_back(&beside(comm.order(), inputs.empty() ? current_device() : inputs[0].device()));
    Variables results = apply(op, all, at, Attributes(std::move(entries)));
    assign(comm.order(), results.back());
    if (current_recorder()) latest_order.get() = comm.order().array();
    results.pop_back();
    return results;
}

bool are_messages_pending() {
    const Array& order = latest_order.get();
    return current_recorder() && order.defined() && order.body()->pending;
}

Variables issue_again(const OpDef& op, const GradientCall& g, std::span<const Variable> inputs,
                      std::vector<Attributes::Entry> entries) {
    return issue(op, communicator_in(g.attributes()), inputs, std::move(entries), known_location());
}

const Variable& anchor(Device& device) {
    static constinit PerThread<Variable> leaf;
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

Type incoming(const char* call, Communicator& comm, int peer, int tag,
              const ReceiveOptions& options, const std::function<Type()>& ask) {
    if (options.type) return *options.type;
    static constinit PerThread<std::map<ReceivingPlace, Type>> latest;
    const ReceivingPlace place{call,          comm.id(), peer, tag, to_string(current_location()),
                               config().train};
    Recorder* recorder = current_recorder();
    if (!recorder) return latest.get()[place] = ask();
    ReceivingCall* region = ReceivingCall::current();
    const int n = region ? region->count(place) : 0;
    std::optional<Type> known;
    if (region && !surprises().contains(comm, call, peer, tag))
        known = region->types().find(place, n);
    const auto last = latest.get().find(place);
    if (!known && (!region || recorder->shape_only()) && last != latest.get().end())
        known = last->second;
    if (known) return *known;
    if (recorder->shape_only())
        fail<TraceError>(
            "{}: the type that rank {} will send is unknown while only shapes are computed; give "
            "its type "
            "(ReceiveOptions::type), or run the call once outside",
            call, peer);
    recorder->settle();  // The sender may be waiting for earlier messages of this rank.
    RecorderScope unseen(nullptr);
    const Type type = ask();
    latest.get()[place] = type;
    if (region) region->types().set(place, n, type);
    return type;
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
    op.declared.add(awaited_by_others());
    return op;
}

const OpDef& register_message(OpDef op) {
    op.declared.add(host_only("messages are sent from the host's memory"));
    return register_op(std::move(op));
}

const OpDef& register_anywhere(OpDef op) {
    op.declared.add(on_any_device());
    return register_op(std::move(op));
}

std::vector<Attributes::Entry> received(const Type& type,
                                        std::initializer_list<Attributes::Entry> more) {
    std::vector<Attributes::Entry> entries(more);
    entries.push_back({"shape", type.shape});
    entries.push_back({"dtype", std::string(name_of(type.dtype))});
    return entries;
}

void check_given(const char* call, Communicator& comm, const Variable& x) {
    if (!x.defined())
        fail<ValueError>("{}: rank {} gives an undefined variable", call, comm.rank());
}

void check_rank(const char* call, Communicator& comm, int rank) {
    if (rank < 0 || rank >= comm.size())
        fail<ValueError>("{}: there is no rank {}; there are 0 to {}", call, rank, comm.size() - 1);
}

}  // namespace catena::parallel
