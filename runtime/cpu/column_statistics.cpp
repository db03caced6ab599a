#include "runtime/cpu/column_statistics.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "runtime/core/array/device.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/simd/vector_widths.h"
#include "runtime/cpu/machine.h"

namespace catena {
namespace {

/// Where a block keeps its numbers of a column.
struct Kept {
    float *centre, *sum, *squares;
};

template <class Lanes>
CATENA_INLINE Lanes load(const float* from) {
    Lanes v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}
template <class Lanes>
CATENA_INLINE void store(float* to, Lanes v) {
    __builtin_memcpy(to, &v, sizeof v);
}

/// One vector of columns, or one column. Two sums side by side: an addition waits for the one
/// before.
template <class Lanes>
CATENA_INLINE void add_columns(const ColumnStatistics::Rows& rows, const float* from,
                               const Kept& kept, bool begins) {
    Lanes centre{}, sum{}, squares{}, more{}, more_squares{};
    if (begins) {
        const int64_t count = std::min(rows.count, ColumnStatistics::rows_of_centre);
        for (int64_t i = 0; i < count; ++i) centre += load<Lanes>(from + i * rows.step);
        centre *= 1.0f / float(count);
        store(kept.centre, centre);
    } else {
        centre = load<Lanes>(kept.centre);
    }
    for (int64_t line = 0; line < rows.lines; ++line, from += rows.line_step) {
        int64_t i = 0;
        for (; i + 2 <= rows.count; i += 2) {
            const Lanes d = load<Lanes>(from + i * rows.step) - centre,
                        e = load<Lanes>(from + (i + 1) * rows.step) - centre;
            sum += d, squares += d * d;
            more += e, more_squares += e * e;
        }
        if (i < rows.count) {
            const Lanes d = load<Lanes>(from + i * rows.step) - centre;
            sum += d, squares += d * d;
        }
    }
    sum += more, squares += more_squares;
    store(kept.sum, begins ? sum : load<Lanes>(kept.sum) + sum);
    store(kept.squares, begins ? squares : load<Lanes>(kept.squares) + squares);
}

template <int bytes>
CATENA_INLINE void add_all_of(const ColumnStatistics::Rows& rows, int64_t count, const Kept& kept,
                              bool begins) {
    const auto at = [&](int64_t c) __attribute__((always_inline)) {
        return Kept{kept.centre + c, kept.sum + c, kept.squares + c};
    };
    using V = Vector<float, bytes>;
    int64_t c = 0;
    for (; c + V::lanes <= count; c += V::lanes)
        add_columns<typename V::Type>(rows, rows.first + c, at(c), begins);
    for (; c < count; ++c) add_columns<float>(rows, rows.first + c, at(c), begins);
}
CATENA_VECTOR_WIDTHS(void, add_all,
                     (const ColumnStatistics::Rows& rows, int64_t count, const Kept& kept,
                      bool begins),
                     (rows, count, kept, begins))

template <int bytes>
CATENA_INLINE void line_sums_of(const float* line, int64_t count, float centre, float& sum,
                                float& squares) {
    sum = sum_of<bytes>(line, count,
                        [=](auto x) __attribute__((always_inline)) { return x - centre; });
    squares = sum_of<bytes>(line, count, [=](auto x) __attribute__((always_inline)) {
        return (x - centre) * (x - centre);
    });
}
CATENA_VECTOR_WIDTHS(void, line_sums,
                     (const float* line, int64_t count, float centre, float& sum, float& squares),
                     (line, count, centre, sum, squares))

/// Columns that are finished together.
constexpr int64_t together = 64;

/// [blocks, 3, columns] from the first of `count` columns on.
CATENA_VECTOR_CODE bool finish_columns(const float* blocks, const std::vector<int64_t>& rows,
                                       int64_t columns, int64_t count, float* sums,
                                       float* squares) {
    double total[together] = {}, mean[together] = {}, spread[together] = {}, all = 0;
    for (size_t b = 0; b < rows.size(); ++b) {
        if (rows[b] == 0) continue;
        const float *const centre = blocks + int64_t(b) * 3 * columns, *const sum =
                                                                           centre + columns;
        const double n = double(rows[b]);
        for (int64_t c = 0; c < count; ++c) total[c] += n * double(centre[c]) + double(sum[c]);
        all += n;
    }
    for (int64_t c = 0; c < count; ++c) mean[c] = total[c] / all;
    for (size_t b = 0; b < rows.size(); ++b) {
        if (rows[b] == 0) continue;
        const float *const centre = blocks + int64_t(b) * 3 * columns,
                           *const sum = centre + columns, *const square = sum + columns;
        const double n = double(rows[b]);
        for (int64_t c = 0; c < count; ++c) {
            const double e = double(centre[c]) - mean[c];
            spread[c] += double(square[c]) + e * (2 * double(sum[c]) + n * e);
        }
    }
    bool finite = true;
    for (int64_t c = 0; c < count; ++c) {
        sums[c] = float(total[c]);
        squares[c] = float(
            spread[c] < 0 ? 0 : spread[c]);  // Rounding may leave less than nothing. NaN stays.
        finite = finite && std::isfinite(sums[c]) && std::isfinite(squares[c]);
    }
    return finite;
}

}  // namespace

void ColumnStatistics::prepare(int64_t blocks, int64_t columns) {
    columns_ = columns;
    rows_.assign(size_t(blocks), 0);
    memory_ = Array::empty({Dtype::float32, Shape{blocks, 3, columns}}, cpu_device());
    blocks_ = memory_.to_fill<float>();
}

void ColumnStatistics::add(int64_t block, const Rows& rows, const Columns& columns, bool begins) {
    float* const centre = blocks_ + block * 3 * columns_ + columns.begin;
    add_all(rows, columns.end - columns.begin, {centre, centre + columns_, centre + 2 * columns_},
            begins);
    if (columns.begin == 0) rows_[size_t(block)] += rows.lines * rows.count;
}

void ColumnStatistics::add_line(int64_t block, int64_t column, const float* line, int64_t count) {
    float* const centre = blocks_ + block * 3 * columns_ + column;
    const int64_t first = std::min(count, rows_of_centre);
    float c = 0;
    for (int64_t i = 0; i < first; ++i) c += line[i];
    *centre = c / float(first);
    line_sums(line, count, *centre, centre[columns_], centre[2 * columns_]);
    if (column == 0) rows_[size_t(block)] = count;
}

bool ColumnStatistics::finish(float* sums, float* squares) const {
    std::atomic<bool> finite = true;
    const int64_t parts = (columns_ + together - 1) / together,
                  work = int64_t(rows_.size()) * together;
    parallel_for(parts, machine::grain_of_elements(work), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            const int64_t first = i * together, count = std::min(together, columns_ - first);
            if (!finish_columns(blocks_ + first, rows_, columns_, count, sums + first,
                                squares + first))
                finite = false;
        }
    });
    return finite;
}

}  // namespace catena
