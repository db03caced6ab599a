#include "runtime/cpu/recurrent/sequence_steps.h"

#include <algorithm>
#include <numeric>

#include "runtime/core/system/error.h"

namespace catena {
namespace {

void check(const char* op, std::span<const int64_t> lengths, int64_t total, RowOrder row_order) {
    int64_t sum = 0;
    for (size_t b = 0; b < lengths.size(); ++b) {
        if (lengths[b] < 0)
            fail<ValueError>("{}: lengths[{}] is {}, it should be 0 or more", op, b, lengths[b]);
        if (row_order == RowOrder::by_step && b > 0 && lengths[b] > lengths[b - 1])
            fail<ValueError>(
                "{}: lengths[{}] is {} and lengths[{}] is {}; rows by step need sequences sorted "
                "by decreasing length",
                op, b - 1, lengths[b - 1], b, lengths[b]);
        sum += lengths[b];
    }
    if (sum != total)
        fail<ValueError>("{}: the lengths add up to {}, x has {} rows", op, sum, total);
}

}  // namespace

SequenceSteps::SequenceSteps(const char* op, std::span<const int64_t> lengths, int64_t total,
                             RowOrder row_order, bool reverse)
    : order(lengths.size()) {
    check(op, lengths, total, row_order);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return lengths[a] > lengths[b]; });
    const int64_t longest = order.empty() ? 0 : lengths[order[0]];
    int64_t going = int64_t(order.size()), start = 0;
    for (int64_t t = 0; t < longest; ++t) {
        while (lengths[order[going - 1]] <= t) --going;
        sizes.push_back(going);
        starts.push_back(start);
        start += going;
    }
    std::vector<int64_t> first(lengths.size());  // Of each sequence, if its rows are neighbours.
    std::exclusive_scan(lengths.begin(), lengths.end(), first.begin(), int64_t(0));
    rows.reserve(size_t(total));
    for (int64_t t = 0; t < longest; ++t)
        for (int64_t i = 0; i < sizes[t]; ++i) {
            const int64_t b = order[i], step = reverse ? lengths[b] - 1 - t : t;
            rows.push_back(row_order == RowOrder::by_sequence ? first[b] + step : starts[step] + i);
        }
}

}  // namespace catena
