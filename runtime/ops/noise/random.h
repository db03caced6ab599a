#pragma once

#include <vector>

#include "runtime/graph/op/op.h"

namespace catena {

/// Seeds this thread's random numbers, including those of initial parameters. Default seed:
/// CATENA_SEED, else a different one in every process.
void set_seed(int64_t seed);
/// The state that every random operation of this thread reads and advances: int64[2], seed and
/// number of the next operation. A program that is replayed advances it as eager execution does.
const Variable& random_state();
/// The random state, after moving it to `device`.
const Variable& random_state(Device& device);
/// Advances the random state. Must be called once by every operation that has read it.
void advance_random_state();

/// This thread's whole random state, as four numbers: everything that set_seed() sets.
std::vector<int64_t> save_random_state();
/// Restores the result of save_random_state().
void restore_random_state(const std::vector<int64_t>& saved);

/// The random numbers of operation number `state`: equal states give equal bits.
Variable uniform_of_state(const Variable& state, const Shape& shape, Dtype dtype);

/// Independent draws from [0, 1), from Catena's own random numbers, which a seed repeats, eager and
/// compiled.
/// - shape: That of the result.
/// - dtype: That of the result.
Variable random_uniform(const Shape& shape, Dtype dtype = Dtype::float32,
                        const std::source_location& at = std::source_location::current());
/// Independent draws from the standard normal distribution, from Catena's own random numbers, which
/// a seed repeats, eager and compiled.
/// - shape: That of the result.
/// - dtype: That of the result.
Variable random_normal(const Shape& shape, Dtype dtype = Dtype::float32,
                       const std::source_location& at = std::source_location::current());

}  // namespace catena
