#include "codegen/cuda/emit_kernel.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/cuda/scalar_text.h"
#include "codegen/kernel/dependence.h"
#include "runtime/core/error.h"

namespace catena::codegen::cuda {

namespace {

using Kind = KernelValue::Kind;

/// Where a value is computed: once in a thread, once for each group (a result, or a step of a map),
/// or at every step of what is reduced.
enum class Level : uint8_t { thread, group, step };

class Emitter {
public:
    Emitter(const Kernel& kernel, const Layout& layout)
        : kernel_(kernel), layout_(layout), depends_(kernel), inner_(kernel.inner()) {}

    KernelText emit() {
        read_arguments();
        emit_values(Level::thread, [](int) { return true; });
        begin_groups();
        emit_stages();
        close();  // groups
        return {fmt::format("(const __grid_constant__ Arguments<{}, {}> a) {{\n{}}}\n",
                            std::max(operand_count(), 1), numbers_, text_),
                std::move(math_)};
    }

private:
    //---- text

    template <class... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        text_.append(size_t(indent_) * 4, ' ');
        text_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
    }
    template <class... Args>
    void open(fmt::format_string<Args...> format, Args&&... args) {
        line(format, std::forward<Args>(args)...);
        ++indent_;
    }
    void close() {
        --indent_;
        line("}}");
    }

    //---- analysis

    int operand_count() const { return kernel_.operand_count(); }
    const KernelOperand& operand(int o) const { return kernel_.operand(o); }
    Stride stride(int o, int dim) const { return stride_of(kernel_, operand(o), dim); }
    bool varies_inner(int o) const { return stride(o, inner_) != Stride::zero; }
    bool reduces() const { return kernel_.reduced != 0; }
    bool lanes_reduced() const { return layout_.kind == Layout::Kind::rows; }

    Level level_of(uint32_t dims, int stage) const {
        if (dims & kernel_.reduced) return Level::step;
        return dims != 0 || stage > 0 ? Level::group : Level::thread;
    }
    Level level_of_value(int v) const { return level_of(depends_.dims(v), depends_.stage(v)); }
    Level level_of_operand(int o) const { return level_of(Dependence::dims_of(operand(o)), 0); }

    //---- arguments

    void read_arguments() {
        line("typedef {} index;", layout_.wide_index ? "i64" : "int");
        for (int dim = 0; dim <= inner_; ++dim)
            line("const index n{} = index(a.number[{}]);", dim, numbers_++);
        line("const index split_size = index(a.number[{}]);", numbers_++);
        for (int o = 0; o < operand_count(); ++o) {
            const bool input = o < int(kernel_.inputs.size());
            line("{0}{1}* const p{2} = static_cast<{0}{1}*>(a.pointer[{2}]);",
                 input ? "const " : "", storage_text(operand(o).dtype), o);
            for (int dim = 0; dim <= inner_; ++dim)
                if (stride(o, dim) == Stride::general)
                    line("const index s{}_{} = index(a.number[{}]);", o, dim, numbers_++);
        }
        if (kernel_.split < 0) line("(void)split_size;");
        if (!layout_.scalars_by_value) return;
        first_scalar_ = numbers_;
        numbers_ += kernel_.scalar_count;
    }

    //---- loops

    /// Names the indices of `dims`, whose sizes are `size(dim)`, from the linear `step`.
    template <class Size>
    void name_indices(const std::vector<int>& dims, const std::string& step, Size size) {
        std::string rest = step;
        for (size_t i = dims.size(); i-- > 0;) {
            const int dim = dims[i];
            std::string value = i == 0 ? rest : fmt::format("{} % {}", rest, size(dim));
            line("const index i{} = {}{};", dim,
                 dim == inner_ && layout_.vector > 1 ? fmt::format("{} * ", layout_.vector) : "",
                 dim == inner_ && layout_.vector > 1 ? "(" + value + ")" : value);
            if (i > 0) {
                std::string next = fmt::format("{}_{}", step, dim);
                line("const index {} = {} / {};", next, rest, size(dim));
                rest = next;
            }
        }
    }

    /// Offsets of operands at the indices named by now; those of groups are part of those of steps.
    void name_offsets(Level level) {
        for (int o = 0; o < operand_count(); ++o) {
            std::string sum = level == Level::step ? fmt::format("o{}", o) : "0";
            for (int dim = 0; dim <= inner_; ++dim) {
                if ((level == Level::step) != kernel_.is_reduced(dim)) continue;
                if (stride(o, dim) == Stride::one) sum += fmt::format(" + i{}", dim);
                if (stride(o, dim) == Stride::general)
                    sum += fmt::format(" + i{} * s{}_{}", dim, o, dim);
            }
            if (level == Level::group || level_of_operand(o) == Level::step)
                line("const index {}{} = {};", level == Level::step ? "q" : "o", o, sum);
        }
    }

    void begin_groups() {
        std::vector<int> kept;
        std::string groups = "1";
        for (int dim = 0; dim <= inner_; ++dim)
            if (!kernel_.is_reduced(dim)) {
                kept.push_back(dim);
                groups = kept.size() == 1 ? fmt::format("n{}", dim)
                                          : groups + fmt::format(" * n{}", dim);
            }
        line("const index groups = {};", groups);
        const int per_block = layout_.groups_per_block();
        if (reduces()) {
            line("const int turn = int(threadIdx.x) {} {};", lanes_reduced() ? "%" : "/",
                 lanes_reduced() ? layout_.reduce_threads : per_block);
            line("const int place = int(threadIdx.x) {} {};", lanes_reduced() ? "/" : "%",
                 lanes_reduced() ? layout_.reduce_threads : per_block);
            line("(void)turn;");
            if (shared_values() > 0) line("__shared__ u64 shared[{}];", shared_values());
            open(
                "for (index first = index(blockIdx.x) * {0}; first < groups; first += "
                "index(gridDim.x) * {0}) {{",
                per_block);
            line("const bool live = first + place < groups;");
            line("const index group = live ? first + place : 0;");
        } else {
            open(
                "for (index group = index(blockIdx.x) * {0} + index(threadIdx.x); group < groups; "
                "group += index(gridDim.x) * {0}) {{",
                per_block);
        }
        if (!kept.empty())
            name_indices(kept, "group", [](int dim) { return fmt::format("n{}", dim); });
        name_offsets(Level::group);
        if (!reduces()) return;
        std::string steps = "1";
        for (int dim = 0; dim <= inner_; ++dim) {
            if (!kernel_.is_reduced(dim)) continue;
            if (dim == kernel_.split) {
                // The index of the block, in dimension 0.
                line("const index left = split_size - i0 * n{};", dim);
                line("const index m{0} = left < n{0} ? left : n{0};", dim);
            }
            steps = (steps == "1" ? "" : steps + " * ") + size_of_step(dim);
        }
        line("const index steps = live ? {} : 0;", steps);
    }

    std::string size_of_step(int dim) const {
        return fmt::format("{}{}", dim == kernel_.split ? "m" : "n", dim);
    }

    template <class Body>
    void loop_over_steps(Body body) {
        std::vector<int> dims;
        for (int dim = 0; dim <= inner_; ++dim)
            if (kernel_.is_reduced(dim)) dims.push_back(dim);
        name_indices(dims, "step", [this](int dim) { return size_of_step(dim); });
        name_offsets(Level::step);
        body();
    }

    //---- stages

    void emit_stages() {
        emit_group_values(0);
        bool any_full = false;
        for (int stage = 0; stage <= depends_.last_stage(); ++stage) {
            if (stage > 0) emit_group_values(stage);
            const std::vector<int> reductions = depends_.reductions_of(stage), full = depends_.full_outputs_of(stage);
            if (!reductions.empty() || !full.empty()) emit_loop(stage, reductions, full);
            any_full = any_full || !full.empty();
        }
        std::vector<int> kept;
        for (size_t o = 0; o < kernel_.outputs.size(); ++o)
            if (!depends_.is_full_output(int(o))) kept.push_back(int(o));
        if (kept.empty()) return;
        if (!reduces()) return store_outputs(kept, "o");
        // A kept output may lie where the group's threads have just read.
        if (any_full && layout_.reduce_threads > 1) line("__syncthreads();");
        open("if (live && turn == 0) {{");
        store_outputs(kept, "o");
        close();
    }

    void emit_group_values(int stage) {
        emit_values(Level::group, [&](int v) { return depends_.stage(v) == stage; });
    }

    int copies(int reduction) const {
        return lanes_reduced() || depends_.varying(reduction) ? layout_.vector : 1;
    }

    void emit_loop(int stage, const std::vector<int>& reductions, const std::vector<int>& full) {
        const bool chains = layout_.chains && !reductions.empty();
        const int turns = layout_.reduce_threads;
        for (int r : reductions) declare_accumulator("total", r);
        if (chains) {
            open("for (index chain = turn; chain < steps; chain += {}) {{", 64 * turns);
            for (int r : reductions) declare_accumulator("part", r);
            line("const index end = steps - chain < {0} ? steps : chain + {0};", 64 * turns);
            open("for (index step = chain; step < end; step += {}) {{", turns);
        } else {
            open("for (index step = turn; step < steps; step += {}) {{", turns);
        }
        loop_over_steps([&] { emit_step(stage, reductions, full, chains ? "part" : "total"); });
        close();
        if (chains) {
            for (int r : reductions) {
                open("for (int c = 0; c < {}; ++c) {{", copies(r));
                const KernelValue& value = kernel_.values[size_t(r)];
                line("total{0}[c] = {1};", r,
                     combine_text(value.combine, value.type, fmt::format("total{}[c]", r),
                                  fmt::format("part{}[c]", r)));
                close();
            }
            close();
        }
        for (int r : reductions) finish_reduction(r);
    }

    void declare_accumulator(const char* name, int r) {
        const KernelValue& value = kernel_.values[size_t(r)];
        std::string neutral = neutral_text(value.combine, value.type);
        std::string all = neutral;
        for (int c = 1; c < copies(r); ++c) all += ", " + neutral;
        line("{} {}{}[{}] = {{{}}};", text_of(value.type), name, r, copies(r), all);
    }

    void emit_step(int stage, const std::vector<int>& reductions, const std::vector<int>& full, const char* accumulator) {
        const std::vector<bool> needed = depends_.needed_by(stage, std::vector<bool>(kernel_.values.size(), false));
        emit_values(Level::step, [&](int v) { return bool(needed[size_t(v)]); });
        for (int r : reductions) {
            const KernelValue& value = kernel_.values[size_t(r)];
            const int arg = value.args[0];
            auto add = [&](const std::string& c) {
                std::string to = fmt::format("{}{}[{}]", accumulator, r, c);
                line("{} = {};", to, combine_text(value.combine, value.type, to, name_of(arg, c)));
            };
            if (copies(r) == 1) {
                add("0");
            } else {
                open_copies();
                add("c");
                close();
            }
        }
        store_outputs(full, "q");
    }

    /// Bytes of shared memory, in words of eight.
    int shared_values() const {
        if (layout_.reduce_threads == 1) return 0;
        if (lanes_reduced()) return layout_.reduce_threads > 32 ? layout_.threads / 32 : 0;
        return layout_.threads;
    }

    /// The group's threads put together what each has, always in the same order.
    void finish_reduction(int r) {
        const KernelValue& value = kernel_.values[size_t(r)];
        auto combine = [&](const std::string& x, const std::string& y) {
            return combine_text(value.combine, value.type, x, y);
        };
        if (!lanes_reduced()) {
            if (layout_.reduce_threads > 1)
                for (int c = 0; c < copies(r); ++c) combine_columns(r, c);
            if (copies(r) > 1) {
                line("{} (&v{})[{}] = total{};", text_of(value.type), r, layout_.vector, r);
            } else {
                line("const {0} v{1} = total{1}[0];", text_of(value.type), r);
            }
            return;
        }
        for (int step = 1; step < copies(r); step *= 2)
            for (int at = 0; at + step < copies(r); at += 2 * step)
                line("total{0}[{1}] = {2};", r, at,
                     combine(fmt::format("total{}[{}]", r, at),
                             fmt::format("total{}[{}]", r, at + step)));
        line("{0} v{1} = total{1}[0];", text_of(value.type), r);
        const std::string v = fmt::format("v{}", r);
        for (int offset = std::min(layout_.reduce_threads, 32) / 2; offset > 0; offset /= 2)
            line("{0} = {1};", v,
                 combine(v, fmt::format("__shfl_xor_sync(0xffffffffu, {}, {})", v, offset)));
        if (layout_.reduce_threads <= 32) return;
        open("{{");
        line("{0}* const warps = reinterpret_cast<{0}*>(shared);", text_of(value.type));
        line("if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = {};", v);
        line("__syncthreads();");
        line("{} = warps[0];", v);
        line("for (int w = 1; w < {}; ++w) {} = {};", layout_.threads / 32, v,
             combine(v, "warps[w]"));
        line("__syncthreads();");
        close();
    }

    void combine_columns(int r, int c) {
        const KernelValue& value = kernel_.values[size_t(r)];
        const std::string sum = fmt::format("total{}[{}]", r, c);
        open("{{");
        line("{0}* const turns = reinterpret_cast<{0}*>(shared);", text_of(value.type));
        line("turns[threadIdx.x] = {};", sum);
        line("__syncthreads();");
        line("{} = turns[place];", sum);
        line("for (int t = 1; t < {}; ++t) {} = {};", layout_.reduce_threads, sum,
             combine_text(value.combine, value.type, sum,
                          fmt::format("turns[t * {} + place]", layout_.groups_per_block())));
        line("__syncthreads();");
        close();
    }

    //---- values

    bool in_copies(int v) const { return depends_.varying(v) && layout_.vector > 1; }
    std::string name_of(int v, const std::string& c) const {
        return in_copies(v) ? fmt::format("v{}[{}]", v, c) : fmt::format("v{}", v);
    }
    void open_copies() {
        line("#pragma unroll");
        open("for (int c = 0; c < {}; ++c) {{", layout_.vector);
    }

    template <class Wanted>
    void emit_values(Level level, Wanted wanted) {
        std::vector<int> copied;
        for (size_t v = 0; v < kernel_.values.size(); ++v) {
            const KernelValue& value = kernel_.values[v];
            if (level_of_value(int(v)) != level || !wanted(int(v)) || value.kind == Kind::reduction) continue;
            if (!in_copies(int(v))) {
                line("const {} v{} = {};", text_of(value.type), v, value_text(int(v), "0", level));
                continue;
            }
            copied.push_back(int(v));
            line("{} v{}[{}];", text_of(value.type), v, layout_.vector);
            if (value.kind == Kind::load && stride(value.operand, inner_) == Stride::one)
                line("const Pack<{0}, {1}> in{2} = load<{1}>(p{3} + {4});",
                     storage_text(operand(value.operand).dtype), layout_.vector, v, value.operand,
                     offset_of(value.operand));
        }
        if (copied.empty()) return;
        open_copies();
        for (int v : copied) line("v{}[c] = {};", v, value_text(v, "c", level));
        close();
    }

    std::string offset_of(int o) const {
        return fmt::format("{}{}", level_of_operand(o) == Level::step ? "q" : "o", o);
    }

    std::string element_text(int v, const std::string& c) const {
        const int o = kernel_.values[size_t(v)].operand;
        if (level_of_operand(o) == Level::thread) return fmt::format("p{}[0]", o);
        if (!in_copies(v)) return fmt::format("p{}[{}]", o, offset_of(o));
        if (stride(o, inner_) == Stride::one) return fmt::format("in{}.e[{}]", v, c);
        return fmt::format("p{0}[{1} + {2} * s{0}_{3}]", o, offset_of(o), c, inner_);
    }

    std::string scalar_text(int scalar) const {
        if (!layout_.scalars_by_value) return fmt::format("a.scalars[{}]", scalar);
        return fmt::format("__longlong_as_double(a.number[{}])", first_scalar_ + scalar);
    }

    std::string value_text(int v, const std::string& c, Level) {
        const KernelValue& value = kernel_.values[size_t(v)];
        std::vector<std::string> args;
        for (int arg : value.args) args.push_back(name_of(arg, c));
        auto type_of = [&](int arg) { return kernel_.values[size_t(arg)].type; };
        switch (value.kind) {
            case Kind::load:
                return load_text(element_text(v, c), operand(value.operand).dtype, value.type);
            case Kind::scalar:
                return convert_text(scalar_text(value.operand), Register::f64, value.type);
            case Kind::constant:
                switch (value.type) {
                    case Register::truth:
                        return value.integer ? "true" : "false";
                    case Register::i64:
                        return number_text(value.integer);
                    case Register::f32:
                        return number_text(float(value.number));
                    default:
                        return number_text(value.number);
                }
            case Kind::convert:
                return convert_text(args[0], type_of(value.args[0]), value.type);
            case Kind::round:
                return load_text(store_text(args[0], value.type, value.dtype), value.dtype,
                                 value.type);
            default:
                return instruction_text(value, args, math_);
        }
    }

    //---- stores

    void store_outputs(const std::vector<int>& outputs, const char* offset) {
        for (int output : outputs) {
            const int o = kernel_.operand_of_output(output), v = kernel_.stores[size_t(output)].value;
            const Dtype dtype = operand(o).dtype;
            const Register from = kernel_.values[size_t(v)].type;
            std::string at =
                level_of_operand(o) == Level::thread ? "0" : fmt::format("{}{}", offset, o);
            // All lanes of what does not vary hold the same.
            if (layout_.vector == 1 || stride(o, inner_) == Stride::zero) {
                line("p{}[{}] = {};", o, at, store_text(name_of(v, "0"), from, dtype));
                continue;
            }
            CATENA_ASSERT(stride(o, inner_) == Stride::one, "a kernel's output is not contiguous");
            open("{{");
            line("Pack<{}, {}> out;", storage_text(dtype), layout_.vector);
            open_copies();
            line("out.e[c] = {};", store_text(name_of(v, "c"), from, dtype));
            close();
            line("store<{}>(p{} + {}, out);", layout_.streaming, o, at);
            close();
        }
    }

    const Kernel& kernel_;
    const Layout& layout_;
    Dependence depends_;
    int inner_;
    int numbers_ = 0, first_scalar_ = 0;
    std::string text_;
    int indent_ = 1;
    std::set<Instruction> math_;
};

}  // namespace

KernelText emit_kernel(const Kernel& kernel, const Layout& layout) {
    if (kernel.reduced != 0) return Emitter(kernel, layout).emit();
    Kernel map = kernel;  // In which a reduction is of a single element.
    for (KernelValue& value : map.values)
        if (value.kind == Kind::reduction) become_element(value);
    return Emitter(map, layout).emit();
}

std::string kernel_text(const std::string& name, const KernelText& text, const Layout& layout) {
    return fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}{}\n", layout.threads,
                       name, text.body);
}

}  // namespace catena::codegen::cuda
