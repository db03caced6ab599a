#pragma once

#include "runtime/graph/op/op.h"
#include "runtime/ops/define/per_axis.h"

namespace catena {

struct RegionBins;

// Pooling over regions of interest of x [N, C, H, W]: the result is [R, C, outsize]. `rois` are [R,
// 4], floating point: top, left, bottom and right, which are multiplied by `spatial_scale`;
// `roi_indices` [R] are integers, the numbers of their images. Both are data of the program, and no
// gradient flows to them. ValueError for the number of an image that x does not have.

/// The largest pixel of each bin of regions of images: (R, C, rows, columns). Corners of regions
/// are rounded to pixels, half to even (Girshick 2015, "Fast R-CNN"). -infinity for a bin outside
/// of x. No gradient flows to the regions. ValueError for the number of an image that x does not
/// have.
/// - x: (N, C, H, W), floating point.
/// - rois: Regions, (R, 4), floating point: top, left, bottom and right.
/// - roi_indices: Integers, (R): the number of each region's image.
/// - outsize: How many bins: a number, or (rows, columns).
/// - spatial_scale: What the corners of regions are multiplied by; positive (ValueError).
Variable roi_max_pooling_2d(const Operand& x, const Operand& rois, const Operand& roi_indices,
                            const PerAxis& outsize, double spatial_scale);
/// The mean of the pixels of each bin of regions of images: (R, C, rows, columns), as
/// roi_max_pooling_2d; 0 for a bin outside of x.
/// - x: (N, C, H, W), floating point.
/// - rois: Regions, (R, 4), floating point: top, left, bottom and right.
/// - roi_indices: Integers, (R): the number of each region's image.
/// - outsize: How many bins: a number, or (rows, columns).
/// - spatial_scale: What the corners of regions are multiplied by; positive (ValueError).
Variable roi_average_pooling_2d(const Operand& x, const Operand& rois, const Operand& roi_indices,
                                const PerAxis& outsize, double spatial_scale);
/// The mean of samples between pixels in each bin of regions of images: (R, C, rows, columns) (He
/// et al. 2017, "Mask R-CNN"). Samples outside of x count as 0. No gradient flows to the regions.
/// ValueError for the number of an image that x does not have.
/// - x: (N, C, H, W), floating point.
/// - rois: Regions, (R, 4), floating point: top, left, bottom and right.
/// - roi_indices: Integers, (R): the number of each region's image.
/// - outsize: How many bins: a number, or (rows, columns).
/// - spatial_scale: What the corners of regions are multiplied by; positive (ValueError).
/// - sampling_ratio: How many samples along each axis of a bin: a number, or (down, across); if not
///   given, or 0, as many as the bin has pixels, rounded up.
Variable roi_average_align_2d(const Operand& x, const Operand& rois, const Operand& roi_indices,
                              const PerAxis& outsize, double spatial_scale,
                              const PerAxis& sampling_ratio = {});
/// The largest of samples between pixels in each bin of regions of images: (R, C, rows, columns),
/// as roi_average_align_2d; -infinity for a bin without a sample in x.
/// - x: (N, C, H, W), floating point.
/// - rois: Regions, (R, 4), floating point: top, left, bottom and right.
/// - roi_indices: Integers, (R): the number of each region's image.
/// - outsize: How many bins: a number, or (rows, columns).
/// - spatial_scale: What the corners of regions are multiplied by; positive (ValueError).
/// - sampling_ratio: How many samples along each axis of a bin: a number, or (down, across); if not
///   given, or 0, as many as the bin has pixels, rounded up.
Variable roi_max_align_2d(const Operand& x, const Operand& rois, const Operand& roi_indices,
                          const PerAxis& outsize, double spatial_scale,
                          const PerAxis& sampling_ratio = {});
/// The earlier form of roi_max_pooling_2d: (R, C, outh, outw). Regions contain the row and the
/// column of the far corner, and a bin outside of x gives 0.
/// - x: (N, C, H, W), floating point.
/// - rois: Regions, (R, 5), floating point: number of the image, left, top, right and bottom.
/// - outh: Rows of bins.
/// - outw: Columns of bins.
/// - spatial_scale: What the corners of regions are multiplied by; positive (ValueError).
Variable roi_pooling_2d(const Operand& x, const Operand& rois, int64_t outh, int64_t outw,
                        double spatial_scale);

/// The mean of each bin, which the functions of means above are made of; `bins` describes their
/// differences.
Variable average_of_regions(const Variable& x, const Variable& regions, const Variable& images,
                            const RegionBins& bins);
/// The largest element of each bin; `empty` for a bin without elements. `of_neighbours` as in
/// runtime/cpu/pooling/roi_kernel.h.
Variable largest_of_regions(const Variable& x, const Variable& regions, const Variable& images,
                            const RegionBins& bins, double empty, bool of_neighbours = false);

}  // namespace catena
