#include <optional>
#include <string>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "frontend/python/bind/convert/interpreter_lock.h"
#include "frontend/python/bind/convert/path.h"
#include "frontend/python/bind/module.h"
#include "frontend/python/bind/region/region_object.h"
#include "frontend/static_graph/call/profile.h"
#include "frontend/static_graph/static_graph.h"
#include "runtime/profile/profile_scope.h"

// Static regions' type, and what they tell of themselves.

namespace catena::python {
namespace {

using Statistics = StaticGraphStatistics;

void bind_statistics(nb::module_& m) {
    nb::class_<Statistics> type(m, "StaticGraphStatistics",
                                "Counters of one static region, for tests and diagnosis.");
    nb::list names;
    const auto field = [&](const char* name, auto member, const char* text) {
        type.def_ro(name, member, text);
        names.append(name);
    };
    field("calls", &Statistics::calls, "All calls.");
    field("eager_calls", &Statistics::eager_calls,
          "Switched off, part of another region, or while most are new.");
    field("compiled_calls", &Statistics::compiled_calls, "The whole call ran as compiled code.");
    field("interpreted_calls", &Statistics::interpreted_calls,
          "A part ran with the eager kernels.");
    field("followed_calls", &Statistics::followed_calls, "Calls that ran the function.");
    field("mismatches", &Statistics::mismatches, "Followed calls that took a new path.");
    field("cuts", &Statistics::cuts, "Reads of computed values by Python, over all calls.");
    field("programs", &Statistics::programs, "Programs made,");
    field("resized", &Statistics::resized, "of these planned from those of other sizes,");
    field("from_disk", &Statistics::from_disk, "and read from the disk.");
    field("dropped", &Statistics::dropped, "Programs evicted to save memory.");
    field("compile_seconds", &Statistics::compile_seconds,
          "Time of passes and code generation, or of reading what they made.");
    field("timed_calls", &Statistics::timed_calls, "Followed calls that were timed.");
    field("follow_seconds", &Statistics::follow_seconds,
          "In the function and its recording, without computing,");
    field("compute_seconds", &Statistics::compute_seconds, "and in computing.");
    field("timed_eager_calls", &Statistics::timed_eager_calls,
          "Calls that were timed while regions were switched off,");
    field("eager_seconds", &Statistics::eager_seconds, "and their time.");
    type.attr("_fields") = nb::tuple(names);
}

using Row = RegionProfile::Row;

void bind_profile(nb::module_& m) {
    const auto launch = [](auto member) {
        return [member](const Row& row) { return row.launch.*member; };
    };
    nb::class_<Row>(m, "ProfileRow", "One launch of a compiled program.")
        .def_ro("program", &Row::program, "\"step\", \"step_backward\".")
        .def_prop_ro("name", launch(&LaunchReport::name), "The functions: \"multiply, tanh\".")
        .def_prop_ro("operations", launch(&LaunchReport::operations), "The same with their lines.")
        .def_prop_ro("is_library_call", launch(&LaunchReport::is_library_call),
                     "Whether a library computes it; else a kernel that was compiled.")
        .def_prop_ro("sizes", launch(&LaunchReport::sizes),
                     "\"float32[100,64]\": what it computes, or goes through.")
        .def_prop_ro("device", launch(&LaunchReport::device), "Where it runs: \"cpu\", \"cuda:0\".")
        .def_prop_ro("bytes_read", launch(&LaunchReport::bytes_read), "Of one call.")
        .def_prop_ro("bytes_written", launch(&LaunchReport::bytes_written), "Of one call.")
        .def_prop_ro("calls", launch(&LaunchReport::calls), "As far as they were profiled.")
        .def_prop_ro("seconds", launch(&LaunchReport::seconds), "Of all of them.")
        .def_prop_ro(
            "method", launch(&LaunchReport::method),
            "How the last profiled call computed it, if its kernel has several methods and "
            "tells: \"winograd 4x4\", \"direct tiles\", \"library\". Else empty.")
        .def_ro("share", &Row::share, "Of the time of all rows; of their bytes if none was timed.")
        .def_prop_ro("milliseconds", &Row::milliseconds, "Per call; 0 if it was not timed.")
        .def_prop_ro("gigabytes_per_second", &Row::gigabytes_per_second,
                     "Read and written; 0 if it was not timed.")
        .def_prop_ro("gigaflops_per_second", &Row::gigaflops_per_second,
                     "Computed; 0 if it was not timed, and without a product or convolution.");
    nb::class_<MachineShares>(m, "MachineShares",
                              "How much of what its device can do at most a launch used, as "
                              "fractions of 1; 0 if it was not timed or the most is not known.")
        .def_ro("memory", &MachineShares::memory,
                "Of the memory's bandwidth: 1 is as fast as a large copy.")
        .def_ro("products", &MachineShares::products,
                "Of the operations a second of large products of this type; 0 without a product or "
                "convolution.")
        .def_ro("launch", &MachineShares::launch,
                "Of its time, what a launch of nothing takes; 0 on the host.")
        .def_prop_ro("most", &MachineShares::most, "The largest of the three.")
        .def_prop_ro("bound", &MachineShares::bound,
                     "Which one that is: \"memory\", \"products\", \"launch\", or empty.");
    nb::class_<RegionProfile>(m, "RegionProfile",
                              "What the launches of a region's compiled programs cost.")
        .def_ro("region", &RegionProfile::region, "The region's name.")
        .def_ro("is_timed", &RegionProfile::is_timed,
                "Some calls were profiled; else the order is that of the bytes moved.")
        .def_ro("rows", &RegionProfile::rows, "The most expensive first.")
        .def("shares", &machine_shares,
             "A MachineShares for each row, in their order. The first call measures the device, "
             "which takes seconds; the numbers are kept for later processes.")
        .def("__str__", &RegionProfile::to_string)
        .def(
            "save",
            [](const RegionProfile& profile, nb::handle path) { profile.save(path_of(path)); },
            nb::arg("path"),
            "NAME.json: everything recorded in this process, as a trace for Perfetto. NAME.csv: "
            "the rows.");
}

/// Python's `with profile_scope():`
class Profiling {
public:
    void enter() { scope_.emplace(); }
    void exit(nb::args) { scope_.reset(); }

private:
    std::optional<ProfileScope> scope_;
};

}  // namespace

void bind_region(nb::module_& m) {
    lend_interpreter_lock();
    bind_statistics(m);
    bind_profile(m);
    nb::class_<Profiling>(m, "profile_scope",
                          "While it is open, compiled programs record what they spend their time "
                          "on; profile() of a region returns it.")
        .def(nb::init<>())
        .def("__enter__",
             [](nb::pointer_and_handle<Profiling> self) {
                 self.p->enter();
                 return nb::borrow(self.h);
             })
        .def("__exit__", &Profiling::exit);
    m.attr("StaticGraph") = nb::steal(make_region_type());
}

}  // namespace catena::python
