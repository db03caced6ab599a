#include "codegen/cuda/element_kernel.h"

#include <variant>

#include <fmt/format.h>

#include "codegen/cuda/scalar_text.h"
#include "runtime/ops/element_text.h"

namespace catena::codegen::cuda {

namespace {

Register register_of(Dtype dtype) {
    const Dtype computed = compute_dtype(dtype);
    return computed == Dtype::float64   ? Register::f64
           : computed == Dtype::float32 ? Register::f32
                                        : Register::i64;
}

class Writer {
public:
    explicit Writer(const KernelCall& call)
        : call_(call), type_(register_of(call.outputs[0].dtype())) {}

    ElementKernel write() {
        for (size_t k = 0; k < call_.inputs.size(); ++k) input(int(k), call_.inputs[k]);
        for (size_t k = 0; k < call_.outputs.size(); ++k) output(int(k), call_.outputs[k]);
        for (const Attributes::Entry& entry : call_.attributes.entries()) attribute(entry);
        const int64_t count = call_.outputs[0].size();
        std::string body = fmt::format(
            "(const __grid_constant__ Arguments<{}, {}> a) {{\n    typedef {} T;\n{}"
            "    for (i64 i = i64(blockIdx.x) * 256 + threadIdx.x; i < a.number[0]; i += "
            "i64(gridDim.x) * 256) {{\n{}\n    }}\n}}\n",
            call_.inputs.size() + call_.outputs.size(), made_.numbers.size() + 1, text_of(type_),
            text_, element_text_of(call_.op));
        made_.numbers.insert(made_.numbers.begin(), count);
        made_.kernel.text.body = std::move(body);
        made_.kernel.layout.threads = 256;
        made_.kernel.layout.groups = count;
        return std::move(made_);
    }

private:
    template <class... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        text_ += "    " + fmt::format(format, std::forward<Args>(args)...) + "\n";
    }

    void number(const std::string& name, int64_t value) {
        made_.numbers.push_back(value);
        line("const i64 {0} = a.number[{1}]; (void){0};", name, made_.numbers.size());
    }
    void list(const std::string& name, const Dims& values) {
        line("const i64* const {0} = a.number + {1}; (void){0};", name, made_.numbers.size() + 1);
        made_.numbers.insert(made_.numbers.end(), values.begin(), values.end());
    }
    void sizes(const std::string& name, const Array& array) {
        line("constexpr int {0}_rank = {1}; (void){0}_rank;", name, array.rank());
        list(name + "_size", array.shape());
    }

    void input(int k, const Array& array) {
        sizes(fmt::format("x{}", k), array);
        line("const {0}* const p{1} = static_cast<const {0}*>(a.pointer[{1}]);",
             storage_text(array.dtype()), k);
        line("auto x{0} = [=](i64 k) -> T {{ return {1}; }}; (void)x{0};", k,
             load_text(fmt::format("p{}[k]", k), array.dtype(), type_));
    }
    void output(int k, const Array& array) {
        const size_t place = call_.inputs.size() + size_t(k);
        sizes(fmt::format("y{}", k), array);
        line("{0}* const q{1} = static_cast<{0}*>(a.pointer[{2}]);", storage_text(array.dtype()), k,
             place);
        line("auto y{0} = [=](i64 k, T v) {{ q{0}[k] = {1}; }};", k,
             store_text("v", type_, array.dtype()));
    }
    void attribute(const Attributes::Entry& entry) {
        if (const bool* flag = std::get_if<bool>(&entry.value)) number(entry.name, *flag);
        if (const int64_t* integer = std::get_if<int64_t>(&entry.value))
            number(entry.name, *integer);
        if (const Dims* dims = std::get_if<Dims>(&entry.value)) list(entry.name, *dims);
    }

    const KernelCall& call_;
    Register type_;
    ElementKernel made_;
    std::string text_;
};

}  // namespace

ElementKernel element_kernel(const KernelCall& call) { return Writer(call).write(); }

}  // namespace catena::codegen::cuda
