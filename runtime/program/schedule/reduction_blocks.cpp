#include "runtime/program/schedule/reduction_blocks.h"

#include <algorithm>

namespace catena::program {
namespace {

constexpr int64_t enough_blocks = 32;
constexpr int64_t rows_per_block = 64;

ReductionBlocks blocks_of(int64_t size, int64_t block) {
    return {block, (size + block - 1) / block};
}

}  // namespace

ReductionBlocks reduction_blocks(int64_t size, int64_t beside, int64_t elements_per_block,
                                 int64_t most_blocks) {
    const int64_t enough = std::max<int64_t>(elements_per_block / std::max<int64_t>(beside, 1), 1);
    return blocks_of(size, std::max(enough, (size + most_blocks - 1) / most_blocks));
}

ReductionBlocks column_blocks(int64_t rows, int64_t beside) {
    return blocks_of(rows, std::clamp<int64_t>((rows + enough_blocks - 1) / enough_blocks, 1,
                                               std::max<int64_t>(rows_per_block / beside, 1)));
}

}  // namespace catena::program
