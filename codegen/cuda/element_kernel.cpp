#include "codegen/cuda/element_kernel.h"

#include <algorithm>
#include <bit>
#include <variant>

#include <fmt/format.h>

#include "codegen/cuda/scalar_text.h"
#include "runtime/ops/element_text.h"

namespace catena::codegen::cuda {

namespace {

constexpr int threads = 256;
constexpr int64_t blocks_per_multiprocessor = 32;

Register register_of(Dtype dtype) {
    const Dtype computed = compute_dtype(dtype);
    return computed == Dtype::float64 ? Register::f64 : computed == Dtype::float32 ? Register::f32 : Register::i64;
}

/// Writes the kernel of one pass and collects its numbers.
class Writer {
public:
    Writer(const KernelCall& call, const ElementPass& pass)
        : call_(call), pass_(pass), type_(register_of(call.outputs[0].dtype())) {}

    std::vector<int64_t> numbers;

    CodeKernel write() {
        number("count", pass_.count);
        for (size_t k = 0; k < call_.inputs.size(); ++k) input(int(k), call_.inputs[k]);
        for (size_t k = 0; k < call_.outputs.size(); ++k) output(int(k), call_.outputs[k]);
        for (const Attributes::Entry& entry : call_.attributes.entries()) attribute(entry);
        for (const auto& [name, value] : pass_.numbers) number(name, value);
        const size_t pointers = call_.inputs.size() + call_.outputs.size();
        if (uses("scratch")) line("i64* const scratch = static_cast<i64*>(a.pointer[{}]);", pointers);
        // What changes from call to call stands last.
        for (const std::string& name : call_.op.scalar_names) {
            numbers.push_back(0);
            line("const double {0} = __longlong_as_double(a.number[{1}]); (void){0};", name, numbers.size() - 1);
        }
        numbers.push_back(0);
        if (uses("place_in(")) {
            line("volatile i64* const fault = static_cast<i64*>(a.pointer[{}]);", pointers + 1);
            line("auto place_in = [=](i64 index, i64 axis, i64 size, bool wrap) -> i64 {{");
            line("    if (index >= (wrap ? -size : 0) && index < size) return index < 0 ? index + size : index;");
            line(
                "    if (fault) fault[1] = index, fault[2] = axis, fault[3] = size, fault[4] = wrap, fault[0] = "
                "a.number[{}];",
                numbers.size() - 1);
            line("    return -1;");
            line("}};");
        }
        CodeKernel kernel;
        kernel.text.body = fmt::format(
            "(const __grid_constant__ Arguments<{}, {}> a) {{\n    typedef {} T;\n{}"
            "    for (i64 i = i64(blockIdx.x) * {} + threadIdx.x; i < count; i += i64(gridDim.x) * {}) {{\n{}\n"
            "    }}\n}}\n",
            pointers + 2, numbers.size(), text_of(type_), text_, threads, threads, pass_.text);
        kernel.layout.threads = threads;
        kernel.layout.groups = pass_.count;
        return kernel;
    }

private:
    template <class... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        text_ += "    " + fmt::format(format, std::forward<Args>(args)...) + "\n";
    }
    bool uses(const char* name) const { return pass_.text.find(name) != std::string::npos; }

    void number(const std::string& name, int64_t value) {
        line("const i64 {0} = a.number[{1}]; (void){0};", name, numbers.size());
        numbers.push_back(value);
    }
    void list(const std::string& name, const Dims& values) {
        line("const i64* const {0} = a.number + {1}; (void){0};", name, numbers.size());
        numbers.insert(numbers.end(), values.begin(), values.end());
    }
    void sizes(const std::string& name, const Array& array) {
        line("constexpr int {0}_rank = {1}; (void){0}_rank;", name, array.rank());
        list(name + "_size", array.shape());
    }

    void input(int k, const Array& array) {
        sizes(fmt::format("x{}", k), array);
        const std::string stored = fmt::format("p{}[k]", k);
        const Register own = register_of(array.dtype());
        line("const {0}* const p{1} = static_cast<const {0}*>(a.pointer[{1}]);", storage_text(array.dtype()), k);
        line("auto x{0} = [=](i64 k) -> T {{ return {1}; }}; (void)x{0};", k, load_text(stored, array.dtype(), type_));
        line("auto v{0} = [=](i64 k) -> {1} {{ return {2}; }}; (void)v{0};", k, text_of(own),
             load_text(stored, array.dtype(), own));
    }
    void output(int k, const Array& array) {
        sizes(fmt::format("y{}", k), array);
        line("{0}* const q{1} = static_cast<{0}*>(a.pointer[{2}]);", storage_text(array.dtype()), k,
             call_.inputs.size() + size_t(k));
        line("auto y{0} = [=](i64 k, T v) {{ q{0}[k] = {1}; }}; (void)y{0};", k, store_text("v", type_, array.dtype()));
    }
    void attribute(const Attributes::Entry& entry) {
        if (const bool* flag = std::get_if<bool>(&entry.value)) number(entry.name, *flag);
        if (const int64_t* integer = std::get_if<int64_t>(&entry.value)) number(entry.name, *integer);
        if (const Dims* dims = std::get_if<Dims>(&entry.value)) list(entry.name, *dims);
    }

    const KernelCall& call_;
    const ElementPass& pass_;
    Register type_;
    std::string text_;
};

uint64_t address_of(const Array& array) {
    return uint64_t(array.storage()->data) + uint64_t(array.body()->offset * int64_t(size_of(array.dtype())));
}

}  // namespace

ElementCall::ElementCall(const KernelCall& call) {
    const ElementProgram program = element_program(call);
    scratch_ = program.scratch;
    for (const ElementPass& pass : program.passes) {
        if (pass.count == 0) continue;
        Writer writer(call, pass);
        kernels_.push_back(writer.write());
        numbers_.push_back(std::move(writer.numbers));
    }
}

std::vector<CodeKernel*> ElementCall::kernels() {
    std::vector<CodeKernel*> all;
    for (CodeKernel& kernel : kernels_) all.push_back(&kernel);
    return all;
}

void ElementCall::launch(CodeDevice& device, const KernelCall& call) const {
    if (kernels_.empty()) return;
    Arrays inputs;
    for (const Array& input : call.inputs) inputs.push_back(input.as_contiguous());
    Ref<Storage> scratch;
    if (scratch_ > 0) scratch = device.allocate(size_t(scratch_) * sizeof(int64_t));
    std::vector<uint64_t> words;
    for (const Array& input : inputs) words.push_back(address_of(input));
    for (const Array& output : call.outputs) words.push_back(address_of(output));
    words.push_back(scratch ? uint64_t(scratch->data) : 0);
    words.push_back(uint64_t(device.fault_words()));
    words.push_back(0);  // The program's scalars: groups have them.
    const size_t fixed = words.size();
    const int64_t site = fault_site(call.op.name, current_location());
    const int64_t most = int64_t(device.multiprocessors()) * blocks_per_multiprocessor;
    for (size_t k = 0; k < kernels_.size(); ++k) {
        words.resize(fixed);
        words.insert(words.end(), numbers_[k].begin(), numbers_[k].end());
        words.back() = uint64_t(site);
        for (size_t s = 0; s < call.scalars.size(); ++s)
            words[words.size() - 1 - call.scalars.size() + s] = std::bit_cast<uint64_t>(call.scalars[s]);
        device.launch_code({.kernel = kernels_[k].handle,
                            .name = kernels_[k].name.c_str(),
                            .blocks = uint32_t(std::min(kernels_[k].layout.blocks(), most)),
                            .threads = uint32_t(kernels_[k].layout.threads),
                            .arguments = words.data(),
                            .bytes = words.size() * sizeof(uint64_t),
                            .location = current_location()});
    }
}

}  // namespace catena::codegen::cuda
