#pragma once

#include "runtime/core/array/array.h"

namespace catena {

/// The division of regions of images into bins, and the points that are read in a bin. Regions are
/// [R, 4]: top, left, bottom, right, in units of 1 / `scale` pixels; `images` [R] are the numbers
/// of their images.
struct RegionBins {
    int64_t rows = 1, columns = 1;  ///< The number of bins of a region, in both directions.
    double scale = 1;
    /// Whether samples between pixels are read (He et al. 2017); else all pixels that the bin
    /// touches (Girshick 2015).
    bool aligned = false;

    // Of samples:
    double shift = 0;          ///< A number subtracted from scaled corners.
    bool at_least_one = true;  ///< Whether regions are at least one pixel large.
    /// The number of samples in a bin, in both directions; 0: as many as it has pixels, rounded up.
    int64_t sample_rows = 0, sample_columns = 0;

    // Of pixels: corners are rounded to pixels, half to even.
    /// Whether the row and the column of the far corner belong to the region.
    bool with_far_edge = false;
};

// x and gx are [N, C, H, W], y and gy [R, C, rows, columns], contiguous, of one dtype. ValueError,
// which begins with `op`, for the number of an image that x does not have, and for corners that are
// not finite.

/// Computes the mean of each bin; 0 for a bin without pixels. A sample outside of the image counts
/// as 0.
void average_regions(const char* op, const Array& x, const Array& regions, const Array& images,
                     const RegionBins& bins, const Array& y);
/// The gradient of average_regions(): gx from gy.
void spread_regions(const char* op, const Array& gy, const Array& regions, const Array& images,
                    const RegionBins& bins, const Array& gx);
/// The largest element of each bin as the weighted sum of `places` of x, int64 as offsets: places
/// and weights (of x's dtype) are [T, R, C, rows, columns], T = 4 for samples and 1 for pixels;
/// weights are 0 for a bin without any. With `of_neighbours` T is 1, and what is compared are not
/// samples but their weighted neighbours, and 0 for samples outside, as ONNX does.
void largest_in_regions(const char* op, const Array& x, const Array& regions, const Array& images,
                        const RegionBins& bins, bool of_neighbours, const Array& places,
                        const Array& weights);

}  // namespace catena
