#include "codegen/cuda/reduction_text.h"

#include <algorithm>

#include "codegen/cuda/scalar_text.h"

namespace catena::codegen::cuda {

namespace {

constexpr int reduction_warp = 32;

}  // namespace

int ReductionText::shared_words() const {
    if (w.layout.reduce_threads == 1) return 0;
    if (w.lanes_reduced())
        return w.layout.reduce_threads > reduction_warp ? w.layout.threads / reduction_warp : 0;
    return w.layout.threads;
}

std::string ReductionText::combined(int r, const std::string& x, const std::string& y) const {
    return combine_text(value_of(r).combine, value_of(r).type, x, y);
}

void ReductionText::declare(const char* name, int r) {
    const std::string neutral = neutral_text(value_of(r).combine, value_of(r).type);
    std::string all = neutral;
    for (int c = 1; c < copies(r); ++c) all += ", " + neutral;
    w.lines.line("{} {}{}[{}] = {{{}}};", text_of(value_of(r).type), name, r, copies(r), all);
}

void ReductionText::add(const char* accumulator, int r) {
    auto add_copy = [&](const std::string& c) {
        const std::string to = fmt::format("{}{}[{}]", accumulator, r, c);
        w.lines.line("{} = {};", to, combined(r, to, w.name_of(value_of(r).args[0], c)));
    };
    if (copies(r) == 1) return add_copy("0");
    w.open_copies();
    add_copy("c");
    w.lines.close();
}

void ReductionText::add_part(int r) {
    w.lines.open("for (int c = 0; c < {}; ++c) {{", copies(r));
    w.lines.line("total{0}[c] = {1};", r,
                 combined(r, fmt::format("total{}[c]", r), fmt::format("part{}[c]", r)));
    w.lines.close();
}

void ReductionText::finish(int r) { w.lanes_reduced() ? finish_rows(r) : finish_columns(r); }

void ReductionText::finish_columns(int r) {
    if (w.layout.reduce_threads > 1)
        for (int c = 0; c < copies(r); ++c) combine_turns(r, c);
    if (copies(r) > 1)
        w.lines.line("{} (&v{})[{}] = total{};", text_of(value_of(r).type), r, w.layout.vector, r);
    else
        w.lines.line("const {0} v{1} = total{1}[0];", text_of(value_of(r).type), r);
}

void ReductionText::combine_turns(int r, int c) {
    const std::string sum = fmt::format("total{}[{}]", r, c);
    w.lines.open("{{");
    w.lines.line("{0}* const turns = reinterpret_cast<{0}*>(shared);", text_of(value_of(r).type));
    w.lines.line("turns[threadIdx.x] = {};", sum);
    w.lines.line("__syncthreads();");
    w.lines.line("{} = turns[place];", sum);
    w.lines.line(
        "for (int t = 1; t < {}; ++t) {} = {};", w.layout.reduce_threads, sum,
        combined(r, sum, fmt::format("turns[t * {} + place]", w.layout.groups_per_block())));
    w.lines.line("__syncthreads();");
    w.lines.close();
}

void ReductionText::finish_rows(int r) {
    for (int step = 1; step < copies(r); step *= 2)
        for (int at = 0; at + step < copies(r); at += 2 * step)
            w.lines.line("total{0}[{1}] = {2};", r, at,
                         combined(r, fmt::format("total{}[{}]", r, at),
                                  fmt::format("total{}[{}]", r, at + step)));
    w.lines.line("{0} v{1} = total{1}[0];", text_of(value_of(r).type), r);
    const std::string v = fmt::format("v{}", r);
    for (int offset = std::min(w.layout.reduce_threads, reduction_warp) / 2; offset > 0;
         offset /= 2)
        w.lines.line(
            "{0} = {1};", v,
            combined(r, v, fmt::format("__shfl_xor_sync(0xffffffffu, {}, {})", v, offset)));
    if (w.layout.reduce_threads > reduction_warp) combine_warps(r);
}

void ReductionText::combine_warps(int r) {
    const std::string v = fmt::format("v{}", r);
    w.lines.open("{{");
    w.lines.line("{0}* const warps = reinterpret_cast<{0}*>(shared);", text_of(value_of(r).type));
    w.lines.line("if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = {};", v);
    w.lines.line("__syncthreads();");
    w.lines.line("{} = warps[0];", v);
    w.lines.line("for (int w = 1; w < {}; ++w) {} = {};", w.layout.threads / reduction_warp, v,
                 combined(r, v, "warps[w]"));
    w.lines.line("__syncthreads();");
    w.lines.close();
}

}  // namespace catena::codegen::cuda
