#include "runtime/cpu/convolution/epilogue_pass.h"

#include <algorithm>

#include "runtime/core/array/in_order.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/convolution/tail/apply_tail.h"
#include "runtime/cpu/machine.h"

namespace catena {
namespace {

/// Channels last, y is a matrix with a column for each of them. A few rows at a time: their lines
/// of memory are as many as the processor follows.
void sweep_rows(const Array& y, ColumnStatistics& statistics) {
    constexpr int64_t rows_of_block = 256, at_once = 8;
    const float* const from = y.elements<float>();
    const int64_t channels = y.dim(1), rows = y.size() / channels,
                  blocks = (rows + rows_of_block - 1) / rows_of_block;
    statistics.prepare(blocks, channels);
    parallel_for(blocks, machine::grain_of_elements(rows_of_block * channels),
                 [&](int64_t begin, int64_t end) {
                     for (int64_t block = begin; block < end; ++block) {
                         const int64_t first = block * rows_of_block,
                                       last = std::min(rows, first + rows_of_block);
                         for (int64_t row = first; row < last; row += at_once)
                             statistics.add(
                                 block,
                                 {from + row * channels, std::min(at_once, last - row), channels},
                                 {0, channels}, row == first);
                     }
                 });
}

/// Row-major, a channel has its positions side by side in each image.
void sweep_lines(const Array& y, ColumnStatistics& statistics) {
    constexpr int64_t longest = 1024;
    const float* const from = y.elements<float>();
    const int64_t channels = y.dim(1), positions = y.size() / (y.dim(0) * channels),
                  parts = (positions + longest - 1) / longest;
    statistics.prepare(y.dim(0) * parts, channels);
    parallel_for(y.dim(0) * channels, machine::grain_of_elements(positions),
                 [&](int64_t begin, int64_t end) {
                     for (int64_t line = begin; line < end; ++line)
                         for (int64_t part = 0; part < parts; ++part)
                             statistics.add_line(line / channels * parts + part, line % channels,
                                                 from + line * positions + part * longest,
                                                 std::min(longest, positions - part * longest));
                 });
}

}  // namespace

void apply_epilogue(const Epilogue& epilogue, const Array& y) {
    if (epilogue.tail) epilogue.tail->largest = apply_tail(epilogue.tail->numbers, y);
    if (epilogue.statistics)
        lies_channels_last(y) ? sweep_rows(y, *epilogue.statistics)
                              : sweep_lines(y, *epilogue.statistics);
}

}  // namespace catena
