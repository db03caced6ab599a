#pragma once

#include <cstdint>

namespace catena {

// Max pooling of 2 x 2 windows with stride 2 over one plane, 16 windows at a time with masked
// vectors: planes of small images are narrower than a vector, so loops over single rows would not
// vectorise.

/// Whether the processor supports the functions below.
bool has_masked_pairs();
void masked_pairs_max(const float* x, int64_t width, int64_t out_height, int64_t out_width,
                      float* y, int32_t* index);
void masked_pairs_scatter(const float* gy, const int32_t* index, int64_t height, int64_t width,
                          int64_t out_height, int64_t out_width, float* gx);

}  // namespace catena
