#pragma once

#include <cstdint>

#include "runtime/core/random.h"

namespace catena {

/// What this thread's random numbers start from when nobody sets a seed: CATENA_SEED, else another number in every
/// process; threads differ.
int64_t first_seed();

/// A stream that nothing else uses, for draws on the host that no program repeats: initial parameters, shuffling.
/// Recorded operations count themselves, below 2^63.
RandomStream next_host_stream();
/// Makes the host streams of this thread a function of `seed`; set_seed() does it too.
void restart_host_streams(int64_t seed);
/// The stream that next_host_stream() gives next on this thread, to be saved and restored.
const RandomStream& host_stream_state();
void restore_host_streams(const RandomStream& next);

}  // namespace catena
