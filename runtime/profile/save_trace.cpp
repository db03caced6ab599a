// Slices as Chrome's trace events: https://perfetto.dev, chrome://tracing.
#include <unistd.h>

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/file/file.h"
#include "runtime/profile/launch_labels.h"
#include "runtime/profile/profiler.h"
#include "runtime/profile/write_trace.h"

namespace catena {
namespace {

using profile::Ceilings;
using profile::Label;
using profile::Slice;

/// Text as a JSON string; what is not UTF-8 is replaced.
std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// What Perfetto shows of a chosen slice. Bytes per nanosecond are GB/s.
std::string arguments_text(const Label& label, double nanoseconds, Ceilings::Ask ask) {
    std::string text;
    const auto add = [&](const char* name, const std::string& value) {
        text += fmt::format("{}\"{}\":{}", text.empty() ? "" : ",", name, value);
    };
    if (!label.place.empty()) add("line", quoted(label.place));
    const double bytes = label.bytes_read + label.bytes_written;
    if (bytes > 0) {
        add("bytes read", fmt::format("{:.0f}", label.bytes_read));
        add("bytes written", fmt::format("{:.0f}", label.bytes_written));
        if (nanoseconds > 0) add("GB/s", fmt::format("{:.2f}", bytes / nanoseconds));
    }
    if (label.operations > 0 && nanoseconds > 0)
        add("GFLOP/s", fmt::format("{:.2f}", label.operations / nanoseconds));
    const profile::LaunchCost* const cost = profile::cost_of(&label);
    if (!cost) return text;
    const MachineShares shares = shares_of(*cost, nanoseconds * 1e-9, ask);
    const auto add_share = [&](const char* name, double share) {
        if (share > 0) add(name, fmt::format("{:.1f}", share * 100));
    };
    add_share("% of memory", shares.memory);
    add_share("% of products", shares.products);
    add_share("% of launch", shares.launch);
    add_share("% of limit", shares.most());
    if (shares.most() > 0) add("bound by", quoted(shares.bound()));
    return text;
}

/// Trace events have microseconds: the last three digits are nanoseconds, so that slices do not
/// overlap by rounding.
std::string microseconds(int64_t nanoseconds) {
    return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

std::string event(const Slice& slice, int lane, int process, Ceilings::Ask ask) {
    const Label& label = *slice.label;
    const int64_t duration = slice.end - slice.begin;
    return fmt::format(
        R"({{"ph":"X","name":{},"cat":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
        quoted(label.name), quoted(label.category), process, lane, microseconds(slice.begin),
        microseconds(duration), arguments_text(label, double(duration), ask));
}

std::string lane_name(const profile::LaneContent& lane, int process) {
    return fmt::format(
        R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{} {}"}}}})", process,
        lane.number, lane.is_of_pool ? "pool thread" : "thread", lane.number);
}

}  // namespace

void save_trace(const std::string& path) { profile::write_trace(path, Ceilings::Ask::measure); }

namespace profile {

void write_trace(const std::string& path, Ceilings::Ask ask) {
    const profile::Content content = profile::content();
    const int process = int(getpid());
    AtomicFile file(path);
    const auto write = [&](const std::string& text) { file.write(text.data(), text.size()); };
    write(fmt::format(
        "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"slices dropped\":{}}},\"traceEvents\":[\n",
        content.dropped));
    write(fmt::format(
        R"({{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":"catena"}}}})",
        process));
    for (const profile::LaneContent& lane : content.lanes) {
        write(",\n" + lane_name(lane, process));
        for (const Slice& slice : lane.slices)
            write(",\n" + event(slice, lane.number, process, ask));
    }
    write("\n]}\n");
    file.commit();
}

}  // namespace profile

}  // namespace catena
