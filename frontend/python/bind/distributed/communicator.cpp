#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "frontend/python/bind/convert/call.h"
#include "frontend/python/bind/convert/dtype_caster.h"
#include "frontend/python/bind/distributed/distributed_parts.h"
#include "frontend/python/bind/module.h"
#include "runtime/comm/create.h"
#include "runtime/comm/except_hook.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/host_lock.h"
#include "runtime/graph/call/recorder.h"

// Communicators, without what they do with arrays.

namespace catena::python {

Group::~Group() {
    const WithoutHostLock others_may_run;
    communicator_.reset();
}

void before_messages() {
    Recorder* const recorder = current_recorder();
    if (!recorder || !recorder->defers()) return;
    recorder->needs_code("it sends messages that are no operations");
    recorder->settle();
}

namespace {

const char* name_of_sums(Sums sums) { return sums == Sums::rank_order ? "rank_order" : "engine"; }

std::optional<Sums> sums_of(const std::optional<std::string>& name) {
    if (!name) return std::nullopt;
    if (*name == "rank_order") return Sums::rank_order;
    if (*name == "engine") return Sums::engine;
    fail<ValueError>("sums: there is no '{}'; there are rank_order and engine", *name);
}

Group create(const std::string& name, std::optional<Dtype> allreduce_grad_dtype,
             const std::optional<std::string>& device, const std::optional<std::string>& sums) {
    const CallScope scope;
    const CommunicatorOptions options{.allreduce_grad_dtype = allreduce_grad_dtype,
                                      .device = device ? &get_device(*device) : nullptr,
                                      .sums = sums_of(sums)};
    const OthersMayRun others_may_run;
    return Group(create_communicator(name, options));
}

std::optional<Group> split(const Group& self, int color, int key) {
    const CallScope scope;
    std::shared_ptr<Communicator> part = beside_operations([&] {
        const OthersMayRun others_may_run;
        return self->split(color, key);
    });
    if (!part) return std::nullopt;
    return Group(std::move(part));
}

/// Calls f(communicator) on threads, each a rank.
void run_threads(int size, nb::callable f) {
    const CallScope scope;
    if (size < 1) fail<ValueError>("run_local: there should be at least one rank, not {}", size);
    const OthersMayRun others_may_run;
    run_local(size, [&](const std::shared_ptr<Communicator>& communicator) {
        const nb::gil_scoped_acquire python;
        f(Group(communicator));
    });
}

[[noreturn]] void abort_all(const Group& self, int status, const std::string& reason) {
    const CallScope scope;
    self->abort(status, reason);
}

void bind_place(nb::class_<Group>& type) {
    type.def_prop_ro(
            "name", [](const Group& self) { return self->name(); },
            "What messages go by: \"mpi\", \"tcp\", \"local\", \"nccl\".")
        .def_prop_ro(
            "rank", [](const Group& self) { return self->rank(); },
            "This process's number, from 0.")
        .def_prop_ro(
            "size", [](const Group& self) { return self->size(); }, "The number of processes.")
        .def_prop_ro(
            "intra_rank", [](const Group& self) { return self->intra_rank(); },
            "This rank's number among the ranks of its machine.")
        .def_prop_ro(
            "intra_size", [](const Group& self) { return self->intra_size(); },
            "The number of ranks on this machine.")
        .def_prop_ro(
            "inter_rank", [](const Group& self) { return self->inter_rank(); },
            "The index of this rank's machine.")
        .def_prop_ro(
            "inter_size", [](const Group& self) { return self->inter_size(); },
            "The number of machines.");
}

nb::dict statistics_of(const Group& self) {
    const CommunicatorStatistics numbers = self->statistics();
    nb::dict named;
    named["bytes_sent"] = numbers.bytes_sent;
    named["background_bytes"] = numbers.background_bytes;
    named["background_seconds"] = numbers.background_seconds;
    named["waited_seconds"] = numbers.waited_seconds;
    return named;
}

void barrier(const Group& self) {
    const CallScope scope;
    beside_operations([&] { self->barrier(); });
}

void finalize(const Group& self) {
    const CallScope scope;
    beside_operations([&] {
        const OthersMayRun others_may_run;
        self->finalize();
    });
}

void set_sums(const Group& self, const std::optional<std::string>& sums) {
    self->set_sums(sums_of(sums));
}

void bind_settings_of(nb::class_<Group>& type) {
    type.def_prop_rw(
            "sums", [](const Group& self) { return name_of_sums(self->sums()); }, set_sums,
            nb::for_setter(nb::arg("value").none()),
            "The order of additions: \"rank_order\", which gives the same bits in every run, or "
            "\"engine\",\nwhich takes the fewest messages. To be set on all ranks alike; None: by "
            "the number of ranks.")
        .def("split", split, nb::arg("color"), nb::arg("key") = 0,
             "A new group of the ranks that give the same color, ordered by key, then rank. None "
             "for a\nnegative color.")
        .def("barrier", barrier, "Returns when all ranks have called it.")
        .def("statistics", statistics_of,
             "Counters since it was made: bytes sent, and the seconds of transfers in the "
             "background.")
        .def(
            "set_config",
            [](const Group& self, const std::string& name, const std::string& value) {
                self->set_config(name, value);
            },
            nb::arg("name"), nb::arg("value") = "1", "Stores a setting, as ChainerMN's.")
        .def(
            "get_config",
            [](const Group& self, const std::string& name) { return self->get_config(name); },
            nb::arg("name"), "The setting of that name; \"\" where there is none.")
        .def("finalize", finalize,
             "Finishes what is sent in the background and leaves the group; later calls are "
             "errors.")
        .def("abort", abort_all, nb::arg("status") = 1, nb::arg("reason") = "",
             "Ends all ranks with this exit status, naming this one.");
}

}  // namespace

void bind_distributed(nb::module_& m) {
    nb::module_ distributed = m.def_submodule("distributed", "Communicators, bound.");
    nb::class_<Group> type(distributed, "Communicator", nb::is_weak_referenceable(),
                           "A group of processes that know each other by rank.");
    bind_place(type);
    bind_settings_of(type);
    bind_array_messages(type);
    bind_pseudo_connect(distributed);
    bind_multi_node_training(distributed);
    distributed.def("create_communicator", create, nb::arg("name"), nb::kw_only(),
                    nb::arg("allreduce_grad_dtype") = nb::none(), nb::arg("device") = nb::none(),
                    nb::arg("sums") = nb::none());
    distributed.def("run_local", run_threads, nb::arg("size"), nb::arg("f"));
    distributed.def("wants_global_except_hook", wants_global_except_hook);
    distributed.def("device_of_rank", [](const Group& communicator) {
        const CallScope scope;
        return device_of_rank(*communicator).name();
    });
}

}  // namespace catena::python
