#include "codegen/cuda/element_kernel.h"

#include <fmt/format.h>

#include "codegen/cuda/scalar_text.h"
#include "runtime/core/array/in_order.h"
#include "runtime/ops/declare/channels_last.h"
#include "runtime/ops/declare/device_form.h"

namespace catena::codegen::cuda {

namespace {

Register register_of(Dtype dtype) {
    const Dtype computed = compute_dtype(dtype);
    return computed == Dtype::float64   ? Register::f64
           : computed == Dtype::float32 ? Register::f32
                                        : Register::i64;
}

/// Writes the kernel of one pass.
class Writer {
public:
    Writer(const KernelCall& call, const ElementPass& pass,
           const program::ElementLaunches& launches)
        : call_(call),
          pass_(pass),
          launches_(launches),
          type_(register_of(call.outputs[0].dtype())) {}

    CodeKernel write() {
        number("count");
        for (const auto& [name, value] : pass_.numbers) number(name);
        program::for_each_number(call_,
                                 [&](const std::string& name, const Dims& values, bool is_list) {
                                     if (is_list)
                                         list(name, values.size());
                                     else
                                         number(name);
                                 });
        for (size_t k = 0; k < call_.inputs.size(); ++k) input(int(k), call_.inputs[k]);
        for (size_t k = 0; k < call_.outputs.size(); ++k) output(int(k), call_.outputs[k]);
        const size_t pointers = call_.inputs.size() + call_.outputs.size();
        if (uses("scratch"))
            line("i64* const scratch = static_cast<i64*>(a.pointer[{}]);", pointers);
        // What changes from call to call stands last.
        for (const std::string& name : call_.op.scalar_names) {
            line("const double {0} = __longlong_as_double(a.number[{1}]); (void){0};", name,
                 numbers_++);
        }
        const size_t site = numbers_++;
        if (uses("place_in(")) {
            line("volatile i64* const fault = static_cast<i64*>(a.pointer[{}]);", pointers + 1);
            line("auto place_in = [=](i64 index, i64 axis, i64 size, bool wrap) -> i64 {{");
            line(
                "    if (index >= (wrap ? -size : 0) && index < size) return index < 0 ? index + "
                "size : index;");
            line(
                "    if (fault && fault[0] == 0)  // The first is told: later ones may follow from "
                "it.");
            line(
                "        fault[1] = index, fault[2] = axis, fault[3] = size, fault[4] = wrap, "
                "fault[0] = a.number[{}];",
                site);
            line("    return -1;");
            line("}};");
        }
        // Neighbouring threads go to neighbouring places in memory.
        const bool by_place = pass_.by_element && (launches_.outputs_last & 1);
        const std::string element =
            by_place ? fmt::format("\n        const i64 i = channels_last(place, {}, y0_size[1]);",
                                   positions("y", 0, call_.outputs[0]))
                     : "";
        CodeKernel kernel;
        kernel.text.body = fmt::format(
            "(const __grid_constant__ Arguments<{0}, {1}> a) {{\n    typedef {2} T;\n{3}"
            "    for (i64 {4} = i64(blockIdx.x) * {5} + threadIdx.x; {4} < count; {4} += "
            "i64(gridDim.x) * {5}) {{{6}\n{7}\n"
            "    }}\n}}\n",
            pointers + 2, numbers_, text_of(type_), text_, by_place ? "place" : "i",
            launches_.threads, element, pass_.text);
        kernel.layout.threads = launches_.threads;
        kernel.layout.groups = pass_.count;
        return kernel;
    }

private:
    template <class... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        text_ += "    " + fmt::format(format, std::forward<Args>(args)...) + "\n";
    }
    bool uses(const char* name) const { return pass_.text.find(name) != std::string::npos; }

    void number(const std::string& name) {
        line("const i64 {0} = a.number[{1}]; (void){0};", name, numbers_++);
    }
    void list(const std::string& name, size_t size) {
        line("const i64* const {0} = a.number + {1}; (void){0};", name, numbers_);
        numbers_ += size;
    }
    /// How many an image has, of each channel.
    static std::string positions(const char* letter, int k, const Array& array) {
        std::string product;
        for (int d = 2; d < array.rank(); ++d)
            product += fmt::format("{}{}{}_size[{}]", product.empty() ? "" : " * ", letter, k, d);
        return product;
    }
    /// A pointer, or what finds elements by their row-major number as one does.
    void memory(const std::string& name, const std::string& type, size_t pointer,
                const std::string& sizes, bool last) {
        const std::string address = fmt::format("static_cast<{}*>(a.pointer[{}])", type, pointer);
        if (last)
            line("const LastChannels<{}> {}{{{}, {}}};", type, name, address, sizes);
        else
            line("{}* const {} = {};", type, name, address);
    }
    static std::string image_sizes(const char* letter, int k, const Array& array) {
        return fmt::format("{}{}_size[1], {}", letter, k, positions(letter, k, array));
    }
    void rank(const char* letter, int k, const Array& array) {
        line("constexpr int {0}{1}_rank = {2}; (void){0}{1}_rank;", letter, k, array.rank());
    }

    void input(int k, const Array& array) {
        rank("x", k, array);
        const std::string stored = fmt::format("p{}[k]", k);
        const Register own = register_of(array.dtype());
        memory(fmt::format("p{}", k), fmt::format("const {}", storage_text(array.dtype())),
               size_t(k), image_sizes("x", k, array),
               ImageOperands{.inputs = launches_.inputs_last}.has_input(size_t(k)));
        line("auto x{0} = [=](i64 k) -> T {{ return {1}; }}; (void)x{0};", k,
             load_text(stored, array.dtype(), type_));
        line("auto v{0} = [=](i64 k) -> {1} {{ return {2}; }}; (void)v{0};", k, text_of(own),
             load_text(stored, array.dtype(), own));
    }
    void output(int k, const Array& array) {
        rank("y", k, array);
        memory(fmt::format("q{}", k), storage_text(array.dtype()), call_.inputs.size() + size_t(k),
               image_sizes("y", k, array),
               ImageOperands{.outputs = launches_.outputs_last}.has_output(size_t(k)));
        line("auto y{0} = [=](i64 k, T v) {{ q{0}[k] = {1}; }}; (void)y{0};", k,
             store_text("v", type_, array.dtype()));
    }
    const KernelCall& call_;
    const ElementPass& pass_;
    const program::ElementLaunches& launches_;
    Register type_;
    size_t numbers_ = 0;
    std::string text_;
};

}  // namespace

ElementKernels element_kernels(const KernelCall& call) {
    ElementKernels made;
    const ElementProgram program = element_program(call);
    made.launches.scratch = program.scratch;
    const ImageOperands images = images_of(call.op);
    for (size_t k = 0; k < call.inputs.size(); ++k)
        if (images.has_input(k) && lies_channels_last(call.inputs[k]))
            made.launches.inputs_last |= 1u << k;
    for (size_t k = 0; k < call.outputs.size(); ++k)
        if (images.has_output(k) && lies_channels_last(call.outputs[k]))
            made.launches.outputs_last |= 1u << k;
    for (const ElementPass& pass : program.passes) {
        made.kernels.push_back(Writer(call, pass, made.launches).write());
        program::ElementLaunches::Pass& launch = made.launches.passes.emplace_back();
        launch.count = pass.count;
        for (const auto& [name, value] : pass.numbers) launch.numbers.push_back(value);
    }
    return made;
}

void ElementKernels::add_to(std::vector<CodeKernel*>& wanted) {
    for (CodeKernel& kernel : kernels) wanted.push_back(&kernel);
}

void ElementKernels::take_names() {
    for (size_t p = 0; p < kernels.size(); ++p) launches.passes[p].symbol = kernels[p].name;
}

std::vector<const void*> ElementKernels::handles() const {
    std::vector<const void*> all;
    for (const CodeKernel& kernel : kernels) all.push_back(kernel.handle);
    return all;
}

}  // namespace catena::codegen::cuda
