#include "codegen/cuda/emit_kernel.h"

#include <algorithm>

#include "codegen/cuda/reduction_text.h"
#include "codegen/cuda/scalar_text.h"
#include "codegen/cuda/value_text.h"

namespace catena::codegen::cuda {

namespace {

/// The loops of a kernel: over groups, and in each, for every stage, over the steps of what is
/// reduced.
class Emitter {
public:
    Emitter(const Kernel& kernel, const Layout& layout)
        : w_(kernel, layout),
          lines_(w_.lines),
          values_(w_),
          reductions_(w_),
          kernel_(kernel),
          layout_(layout),
          inner_(kernel.inner()) {
        for (int dim = 0; dim <= inner_; ++dim)
            (kernel.is_reduced(dim) ? reduced_dims_ : kept_dims_).push_back(dim);
    }

    KernelText emit() {
        read_arguments();
        values_.write(Level::thread, [](int) { return true; });
        begin_groups();
        emit_stages();
        lines_.close();  // groups
        return {fmt::format("(const __grid_constant__ Arguments<{}, {}> a) {{\n{}}}\n",
                            std::max(kernel_.operand_count(), 1), w_.numbers, lines_.text()),
                std::move(w_.math)};
    }

private:
    //---- arguments

    void read_arguments() {
        lines_.line("typedef {} index;", layout_.wide_index ? "i64" : "int");
        for (int dim = 0; dim <= inner_; ++dim)
            lines_.line("const index n{} = index(a.number[{}]);", dim, w_.numbers++);
        lines_.line("const index split_size = index(a.number[{}]);", w_.numbers++);
        for (int o = 0; o < kernel_.operand_count(); ++o) read_operand(o);
        if (kernel_.split < 0) lines_.line("(void)split_size;");
        if (!layout_.scalars_by_value) return;
        w_.first_scalar = w_.numbers;
        w_.numbers += kernel_.scalar_count;
    }

    void read_operand(int o) {
        const bool input = o < int(kernel_.inputs.size());
        lines_.line("{0}{1}* const p{2} = static_cast<{0}{1}*>(a.pointer[{2}]);",
                    input ? "const " : "", storage_text(kernel_.operand(o).dtype), o);
        for (int dim = 0; dim <= inner_; ++dim)
            if (w_.stride(o, dim) == StrideClass::general)
                lines_.line("const index s{}_{} = index(a.number[{}]);", o, dim, w_.numbers++);
    }

    //---- indices

    /// Names the indices of `dims`, whose sizes are `size(dim)`, from the linear `step`.
    template <class Size>
    void name_indices(const std::vector<int>& dims, const std::string& step, Size size) {
        std::string rest = step;
        for (size_t i = dims.size(); i-- > 0;) {
            const int dim = dims[i];
            const std::string value = i == 0 ? rest : fmt::format("{} % {}", rest, size(dim));
            if (dim == inner_ && layout_.vector > 1)
                lines_.line("const index i{} = {} * ({});", dim, layout_.vector, value);
            else
                lines_.line("const index i{} = {};", dim, value);
            if (i == 0) continue;
            const std::string next = fmt::format("{}_{}", step, dim);
            lines_.line("const index {} = {} / {};", next, rest, size(dim));
            rest = next;
        }
    }

    /// Offsets of operands at the indices named by now; those of groups are part of those of steps.
    void name_offsets(Level level) {
        const bool step = level == Level::step;
        for (int o = 0; o < kernel_.operand_count(); ++o) {
            std::string sum = step ? fmt::format("o{}", o) : "0";
            for (int dim : step ? reduced_dims_ : kept_dims_) {
                if (w_.stride(o, dim) == StrideClass::one) sum += fmt::format(" + i{}", dim);
                if (w_.stride(o, dim) == StrideClass::general)
                    sum += fmt::format(" + i{} * s{}_{}", dim, o, dim);
            }
            if (!step || w_.level_of_operand(o) == Level::step)
                lines_.line("const index {}{} = {};", step ? "q" : "o", o, sum);
        }
    }

    std::string size_of_step(int dim) const {
        return fmt::format("{}{}", dim == kernel_.split ? "m" : "n", dim);
    }

    //---- groups

    void begin_groups() {
        std::string groups = kept_dims_.empty() ? "1" : "";
        for (int dim : kept_dims_) groups += fmt::format("{}n{}", groups.empty() ? "" : " * ", dim);
        lines_.line("const index groups = {};", groups);
        if (w_.reduces())
            begin_shared_groups();
        else
            lines_.open(
                "for (index group = index(blockIdx.x) * {0} + index(threadIdx.x); group < groups; "
                "group += index(gridDim.x) * {0}) {{",
                layout_.groups_per_block());
        if (!kept_dims_.empty())
            name_indices(kept_dims_, "group", [](int dim) { return fmt::format("n{}", dim); });
        name_offsets(Level::group);
        if (w_.reduces()) count_steps();
    }

    /// Begins groups that several threads share: a thread takes its `turn` at the group's steps.
    void begin_shared_groups() {
        const int per_block = layout_.groups_per_block(),
                  each = w_.lanes_reduced() ? layout_.reduce_threads : per_block;
        lines_.line("const int turn = int(threadIdx.x) {} {};", w_.lanes_reduced() ? "%" : "/",
                    each);
        lines_.line("const int place = int(threadIdx.x) {} {};", w_.lanes_reduced() ? "/" : "%",
                    each);
        lines_.line("(void)turn;");
        if (const int words = reductions_.shared_words(); words > 0)
            lines_.line("__shared__ u64 shared[{}];", words);
        lines_.open(
            "for (index first = index(blockIdx.x) * {0}; first < groups; first += "
            "index(gridDim.x) * {0}) {{",
            per_block);
        lines_.line("const bool live = first + place < groups;");
        lines_.line("const index group = live ? first + place : 0;");
    }

    void count_steps() {
        std::string steps;
        for (int dim : reduced_dims_) {
            if (dim == kernel_.split) {
                // The index of the block, in dimension 0.
                lines_.line("const index left = split_size - i0 * n{};", dim);
                lines_.line("const index m{0} = left < n{0} ? left : n{0};", dim);
            }
            steps += (steps.empty() ? "" : " * ") + size_of_step(dim);
        }
        lines_.line("const index steps = live ? {} : 0;", steps);
    }

    //---- stages

    void emit_stages() {
        write_group_values(0);
        bool any_full = false;
        for (int stage = 0; stage <= w_.depends.last_stage(); ++stage) {
            if (stage > 0) write_group_values(stage);
            const std::vector<int> reductions = w_.depends.reductions_of(stage),
                                   full = w_.depends.full_outputs_of(stage);
            if (!reductions.empty() || !full.empty()) emit_loop(stage, reductions, full);
            any_full = any_full || !full.empty();
        }
        std::vector<int> kept;
        for (int o = 0; o < int(kernel_.outputs.size()); ++o)
            if (!w_.depends.is_full_output(o)) kept.push_back(o);
        if (kept.empty()) return;
        if (!w_.reduces()) return values_.store(kept, "o");
        // A kept output may lie where the group's threads have just read.
        if (any_full && layout_.reduce_threads > 1) lines_.line("__syncthreads();");
        lines_.open("if (live && turn == 0) {{");
        values_.store(kept, "o");
        lines_.close();
    }

    void write_group_values(int stage) {
        values_.write(Level::group, [&](int v) { return w_.depends.stage(v) == stage; });
    }

    void emit_loop(int stage, const std::vector<int>& reductions, const std::vector<int>& full) {
        const bool chains = layout_.chains && !reductions.empty();
        const int turns = layout_.reduce_threads;
        for (int r : reductions) reductions_.declare("total", r);
        if (chains) {
            lines_.open("for (index chain = turn; chain < steps; chain += {}) {{", 64 * turns);
            for (int r : reductions) reductions_.declare("part", r);
            lines_.line("const index end = steps - chain < {0} ? steps : chain + {0};", 64 * turns);
            lines_.open("for (index step = chain; step < end; step += {}) {{", turns);
        } else {
            lines_.open("for (index step = turn; step < steps; step += {}) {{", turns);
        }
        emit_step(stage, reductions, full, chains ? "part" : "total");
        lines_.close();
        if (chains) {
            for (int r : reductions) reductions_.add_part(r);
            lines_.close();
        }
        for (int r : reductions) reductions_.finish(r);
    }

    void emit_step(int stage, const std::vector<int>& reductions, const std::vector<int>& full,
                   const char* accumulator) {
        name_indices(reduced_dims_, "step", [this](int dim) { return size_of_step(dim); });
        name_offsets(Level::step);
        const std::vector<bool> needed =
            w_.depends.needed_by(stage, std::vector<bool>(kernel_.values.size(), false));
        values_.write(Level::step, [&](int v) { return bool(needed[size_t(v)]); });
        for (int r : reductions) reductions_.add(accumulator, r);
        values_.store(full, "q");
    }

    KernelWriting w_;
    Lines& lines_;
    ValueText values_;
    ReductionText reductions_;
    const Kernel& kernel_;
    const Layout& layout_;
    int inner_;
    std::vector<int> kept_dims_, reduced_dims_;
};

}  // namespace

KernelText emit_kernel(const Kernel& kernel, const Layout& layout) {
    if (kernel.reduced != 0) return Emitter(kernel, layout).emit();
    Kernel map = kernel;  // In which a reduction is of a single element.
    for (KernelValue& value : map.values)
        if (value.kind == KernelValue::Kind::reduction) become_element(value);
    return Emitter(map, layout).emit();
}

std::string kernel_text(const std::string& name, const KernelText& text, const Layout& layout) {
    return fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}{}\n", layout.threads,
                       name, text.body);
}

}  // namespace catena::codegen::cuda
