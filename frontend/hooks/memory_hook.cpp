#include "frontend/hooks/memory_hook.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <utility>

#include "runtime/core/array/code_device.h"

namespace catena {
namespace {

Device& device_of(std::span<const Variable* const> inputs) {
    for (const Variable* x : inputs)
        if (x->defined() && x->array().defined()) return x->device();
    return current_device();
}
Device& device_of(std::span<const Variable> grad_outputs) {
    for (const Variable& gy : grad_outputs)
        if (gy.defined()) return gy.device();
    return current_device();
}

constexpr const char* memory_units[] = {"B", "KB", "MB", "GB", "TB"};

int memory_unit_for(int64_t bytes) {
    int unit = 0;
    for (double left = std::abs(double(bytes)); left >= 1024 && unit < 4; left /= 1024) ++unit;
    return unit;
}

int memory_unit_named(const std::string& name) {
    for (int unit = 0; unit < 5; ++unit)
        if (name == memory_units[unit]) return unit;
    fail<ValueError>("MemoryHook: '{}' is not a unit; use auto, auto_foreach, B, KB, MB, GB, TB",
                     name);
}

std::string in_unit(int64_t bytes, int unit) {
    return unit == 0 ? fmt::format("{} B", bytes)
                     : fmt::format("{:.2f} {}", double(bytes) / std::pow(1024.0, unit),
                                   memory_units[unit]);
}

}  // namespace

MemoryHook::Start MemoryHook::present(Device& device) {
    const auto* const other = dynamic_cast<const CodeDevice*>(&device);
    const MemoryStatistics now = other              ? other->memory_statistics()
                                 : device.is_meta() ? MemoryStatistics()
                                                    : cpu_memory_statistics();
    return {&device, int64_t(now.bytes_in_use), int64_t(now.bytes_reserved)};
}

void MemoryHook::forward_preprocess(const OpDef&, std::span<const Variable* const> inputs) {
    start(device_of(inputs));
}
void MemoryHook::forward_postprocess(const OpDef& op, std::span<const Variable* const>) {
    stop(op.name);
}
void MemoryHook::backward_preprocess(const OpDef&, std::span<const Array>,
                                     std::span<const Variable> grad_outputs) {
    start(device_of(grad_outputs));
}
void MemoryHook::backward_postprocess(const OpDef& op, std::span<const Array>,
                                      std::span<const Variable>) {
    stop("backward of " + op.name);
}

void MemoryHook::stop(const std::string& name) {
    if (running_.empty()) return;  // It began before this hook was added.
    const Start before = running_.back(), now = present(*before.device);
    running_.pop_back();
    const Call call{name, now.used - before.used, now.acquired - before.acquired,
                    int(running_.size()), before.device};
    call_history_.push_back(call);
    if (call.depth > 0) return;
    total_.used_bytes += call.used_bytes;
    total_.acquired_bytes += call.acquired_bytes;
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

void MemoryHook::print_report(std::ostream& out, const std::string& unit) const {
    const std::map<std::string, Record> records = summary();
    std::vector<std::pair<std::string, Record>> rows(records.begin(), records.end());
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return a.second.used_bytes > b.second.used_bytes;
    });
    Record largest;
    size_t width = std::string("function").size();
    for (const auto& [name, record] : rows) {
        width = std::max(width, name.size());
        largest.used_bytes = std::max(largest.used_bytes, std::abs(record.used_bytes));
        largest.acquired_bytes = std::max(largest.acquired_bytes, std::abs(record.acquired_bytes));
    }
    const bool is_automatic = unit == "auto" || unit == "auto_foreach";
    const int given = is_automatic ? 0 : memory_unit_named(unit);
    const auto cell = [&](int64_t bytes, int64_t largest_of_column) {
        return in_unit(bytes, unit == "auto" ? memory_unit_for(largest_of_column)
                              : is_automatic ? memory_unit_for(bytes)
                                             : given);
    };
    out << fmt::format("{:<{}}  {:>14}  {:>14}  {:>10}\n", "function", width, "used bytes",
                       "acquired", "calls");
    for (const auto& [name, record] : rows)
        out << fmt::format("{:<{}}  {:>14}  {:>14}  {:>10}\n", name, width,
                           cell(record.used_bytes, largest.used_bytes),
                           cell(record.acquired_bytes, largest.acquired_bytes), record.occurrence);
}

void MemoryHook::print_report(const std::string& unit) const { print_report(std::cout, unit); }

}  // namespace catena
