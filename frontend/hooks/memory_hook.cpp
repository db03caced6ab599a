#include "frontend/hooks/memory_hook.h"

#include <algorithm>
#include <iostream>
#include <utility>

#include "runtime/core/device.h"

namespace catena {

MemoryHook::Level MemoryHook::present() {
    const MemoryStatistics now = cpu_memory_statistics();
    return {int64_t(now.bytes_in_use), int64_t(now.bytes_reserved)};
}

void MemoryHook::stop(const std::string& name) {
    if (running_.empty()) return;  // It began before this hook was added.
    const Level before = running_.back(), now = present();
    running_.pop_back();
    call_history_.push_back({name, now.used - before.used, now.acquired - before.acquired});
}

std::map<std::string, MemoryHook::Record> MemoryHook::summary() const {
    std::map<std::string, Record> records;
    for (const Call& call : call_history_) {
        Record& record = records[call.name];
        record.used_bytes += call.used_bytes;
        record.acquired_bytes += call.acquired_bytes;
        record.occurrence += 1;
    }
    return records;
}

void MemoryHook::print_report(std::ostream& out) const {
    const std::map<std::string, Record> records = summary();
    std::vector<std::pair<std::string, Record>> rows(records.begin(), records.end());
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.second.used_bytes > b.second.used_bytes; });
    size_t width = std::string("function").size();
    for (const auto& [name, record] : rows) width = std::max(width, name.size());
    out << fmt::format("{:<{}}  {:>14}  {:>14}  {:>10}\n", "function", width, "used bytes", "acquired", "calls");
    for (const auto& [name, record] : rows)
        out << fmt::format("{:<{}}  {:>14}  {:>14}  {:>10}\n", name, width, record.used_bytes, record.acquired_bytes,
                           record.occurrence);
}

void MemoryHook::print_report() const { print_report(std::cout); }

}  // namespace catena
