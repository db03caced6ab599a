#include "runtime/ops/declare/sort_passes.h"

#include <algorithm>

#include <fmt/format.h>

namespace catena {

namespace {

constexpr int64_t first_run_of_many = 256;  ///< A launch costs more than comparisons side by side.
constexpr int64_t first_run_of_one = 16;

constexpr const char* count_ranks = R"(
        const i64 begin = k / width * width, end = begin + width < size ? begin + width : size;
        i64 place = begin;
        const i64 v = k;
        for (i64 j = begin; j < end; ++j) place += before(j, k) || (j < k && !before(k, j));
)";

// An element of the left run stands behind those of the right run that come before it; one of the
// right run also behind its equals.
constexpr const char* merge_runs = R"(
        const i64 begin = k / (2 * width) * (2 * width), v = scratch[from + i];
        const i64 middle = begin + width < size ? begin + width : size;
        const i64 end = begin + 2 * width < size ? begin + 2 * width : size;
        const bool left = k < middle;
        i64 low = left ? middle : begin, high = left ? end : middle;
        while (low < high) {
            const i64 half = (low + high) / 2, other = scratch[from + line * size + half];
            if (left ? before(other, v) : !before(v, other))
                low = half + 1;
            else
                high = half;
        }
        const i64 place = k + low - middle;
)";

}  // namespace

std::vector<ElementPass> sort_passes(const SortPasses& sort) {
    const int64_t count = sort.lines * sort.size;
    const int64_t first_run = sort.threads == Threads::one ? first_run_of_one : first_run_of_many;
    int merges = 0;
    for (int64_t width = first_run; width < sort.size; width *= 2) ++merges;
    std::vector<ElementPass> passes;
    int64_t width = first_run, from = sort.scratch, to = sort.scratch + count;
    for (int pass = 0; pass <= merges; ++pass) {
        const std::string put =
            pass == merges ? sort.put : "scratch[to + line * size + place] = v;";
        passes.push_back(
            {fmt::format(
                 "        const i64 line = i / size, k = i % size;\n"
                 "        auto before = [=](i64 a, i64 b) -> bool {{ return {}; }};{}        {}",
                 sort.before, pass == 0 ? count_ranks : merge_runs, put),
             count,
             {{"size", sort.size}, {"width", width}, {"from", from}, {"to", to}}});
        if (pass > 0) width *= 2;
        std::swap(from, to);
    }
    return passes;
}

}  // namespace catena
