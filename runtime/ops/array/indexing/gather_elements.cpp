#include "runtime/ops/array/indexing/gather_elements.h"

#include <fmt/format.h>

#include "runtime/ops/declare/sort_passes.h"

namespace catena {

namespace {

/// Text for an array `narrow` (x0 or y0) that is read at places, and `wide`, which has the axes of
/// the places in it. The index arrays are the inputs from `first_index` on.
class GatherText {
public:
    GatherText(const KernelCall& call, const char* narrow, const Shape& shape, std::string wide,
               const Shape& whole, int first_index)
        : call_(call),
          narrow_(narrow),
          wide_(std::move(wide)),
          first_index_(first_index),
          shape_(shape),
          axes_(call.attributes.dims("axes")),
          position_(int(call.attributes.integer("position"))) {
        for (int d = 0; d < shape.rank(); ++d)
            if (!axes_.contains(d)) rest_.push_back(d);
        place_rank_ = whole.rank() - rest_.rank();
        for (int j = 0; j < place_rank_; ++j) places_ *= whole[position_ + j];
    }

    int64_t places() const { return places_; }

    /// step0, step1, ...: row-major strides of `narrow`.
    std::string steps() const {
        std::string text;
        for (int d = shape_.rank(); d-- > 0;)
            text += d + 1 == shape_.rank()
                        ? fmt::format("        const i64 step{} = 1;\n", d)
                        : fmt::format("        const i64 step{} = step{} * {}_size[{}];\n", d,
                                      d + 1, narrow_, d + 1);
        return text;
    }

    /// `offset` in `narrow` of the other axes of element `i` of `wide`, and its place `b`.
    std::string split_wide() const {
        std::string text = "        i64 rest = i, offset = 0;\n";
        for (int r = rest_.rank(); r-- > position_;) text += digit(r);
        text += "        const i64 b = rest % places;\n        rest /= places;\n";
        for (int r = position_; r-- > 0;) text += digit(r);
        return text;
    }

    /// Adds to `offset` where place `b` is; `ignored` is set for a place that is none.
    std::string find_place() const {
        std::string text = "        bool ignored = false;\n";
        for (int k = 0; k < axes_.rank(); ++k) {
            const Shape& indices = call_.inputs[size_t(k + first_index_)].shape();
            text +=
                "        {\n            i64 digits = b, at = 0, step = 1; (void)digits, "
                "(void)step;\n";
            for (int j = place_rank_; j-- > 0;) {
                const int own = j - (place_rank_ - indices.rank());
                if (own >= 0 && indices[own] != 1)
                    text += fmt::format(
                        "            at += digits % {0}_size[{1}] * step;\n"
                        "            step *= {0}_size[{1}];\n",
                        wide_, position_ + j);
                text += fmt::format("            digits /= {}_size[{}];\n", wide_, position_ + j);
            }
            text += fmt::format("            const i64 given = i64(p{}[at]);\n", k + first_index_);
            text += call_.attributes.has("ignore_label")
                        ? "            if (given == ignore_label) ignored = true;\n"
                        : "";
            text += fmt::format(
                "            const i64 index = ignored ? -1 : place_in(given, {0}, {1}_size[{0}], "
                "wrap);\n"
                "            if (index < 0) ignored = true;\n"
                "            offset += index * step{0};\n        }}\n",
                axes_[k], narrow_);
        }
        return text;
    }

    /// C code that finds, for element `i` of `narrow`, `key`, its offset along the gathered axes,
    /// and `p` and `s`, what numbers its other axes before and behind the places; `inner` counts
    /// the latter.
    std::string split_narrow() const {
        std::string text = "        i64 digits = i, key = 0, p = 0, s = 0, outer = 1, inner = 1;\n";
        int r = rest_.rank();
        for (int d = shape_.rank(); d-- > 0;) {
            const std::string digit = fmt::format("digits % {}_size[{}]", narrow_, d);
            if (axes_.contains(d)) {
                text += fmt::format("        key += {} * step{};\n", digit, d);
            } else {
                const bool behind = --r >= position_;
                text +=
                    fmt::format("        {0} += {1} * {2};\n        {2} *= {3}_size[{4}];\n",
                                behind ? "s" : "p", digit, behind ? "inner" : "outer", narrow_, d);
            }
            text += fmt::format("        digits /= {}_size[{}];\n", narrow_, d);
        }
        return text;
    }

private:
    std::string digit(int r) const {
        return fmt::format(
            "        offset += rest % {0}_size[{1}] * step{1};\n        rest /= {0}_size[{1}];\n",
            narrow_, rest_[r]);
    }

    const KernelCall& call_;
    const char* narrow_;
    std::string wide_;
    int first_index_;
    Shape shape_;
    Dims axes_, rest_;
    int position_, place_rank_ = 0;
    int64_t places_ = 1;
};

/// Input `added` is added to `base`, a text for element i; the index arrays follow it.
ElementProgram added_elements(const KernelCall& call, Threads threads, int added,
                              const char* base) {
    const Array& from = call.inputs[size_t(added)];
    const GatherText text(call, "y0", call.outputs[0].shape(), fmt::format("x{}", added),
                          from.shape(), added + 1);
    const int64_t places = text.places();
    const Dtype dtype = call.outputs[0].dtype();
    // Sums of stored elements would lose what a half does not keep.
    if (threads == Threads::one && dtype == compute_dtype(dtype) && dtype != Dtype::bool_)
        return {{{fmt::format("        y0(i, {});", base), call.outputs[0].size(), {}},
                 {text.steps() + text.split_wide() + text.find_place() +
                      fmt::format("        if (!ignored) q0[offset] += x{}(i);", added),
                  from.size(),
                  {{"places", places}}}},
                0};
    // Scratch: the offset that each place stands for, the places sorted by it, room for sorting.
    ElementProgram program;
    program.scratch = 4 * places;
    program.passes.push_back({text.steps() + "        const i64 b = i;\n        i64 offset = 0;\n" +
                                  text.find_place() + "        scratch[i] = ignored ? -1 : offset;",
                              places,
                              {}});
    for (ElementPass& pass : sort_passes({.size = places,
                                          .before = "scratch[a] < scratch[b]",
                                          .put = "scratch[size + place] = v;",
                                          .scratch = 2 * places}))
        program.passes.push_back(std::move(pass));
    program.passes.push_back({text.steps() + text.split_narrow() + R"(
        i64 low = 0, high = places;
        while (low < high) {
            const i64 half = (low + high) / 2;
            if (scratch[scratch[places + half]] < key)
                low = half + 1;
            else
                high = half;
        }
        T sum = )" + std::string(base) +
                                  R"(;
        for (; low < places; ++low) {
            const i64 b = scratch[places + low];
            if (scratch[b] != key) break;
            sum += )" + fmt::format("x{}", added) +
                                  R"(((p * places + b) * inner + s);
        }
        y0(i, sum);)",
                              call.outputs[0].size(),
                              {{"places", places}}});
    return program;
}

}  // namespace

ElementProgram gather_elements(const KernelCall& call) {
    const GatherText text(call, "x0", call.inputs[0].shape(), "y0", call.outputs[0].shape(), 1);
    return {{{text.steps() + text.split_wide() + text.find_place() +
                  "        y0(i, ignored ? T(0) : x0(offset));",
              call.outputs[0].size(),
              {{"places", text.places()}}}},
            0};
}

ElementProgram scatter_elements(const KernelCall& call, Threads threads) {
    return added_elements(call, threads, 0, "T(0)");
}
ElementProgram scatter_onto_elements(const KernelCall& call, Threads threads) {
    return added_elements(call, threads, 1, "x0(i)");
}

const char* const take_along_axis_text = R"(
        i64 inner = 1;
        for (int d = int(axis) + 1; d < y0_rank; ++d) inner *= y0_size[d];
        const i64 line = i / inner / y0_size[axis];
        const i64 index = place_in(i64(p1[i]), axis, x0_size[axis], wrap);
        y0(i, index < 0 ? T(0) : x0((line * x0_size[axis] + index) * inner + i % inner));)";

const char* const add_along_axis_text = R"(
        i64 inner = 1;
        for (int d = int(axis) + 1; d < y0_rank; ++d) inner *= y0_size[d];
        const i64 line = i / inner / y0_size[axis], own = i / inner % y0_size[axis], count = x0_size[axis];
        T sum = 0;
        for (i64 k = 0; k < count; ++k) {
            const i64 at = (line * count + k) * inner + i % inner;
            if (place_in(i64(p1[at]), axis, y0_size[axis], wrap) == own) sum += x0(at);
        }
        y0(i, sum);)";

const char* const one_hot_text = R"(
        const i64 own = i % classes;
        y0(i, T(place_in(i64(p0[i / classes]), y0_rank - 1, classes, false) == own));)";

}  // namespace catena
