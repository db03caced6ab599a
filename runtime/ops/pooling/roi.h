#pragma once

#include "runtime/graph/op.h"
#include "runtime/ops/define/per_axis.h"

namespace catena {

struct RegionBins;

// Pooling over regions of interest of x [N, C, H, W]: the result is [R, C, outsize]. `rois` are [R,
// 4], floating point: top, left, bottom and right, which are multiplied by `spatial_scale`;
// `roi_indices` [R] are integers, the numbers of their images. Both are data of the program, and no
// gradient flows to them. ValueError for the number of an image that x does not have.

/// Largest pixel of each bin; corners are rounded to pixels, half to even (Girshick 2015).
/// -infinity for a bin outside of x.
Variable roi_max_pooling_2d(const Operand& x, const Operand& rois, const Operand& roi_indices,
                            const PerAxis& outsize, double spatial_scale);
/// Mean of the pixels of each bin; 0 for a bin outside of x.
Variable roi_average_pooling_2d(const Operand& x, const Operand& rois, const Operand& roi_indices,
                                const PerAxis& outsize, double spatial_scale);
/// Means of samples between pixels (He et al. 2017): `sampling_ratio` in a bin, one number or one
/// for each axis; empty, or 0: as many as the bin has pixels, rounded up. Samples outside of x
/// count as 0.
Variable roi_average_align_2d(const Operand& x, const Operand& rois, const Operand& roi_indices,
                              const PerAxis& outsize, double spatial_scale,
                              const PerAxis& sampling_ratio = {});
/// The largest of these samples; -infinity for a bin without one in x.
Variable roi_max_align_2d(const Operand& x, const Operand& rois, const Operand& roi_indices,
                          const PerAxis& outsize, double spatial_scale,
                          const PerAxis& sampling_ratio = {});
/// The earlier form of roi_max_pooling_2d: rois [R, 5] are image, left, top, right and bottom,
/// regions contain the row and column of the far corner, and a bin outside of x gives 0.
Variable roi_pooling_2d(const Operand& x, const Operand& rois, int64_t outh, int64_t outw,
                        double spatial_scale);

/// What all of them are made of.
Variable average_of_regions(const Variable& x, const Variable& regions, const Variable& images,
                            const RegionBins& bins);
/// `empty` for a bin without elements; `of_neighbours` as in runtime/cpu/pooling/roi_kernel.h.
Variable largest_of_regions(const Variable& x, const Variable& regions, const Variable& images,
                            const RegionBins& bins, double empty, bool of_neighbours = false);

}  // namespace catena
