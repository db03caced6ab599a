#include "frontend/hooks/call_times.h"

#include <algorithm>
#include <chrono>
#include <iostream>

#include "runtime/core/array/code_device.h"

namespace catena {
namespace {

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

struct Unit {
    const char* name;
    double seconds;
};
constexpr Unit units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};

const Unit& unit_for(double seconds) {
    for (const Unit& unit : units)
        if (seconds >= unit.seconds) return unit;
    return units[3];
}

const Unit& unit_named(const std::string& name) {
    for (const Unit& unit : units)
        if (name == unit.name || (name == "sec" && unit.seconds == 1)) return unit;
    fail<ValueError>("TimerHook: '{}' is not a unit; use auto, auto_foreach, s, ms, us, ns", name);
}

}  // namespace

void CallTimes::finish_work(Device& device) {
    if (auto* const asynchronous = dynamic_cast<CodeDevice*>(&device)) asynchronous->synchronize();
}

void CallTimes::start() { running_.push_back(seconds_now()); }

void CallTimes::stop(const std::string& name) {
    if (running_.empty()) return;  // It began before this hook was added.
    const double seconds = seconds_now() - running_.back();
    running_.pop_back();
    call_history_.emplace_back(name, seconds);
    if (running_.empty()) total_ += seconds;
}

std::map<std::string, CallTimes::Record> CallTimes::summary() const {
    std::map<std::string, Record> records;
    for (const auto& [name, seconds] : call_history_) {
        records[name].elapsed_time += seconds;
        records[name].occurrence += 1;
    }
    return records;
}

void CallTimes::print_report(std::ostream& out, const std::string& unit) const {
    std::map<std::string, Record> records = summary();
    std::vector<std::pair<std::string, Record>> rows(records.begin(), records.end());
    std::stable_sort(rows.begin(), rows.end(), [](auto& a, auto& b) {
        return a.second.elapsed_time > b.second.elapsed_time;
    });
    double longest = rows.empty() ? 0 : rows.front().second.elapsed_time;
    bool each = unit == "auto_foreach";
    const Unit& common = unit == "auto" || each ? unit_for(longest) : unit_named(unit);
    size_t width = std::string(what_).size();
    for (auto& [name, record] : rows) width = std::max(width, name.size());
    out << fmt::format("{:<{}}  {:>14}  {:>10}\n", what_, width, "elapsed", "calls");
    for (auto& [name, record] : rows) {
        const Unit& u = each ? unit_for(record.elapsed_time) : common;
        out << fmt::format("{:<{}}  {:>11.3f} {:<2}  {:>10}\n", name, width,
                           record.elapsed_time / u.seconds, u.name, record.occurrence);
    }
}

void CallTimes::print_report(const std::string& unit) const { print_report(std::cout, unit); }

}  // namespace catena
