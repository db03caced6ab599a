#include "runtime/ops/connection/convolution_elements.h"

#include <fmt/format.h>

namespace catena {
namespace {

/// A sum over the channels of x0 that meet this element's and, in each, over the spatial places of
/// x1.
struct WindowSum {
    const char*
        channels;  ///< Which they are; `leading` and `channel` are the element's first two indices.
    const char* each;  ///< The loop over them.
    const char*
        place;  ///< Along axis d in x0, for the element's place at[d] and the place `tap` in x1.
    const char* fits;   ///< Whether x0 has it,
    const char* index;  ///< and which it is there.
    const char* term;   ///< A factor of x0 at `offset` and one of x1 at `window`.
};

std::string text_of(const WindowSum& sum) {
    return fmt::format(R"(
        constexpr int axes = y0_rank - 2;
        i64 at[axes], windows = 1, plane = 1, rest = i;
        for (int d = axes - 1; d >= 0; --d) {{
            at[d] = rest % y0_size[2 + d];
            rest /= y0_size[2 + d];
            windows *= x1_size[2 + d];
            plane *= x0_size[2 + d];
        }}
        const i64 channel = rest % y0_size[1], leading = rest / y0_size[1];
        {}
        T sum = 0;
        for ({})
            for (i64 window = 0; window < windows; ++window) {{
                i64 offset = 0, step = 1, digits = window;
                bool inside = true;
                for (int d = axes - 1; d >= 0; --d) {{
                    const i64 tap = digits % x1_size[2 + d];
                    const i64 place = {};
                    digits /= x1_size[2 + d];
                    inside = inside && place >= 0 && {};
                    offset += {} * step;
                    step *= x0_size[2 + d];
                }}
                if (inside) sum += {};
            }}
        y0(i, sum);)",
                       sum.channels, sum.each, sum.place, sum.fits, sum.index, sum.term);
}

}  // namespace

std::string convolution_elements() {
    return text_of({
        .channels =
            "const i64 inner = x1_size[1], first = channel / (y0_size[1] / groups) * inner;",
        .each = "i64 c = 0; c < inner; ++c",
        .place = "at[d] * stride[d] - pad[d] + tap * dilate[d]",
        .fits = "place < x0_size[2 + d]",
        .index = "place",
        .term = "x0((leading * x0_size[1] + first + c) * plane + offset) * x1((channel * inner + "
                "c) * windows + window)",
    });
}

std::string convolution_data_elements() {
    return text_of({
        .channels = "const i64 inner = x1_size[1], outer = x1_size[0] / groups, c = channel % "
                    "inner, first = channel / inner * outer;",
        .each = "i64 o = first; o < first + outer; ++o",
        .place = "at[d] + pad[d] - tap * dilate[d]",
        .fits = "place % stride[d] == 0 && place / stride[d] < x0_size[2 + d]",
        .index = "place / stride[d]",
        .term = "x0((leading * x0_size[1] + o) * plane + offset) * x1((o * inner + c) * windows + "
                "window)",
    });
}

std::string convolution_weights_elements() {
    return text_of({
        .channels = "const i64 from = leading / (y0_size[0] / groups) * y0_size[1] + channel;",
        .each = "i64 n = 0; n < x0_size[0]; ++n",
        .place = "tap * stride[d] - pad[d] + at[d] * dilate[d]",
        .fits = "place < x0_size[2 + d]",
        .index = "place",
        .term = "x0((n * x0_size[1] + from) * plane + offset) * x1((n * x1_size[1] + leading) * "
                "windows + window)",
    });
}

}  // namespace catena
