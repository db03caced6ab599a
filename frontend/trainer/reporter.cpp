#include "frontend/trainer/reporter.h"

#include "frontend/link/link.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/per_thread.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/call/recorder.h"

namespace catena {
namespace {

constinit PerThread<Reporter*> thread_reporter;

}  // namespace

double Reported::value() const {
    return variable_.defined() ? variable_.array().item<double>() : number_;
}

void Reporter::add_observer(std::string name, const Link& observer) try {
    names_[&observer] = std::move(name);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("Reporter", "add_observer");
}

void Reporter::add_observers(const std::string& name, const Link& link) try {
    for (auto& [path, part] : link.namedlinks())
        add_observer(path == "/" ? name : name + path, *part);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("Reporter", "add_observers");
}

void Reporter::report(const Observation& values, const Link* observer) try {
    std::string prefix;
    if (observer) {
        auto found = names_.find(observer);
        if (found == names_.end())
            fail<ValueError>(
                "report: this {} is not registered with the reporter; what is below an optimizer's "
                "target "
                "is",
                observer->type_name());
        prefix = found->second + "/";
    }
    Recorder* recorder = current_recorder();
    if (recorder != recorder_ && recorder && recorder->defers())
        recorder->needs_code("it reports values");
    else if (recorder != recorder_)
        fail<TraceError>(
            "report: '{}' is reported inside a static region, and its replays would not report it; "
            "return the value from the region, or let StandardUpdater compile the whole step",
            prefix + (values.empty() ? "" : values.begin()->first));
    for (auto& [key, reported] : values) {
        Reported value = reported;
        if (const Variable& v = reported.variable(); v.defined() && !config().keep_graph_on_report)
            value = Reported(Variable(v.array(), false), reported.weight());
        observation_->insert_or_assign(prefix + key, value);
    }
} catch (const std::bad_alloc&) {
    throw_out_of_memory("Reporter", "report");
}

Reporter::Scope::Scope(Reporter& reporter, Observation& observation)
    : reporter_(reporter),
      previous_reporter_(thread_reporter.get()),
      previous_observation_(reporter.observation_),
      previous_recorder_(reporter.recorder_) {
    thread_reporter.get() = &reporter;
    reporter.observation_ = &observation;
    reporter.recorder_ = current_recorder();
}

Reporter::Scope::~Scope() {
    thread_reporter.get() = previous_reporter_;
    reporter_.observation_ = previous_observation_;
    reporter_.recorder_ = previous_recorder_;
}

Reporter* current_reporter() { return thread_reporter.get(); }

void report(const Observation& values, const Link& observer) {
    if (Reporter* const own = thread_reporter.get()) own->report(values, &observer);
}
void report(const Observation& values) {
    if (Reporter* const own = thread_reporter.get()) own->report(values);
}

}  // namespace catena
