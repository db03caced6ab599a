#include "runtime/ops/math/reduction/order_elements.h"

#include <fmt/format.h>

#include "runtime/ops/declare/sort_passes.h"

namespace catena {

namespace {

constexpr int64_t short_line = 1024;  ///< Up to this size, one thread per line.
constexpr int64_t piece = 256;

/// x as [outer, size, inner] around attribute "axis".
struct Lines {
    int64_t outer = 1, size = 1, inner = 1;
    explicit Lines(const KernelCall& call) {
        const int axis = int(call.attributes.integer("axis"));
        const Shape& x = call.inputs[0].shape();
        size = x[axis];
        for (int d = 0; d < axis; ++d) outer *= x[d];
        for (int d = axis + 1; d < x.rank(); ++d) inner *= x[d];
    }
    int64_t count() const { return outer * inner; }
    int64_t pieces() const { return (size + piece - 1) / piece; }
};

std::vector<std::pair<std::string, int64_t>> numbers_of(const Lines& lines) {
    return {{"size", lines.size}, {"inner", lines.inner}, {"pieces", lines.pieces()}};
}

constexpr const char* line_text =
    "        auto at = [=](i64 line, i64 k) -> i64 { return (line / inner * size + k) * inner + "
    "line % inner; };\n";

}  // namespace

ElementProgram arg_elements(const KernelCall& call, const char* better, Threads threads) {
    const Lines lines(call);
    const auto numbers = numbers_of(lines);
    const std::string rule = fmt::format(
        "        auto better = [=](i64 a, i64 b) -> bool {{  // A NaN is best.\n"
        "            return v0(b) == v0(b) && (v0(a) {} v0(b) || v0(a) != v0(a));\n        }};\n",
        better);
    const std::string walk = line_text + rule;
    if (threads == Threads::one || lines.size <= short_line)
        return {{{walk + R"(        i64 best = 0;
        for (i64 k = 1; k < size; ++k)
            if (better(at(i, k), at(i, best))) best = k;
        y0(i, best);)",
                  lines.count(), numbers}},
                0};
    return {{{walk + R"(        const i64 line = i / pieces, begin = i % pieces * 256;
        i64 best = begin;
        for (i64 k = begin + 1; k < begin + 256 && k < size; ++k)
            if (better(at(line, k), at(line, best))) best = k;
        scratch[i] = best;)",
              lines.count() * lines.pieces(), numbers},
             {walk + R"(        i64 best = scratch[i * pieces];
        for (i64 k = 1; k < pieces; ++k)
            if (better(at(i, scratch[i * pieces + k]), at(i, best))) best = scratch[i * pieces + k];
        y0(i, best);)",
              lines.count(), numbers}},
            lines.count() * lines.pieces()};
}

namespace {

/// Sorts each line by `rule`, a function smaller(a, b) of two places of elements.
ElementProgram sorted_lines(const KernelCall& call, const char* rule, const char* put,
                            Threads threads) {
    const Lines lines(call);
    std::vector<ElementPass> passes = sort_passes({.lines = lines.count(),
                                                   .size = lines.size,
                                                   .before = "smaller(at(line, a), at(line, b))",
                                                   .put = put,
                                                   .threads = threads});
    for (ElementPass& pass : passes) {
        pass.text = std::string(line_text) + rule + pass.text;
        pass.numbers.push_back({"inner", lines.inner});
    }
    const int64_t scratch = passes.size() > 1 ? 2 * lines.count() * lines.size : 0;
    return {std::move(passes), scratch};
}

constexpr const char* ascending_text =
    R"(        auto smaller = [=](i64 a, i64 b) -> bool {  // A NaN is last.
            return v0(a) < v0(b) || (v0(b) != v0(b) && v0(a) == v0(a));
        };
)";
constexpr const char* descending_text =
    R"(        auto smaller = [=](i64 a, i64 b) -> bool {  // A NaN is first.
            return v0(a) > v0(b) || (v0(a) != v0(a) && v0(b) == v0(b));
        };
)";

}  // namespace

ElementProgram argsort_elements(const KernelCall& call, Threads threads) {
    return sorted_lines(call, ascending_text, "y0(at(line, place), v);", threads);
}

ElementProgram argsort_first_elements(const KernelCall& call, Threads threads) {
    const int64_t count = call.outputs[0].dim(int(call.attributes.integer("axis")));
    ElementProgram program = sorted_lines(
        call, call.attributes.flag("largest") ? descending_text : ascending_text,
        "if (place < kept) y0((line / inner * kept + place) * inner + line % inner, v);", threads);
    for (ElementPass& pass : program.passes) pass.numbers.push_back({"kept", count});
    return program;
}

ElementProgram cumsum_elements(const KernelCall& call, Threads threads) {
    const Lines lines(call);
    auto numbers = numbers_of(lines);
    const std::string walk = std::string(line_text) +
                             "        auto along = [=](i64 line, i64 k) -> i64 { return at(line, "
                             "reverse ? size - 1 - k : k); };\n";
    const Dtype dtype = call.outputs[0].dtype();
    // Sums of stored pieces would lose what a half does not keep.
    if (threads == Threads::one || lines.size <= short_line || dtype != compute_dtype(dtype))
        return {{{walk + R"(        T total = 0;
        for (i64 k = 0; k < size; ++k) {
            total += x0(along(i, k));
            y0(along(i, k), total);
        })",
                  lines.count(), numbers}},
                0};
    return {{{walk + R"(        const i64 line = i / pieces, begin = i % pieces * 256;
        T total = 0;
        for (i64 k = begin; k < begin + 256 && k < size; ++k) {
            total += x0(along(line, k));
            y0(along(line, k), total);
        }
        reinterpret_cast<T*>(scratch)[i] = total;)",
              lines.count() * lines.pieces(), numbers},
             {R"(        T* const totals = reinterpret_cast<T*>(scratch) + i * pieces;
        T before = 0;
        for (i64 k = 0; k < pieces; ++k) {
            const T own = totals[k];
            totals[k] = before;
            before += own;
        })",
              lines.count(), numbers},
             {walk + R"(        const i64 line = i / size, k = i % size, place = along(line, k);
        if (k >= 256) q0[place] += reinterpret_cast<const T*>(scratch)[line * pieces + k / 256];)",
              lines.count() * lines.size, numbers}},
            lines.count() * lines.pieces()};
}

}  // namespace catena
