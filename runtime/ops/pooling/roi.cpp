#include "runtime/ops/pooling/roi.h"

#include <cmath>
#include <limits>

#include "runtime/core/system/error.h"
#include "runtime/cpu/pooling/roi_kernel.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/define/constant.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

// Means are linear in x, so the mean and its adjoint are each other's gradients. A largest element
// is found by its places and weights, which are not differentiated; x is read there by gathers.

std::vector<Attributes::Entry> entries_of(const RegionBins& b) {
    return {{"rows", b.rows},
            {"columns", b.columns},
            {"scale", b.scale},
            {"aligned", b.aligned},
            {"shift", b.shift},
            {"at_least_one", b.at_least_one},
            {"sample_rows", b.sample_rows},
            {"sample_columns", b.sample_columns},
            {"with_far_edge", b.with_far_edge}};
}

RegionBins bins_of(const Attributes& a) {
    return {.rows = a.integer("rows"),
            .columns = a.integer("columns"),
            .scale = a.number("scale"),
            .aligned = a.flag("aligned"),
            .shift = a.number("shift"),
            .at_least_one = a.flag("at_least_one"),
            .sample_rows = a.integer("sample_rows"),
            .sample_columns = a.integer("sample_columns"),
            .with_far_edge = a.flag("with_far_edge")};
}

Attributes with_size(const Attributes& a, const Shape& size) {
    std::vector<Attributes::Entry> entries = entries_of(bins_of(a));
    entries.push_back({"size", size});
    return Attributes(std::move(entries));
}

const char* op_name(const OpDef& op) { return op.name.c_str(); }

/// Checks the operands of a call; `x` is its first one, or what that belongs to.
void check(const TypeCall& c, const Shape& x) {
    const Type &regions = c.inputs[1], &images = c.inputs[2];
    if (!is_float(c.inputs[0].dtype) || !is_float(regions.dtype) || is_float(images.dtype) ||
        images.dtype == Dtype::bool_)
        fail<DtypeError>(
            "{}: x and the regions should be floating point, their images integers; they are {}, "
            "{} and {}",
            c.op.name, to_string(c.inputs[0]), to_string(regions), to_string(images));
    if (x.rank() != 4 || x[2] < 1 || x[3] < 1)
        fail<ShapeError>("{}: x should be [N, C, H, W] with pixels, it is {}", c.op.name,
                         to_string(x));
    if (regions.shape.rank() != 2 || regions.shape[1] != 4 ||
        images.shape != Shape{regions.shape[0]})
        fail<ShapeError>("{}: regions should be [R, 4] and their images [R], they are {} and {}",
                         c.op.name, to_string(regions.shape), to_string(images.shape));
    const RegionBins bins = bins_of(c.attributes);
    CATENA_ASSERT(
        bins.rows >= 1 && bins.columns >= 1 && bins.sample_rows >= 0 && bins.sample_columns >= 0,
        "regions have bins");
}

Shape binned(const TypeCall& c, int64_t channels) {
    return {c.inputs[1].shape[0], channels, c.attributes.integer("rows"),
            c.attributes.integer("columns")};
}

Variable call_with(const OpDef& op, const Attributes& a, const Variable& x, const GradientCall& g) {
    return call(op, known_location(), a, {}, x, g.x(1), g.x(2));
}
Reads reads_regions(int input, int) { return {.inputs = input == 0 ? 0b110u : 0u}; }

extern const OpDef& op_average;
extern const OpDef& op_spread;

constexpr const char* reason =
    "bins of regions differ in size, which the host computes from the regions";

const OpDef& op_average = register_op({
    .name = "average_of_regions",
    .input_count = 3,
    .differentiable = true,
    .type =
        [](const TypeCall& c) {
            check(c, c.inputs[0].shape);
            return Types{{c.inputs[0].dtype, binned(c, c.inputs[0].shape[1])}};
        },
    .kernel =
        [](const KernelCall& c) {
            average_regions(op_name(c.op), c.inputs[0].as_contiguous(), c.inputs[1], c.inputs[2],
                            bins_of(c.attributes), c.outputs[0]);
        },
    .gradient =
        [](const GradientCall& g) {
            Variables gx(3);
            if (g.needs(0))
                gx[0] =
                    call_with(op_spread, with_size(g.attributes(), g.x_type(0).shape), g.gy(), g);
            return gx;
        },
    .reads = reads_regions,
    .checks_values = true,
    .declared = {host_only(reason)},
});

const OpDef& op_spread = register_op({
    .name = "spread_over_regions",
    .input_count = 3,
    .differentiable = true,
    .type =
        [](const TypeCall& c) {
            const Shape& x = c.attributes.dims("size");
            check(c, x);
            if (c.inputs[0].shape != binned(c, x[1]))
                fail<ShapeError>("{}: gy should be {}, it is {}", c.op.name,
                                 to_string(binned(c, x[1])), to_string(c.inputs[0].shape));
            return Types{{c.inputs[0].dtype, x}};
        },
    .kernel =
        [](const KernelCall& c) {
            spread_regions(op_name(c.op), c.inputs[0].as_contiguous(), c.inputs[1], c.inputs[2],
                           bins_of(c.attributes), c.outputs[0]);
        },
    .gradient =
        [](const GradientCall& g) {
            Variables gx(3);
            if (g.needs(0))
                gx[0] = call_with(op_average, Attributes(entries_of(bins_of(g.attributes()))),
                                  g.gy(), g);
            return gx;
        },
    .reads = reads_regions,
    .checks_values = true,
    .declared = {host_only(reason)},
});

const OpDef& op_largest = register_op({
    .name = "largest_of_regions",
    .input_count = 3,
    .output_count = 2,
    .type =
        [](const TypeCall& c) {
            check(c, c.inputs[0].shape);
            const bool samples =
                c.attributes.flag("aligned") && !c.attributes.flag("of_neighbours");
            Shape shape{samples ? 4 : 1};
            for (int64_t size : binned(c, c.inputs[0].shape[1])) shape.push_back(size);
            return Types{{Dtype::int64, shape}, {c.inputs[0].dtype, shape}};
        },
    .kernel =
        [](const KernelCall& c) {
            largest_in_regions(op_name(c.op), c.inputs[0].as_contiguous(), c.inputs[1], c.inputs[2],
                               bins_of(c.attributes), c.attributes.flag("of_neighbours"),
                               c.outputs[0], c.outputs[1]);
        },
    .checks_values = true,
    .declared = {host_only(reason)},
});

/// One number or two that are positive.
Dims checked(const char* op, const char* what, const Dims& sizes, int64_t least) {
    return per_axis(op, what, sizes, 2, least);
}

RegionBins bins_for(const char* op, const PerAxis& outsize, double scale) {
    const Dims sizes = checked(op, "outsize", outsize, 1);
    if (!(scale > 0) || !std::isfinite(scale))
        fail<ValueError>("{}: spatial_scale is {}, it should be positive", op, scale);
    return {.rows = sizes[0], .columns = sizes[1], .scale = scale};
}

RegionBins aligned_bins(const char* op, const PerAxis& outsize, double scale,
                        const PerAxis& ratio) {
    RegionBins bins = bins_for(op, outsize, scale);
    const Dims samples = checked(op, "sampling_ratio", ratio.empty() ? Dims{0} : Dims(ratio), 0);
    bins.aligned = true;
    bins.sample_rows = samples[0];
    bins.sample_columns = samples[1];
    return bins;
}

constexpr double none = -std::numeric_limits<double>::infinity();

template <class F>
const FunctionDef& roi_function(const std::string& name, const F& f) {
    return function(name + "(x, rois, roi_indices, outsize, spatial_scale)",
                    {"x", "rois", "roi_indices"}, [f](const FunctionArguments& a) {
                        return f(a.array("x"), a.array("rois"), a.array("roi_indices"),
                                 a.dims("outsize"), a.number("spatial_scale"));
                    });
}
template <class F>
const FunctionDef& align_function(const std::string& name, const F& f) {
    return function(name + "(x, rois, roi_indices, outsize, spatial_scale, sampling_ratio=None)",
                    {"x", "rois", "roi_indices"}, [f](const FunctionArguments& a) {
                        return f(a.array("x"), a.array("rois"), a.array("roi_indices"),
                                 a.dims("outsize"), a.number("spatial_scale"),
                                 a.dims("sampling_ratio"));
                    });
}
const FunctionDef& f_max_pooling = roi_function("roi_max_pooling_2d", roi_max_pooling_2d);
const FunctionDef& f_average_pooling =
    roi_function("roi_average_pooling_2d", roi_average_pooling_2d);
const FunctionDef& f_max_align = align_function("roi_max_align_2d", roi_max_align_2d);
const FunctionDef& f_average_align = align_function("roi_average_align_2d", roi_average_align_2d);
const FunctionDef& f_pooling =
    function("roi_pooling_2d(x, rois, outh, outw, spatial_scale)", {"x", "rois"},
             [](const FunctionArguments& a) {
                 return roi_pooling_2d(a.array("x"), a.array("rois"), a.integer("outh"),
                                       a.integer("outw"), a.number("spatial_scale"));
             });

}  // namespace

Variable average_of_regions(const Variable& x, const Variable& regions, const Variable& images,
                            const RegionBins& bins) {
    return call(op_average, known_location(), Attributes(entries_of(bins)), {}, x, regions, images);
}

Variable largest_of_regions(const Variable& x, const Variable& regions, const Variable& images,
                            const RegionBins& bins, double empty, bool of_neighbours) {
    std::vector<Attributes::Entry> entries = entries_of(bins);
    entries.push_back({"of_neighbours", of_neighbours});
    const Variable* inputs[] = {&x, &regions, &images};
    const Variables found =
        apply(op_largest, inputs, known_location(), Attributes(std::move(entries)));
    const Variable &places = found[0], &weights = found[1];
    const Variable read = take(reshape(x, {-1}), places, 0);
    const Variable y = sum(where(weights > 0, read * weights, 0), {0});
    return where(sum(weights, {0}) > 0, y, empty);
}

Variable roi_max_pooling_2d(const Operand& x, const Operand& rois, const Operand& roi_indices,
                            const PerAxis& outsize, double spatial_scale) {
    LocationScope scope(x.location());
    return largest_of_regions(x, rois, roi_indices,
                              bins_for("roi_max_pooling_2d", outsize, spatial_scale), none);
}

Variable roi_average_pooling_2d(const Operand& x, const Operand& rois, const Operand& roi_indices,
                                const PerAxis& outsize, double spatial_scale) {
    LocationScope scope(x.location());
    return average_of_regions(x, rois, roi_indices,
                              bins_for("roi_average_pooling_2d", outsize, spatial_scale));
}

Variable roi_average_align_2d(const Operand& x, const Operand& rois, const Operand& roi_indices,
                              const PerAxis& outsize, double spatial_scale,
                              const PerAxis& sampling_ratio) {
    LocationScope scope(x.location());
    return average_of_regions(
        x, rois, roi_indices,
        aligned_bins("roi_average_align_2d", outsize, spatial_scale, sampling_ratio));
}

Variable roi_max_align_2d(const Operand& x, const Operand& rois, const Operand& roi_indices,
                          const PerAxis& outsize, double spatial_scale,
                          const PerAxis& sampling_ratio) {
    LocationScope scope(x.location());
    return largest_of_regions(
        x, rois, roi_indices,
        aligned_bins("roi_max_align_2d", outsize, spatial_scale, sampling_ratio), none);
}

Variable roi_pooling_2d(const Operand& x, const Operand& rois, int64_t outh, int64_t outw,
                        double spatial_scale) {
    LocationScope scope(x.location());
    const Variable& regions = rois;
    RegionBins bins = bins_for("roi_pooling_2d", {outh, outw}, spatial_scale);
    bins.with_far_edge = true;
    if (regions.rank() != 2 || regions.shape()[1] != 5)
        fail<ShapeError>("roi_pooling_2d: rois should be [R, 5], they are {}",
                         to_string(regions.type()));
    const Variable images = cast(reshape(slice_axis(regions, 1, 0, 1), {-1}), Dtype::int64);
    const Variable order = constant(std::vector<int64_t>{2, 1, 4, 3}, Shape{4}, regions);
    return largest_of_regions(x, take(regions, order, 1), images, bins, 0);
}

}  // namespace catena
