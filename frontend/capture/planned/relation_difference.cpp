#include <algorithm>

#include <fmt/format.h>

#include "frontend/capture/planned/launch_relations.h"

namespace catena::capture {
namespace {

/// Whether each number that was equal to some size still is.
bool hold(const std::vector<uint64_t>& compiled, const std::vector<uint64_t>& planned) {
    return std::ranges::equal(compiled, planned,
                              [](uint64_t a, uint64_t b) { return a == 0 || (a & b) != 0; });
}

/// What was equal by chance is not, in a further program. Nothing may be left: then the number is
/// only a polynomial (size_line.h).
void restrict_numbers(std::vector<uint64_t>& numbers, const std::vector<uint64_t>& others) {
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] &= others[i];
}

/// What operand i of a list of `size` is in one of another length: those at the ends keep their
/// place.
size_t counterpart(size_t i, size_t size, size_t other_size) {
    const size_t common = std::min(size, other_size), front = common / 2;
    if (i < front) return i;
    return size - i <= common - front ? other_size - (size - i) : front;
}

bool begins_alike(const Relation::Operand& compiled, const Relation::Operand& planned) {
    return compiled.begins == 0 || (compiled.begins & planned.begins) != 0;
}

/// What two relations differ in apart from their numbers, in words, as difference() tells it.
std::string other_form(const Relation& compiled, const Relation& planned) {
    if (compiled.steps != planned.steps) return "what is computed";
    if (compiled.wanted != planned.wanted) return "what is read of all that is wanted";
    if (compiled.scalars != planned.scalars) return "a scalar";
    if (compiled.operands.empty() != planned.operands.empty()) return "the number of operands";
    for (size_t i = 0; i < planned.operands.size(); ++i) {
        const Relation::Operand& a =
            compiled.operands[counterpart(i, planned.operands.size(), compiled.operands.size())];
        const Relation::Operand& b = planned.operands[i];
        if (a.source != b.source) return fmt::format("whose result operand {} is", i);
        if (!begins_alike(a, b)) return fmt::format("where operand {} begins", i);
        if (a.numbers.size() != b.numbers.size()) return fmt::format("the rank of operand {}", i);
    }
    return compiled.numbers.size() == planned.numbers.size() ? "" : "how many numbers there are";
}

bool restrict_one(Relation& a, const Relation& b) {
    if (!other_form(a, b).empty() || a.operands.size() != b.operands.size()) return false;
    for (size_t i = 0; i < a.operands.size(); ++i) {
        a.operands[i].begins &= b.operands[i].begins;
        restrict_numbers(a.operands[i].numbers, b.operands[i].numbers);
    }
    restrict_numbers(a.numbers, b.numbers);
    return true;
}

}  // namespace

bool Relation::is_explained() const {
    return std::ranges::none_of(
               operands, [](const Operand& o) { return o.source % 2 == 0 || o.begins == 0; }) &&
           std::ranges::none_of(scalars, [](uint64_t s) { return s % 2 == 0; });
}

int Relations::unexplained() const {
    int count = 0;
    for (const auto* list : {&kernels, &calls, &results})
        count +=
            int(std::ranges::count_if(*list, [](const Relation& r) { return !r.is_explained(); }));
    return count;
}

bool Relations::restrict_to(const Relations& other) {
    auto restrict_all = [](std::vector<Relation>& a, const std::vector<Relation>& b) {
        if (a.size() != b.size()) return false;
        for (size_t i = 0; i < a.size(); ++i)
            if (!restrict_one(a[i], b[i])) return false;
        return true;
    };
    return restrict_all(kernels, other.kernels) && restrict_all(calls, other.calls) &&
           restrict_all(results, other.results);
}

std::string difference(const Relation& compiled, const Relation& planned) {
    if (std::string found = other_form(compiled, planned); !found.empty()) return found;
    for (size_t i = 0; i < planned.operands.size(); ++i)
        if (!hold(
                compiled.operands[counterpart(i, planned.operands.size(), compiled.operands.size())]
                    .numbers,
                planned.operands[i].numbers))
            return fmt::format("a size or stride of operand {}", i);
    if (!hold(compiled.numbers, planned.numbers)) return "a size or an attribute";
    if (compiled.sizes == planned.sizes && compiled.exact != planned.exact)
        return "a number that depends on no size";
    return "";
}

std::string difference(const Relations& compiled, const Relations& planned) {
    auto find = [](const std::vector<Relation>& a, const std::vector<Relation>& b,
                   const char* what) -> std::string {
        if (a.size() != b.size()) return fmt::format("the number of {}s", what);
        for (size_t i = 0; i < a.size(); ++i)
            if (const std::string found = difference(a[i], b[i]); !found.empty())
                return fmt::format("{} of {} {}", found, what, i);
        return "";
    };
    std::string found = find(compiled.kernels, planned.kernels, "kernel");
    if (found.empty()) found = find(compiled.calls, planned.calls, "library call");
    if (found.empty()) found = find(compiled.results, planned.results, "result");
    return found;
}

bool follows(const Relations& compiled, const program::Copied& copied, const Trace& trace) {
    const Relations planned = relations(copied.schedule, trace);
    auto follow = [](const std::vector<Relation>& a, const std::vector<int>& like,
                     const std::vector<Relation>& b) {
        if (like.size() != b.size()) return false;
        for (size_t i = 0; i < b.size(); ++i)
            if (!b[i].is_explained() || !difference(a[size_t(like[i])], b[i]).empty()) return false;
        return true;
    };
    return follow(compiled.kernels, copied.kernels, planned.kernels) &&
           follow(compiled.calls, copied.calls, planned.calls) &&
           follow(compiled.results, copied.results, planned.results);
}

}  // namespace catena::capture
