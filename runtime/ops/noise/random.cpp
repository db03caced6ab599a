#include "runtime/ops/noise/random.h"

#include "runtime/core/array/device.h"
#include "runtime/core/array/memory_order.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/random/seed.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/per_thread.h"
#include "runtime/cpu/random_kernel.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/variable/variable_body.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/declare/channels_last.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/onnx/onnx.h"

namespace catena {
namespace {

Array state_array(int64_t seed) { return Array::from<int64_t>({seed, 0}); }

RandomStream stream_of(const Array& state) {
    Array dense = state.as_contiguous();
    return {uint64_t(dense.elements<int64_t>()[0]), uint64_t(dense.elements<int64_t>()[1])};
}

void check_state(const TypeCall& c) {
    const Type& state = c.inputs[0];
    if (!(state == Type{Dtype::int64, Shape{2}}))
        fail<ShapeError>("{}: the random state should be int64[2], it is {}", c.op.name,
                         to_string(state));
}

/// Floats of the attributes "shape" and "dtype".
Types drawn_type(const TypeCall& c) {
    check_state(c);
    Dtype dtype = c.attributes.dtype("dtype");
    if (!is_float(dtype))  // random_c1
        fail<DtypeError>("{}: draws floating point numbers, not {}", c.op.name, name_of(dtype));
    return {{dtype, c.attributes.dims("shape")}};
}

void uniform_kernel(const KernelCall& c) {
    RandomStream stream = stream_of(c.inputs[0]);
    const Array& y = c.outputs[0];
    if (y.size() > 0 &&
        memory_order(y.shape(), y.strides()) == MemoryOrder::channels_last)  // float32, see below.
        return uniform_channels_last(stream, y.to_fill<float>(), y.dim(0), y.dim(1),
                                     y.size() / (y.dim(0) * y.dim(1)));
    if (y.dtype() == Dtype::float64) return fill_uniform(stream, y.to_fill<double>(), y.size());
    Array draws =
        y.dtype() == Dtype::float32 ? y : Array::empty({Dtype::float32, y.shape()}, y.device());
    float* to = draws.to_fill<float>();
    parallel_for(y.size(), 8192, [&](int64_t begin, int64_t end) {
        uniform_block(stream, uint64_t(begin), to + begin, end - begin);
    });
    if (!(draws == y)) copy_elements(draws, y);
}

void normal_kernel(const KernelCall& c) {
    RandomStream stream = stream_of(c.inputs[0]);
    const Array& y = c.outputs[0];
    if (y.dtype() == Dtype::float64) return fill_normal(stream, y.to_fill<double>(), y.size());
    Array draws =
        y.dtype() == Dtype::float32 ? y : Array::empty({Dtype::float32, y.shape()}, y.device());
    fill_normal(stream, draws.to_fill<float>(), y.size());
    if (!(draws == y)) copy_elements(draws, y);
}

/// The words of counter `at`, as RandomStream::words.
constexpr const char* philox_text = R"(
        unsigned c0 = unsigned(at), c1 = unsigned(at >> 32), c2 = unsigned(p0[1]), c3 = unsigned(u64(p0[1]) >> 32);
        unsigned k0 = unsigned(p0[0]), k1 = unsigned(u64(p0[0]) >> 32);
        for (int round = 0; round < 10; ++round) {  // Philox4x32-10, as runtime/core/random/random.h has it.
            const u64 first = u64(0xD2511F53u) * c0, second = u64(0xCD9E8D57u) * c2;
            c0 = unsigned(second >> 32) ^ c1 ^ k0;
            c2 = unsigned(first >> 32) ^ c3 ^ k1;
            c1 = unsigned(second);
            c3 = unsigned(first);
            k0 += 0x9E3779B9u;
            k1 += 0xBB67AE85u;
        }
        const u64 high = u64(c0) << 32 | c1, low = u64(c2) << 32 | c3;
)";
constexpr const char* counter_of_uniform_text = R"(
        constexpr bool wide = sizeof(T) == 8;
        const u64 at = wide ? u64(i) : u64(i) >> 2;)";
constexpr const char* uniform_text = R"(
        const unsigned mine = (i & 2) ? (i & 1) ? c3 : c2 : (i & 1) ? c1 : c0;
        y0(i, wide ? T(double(high >> 11) * 0x1p-53) : T(float(mine >> 8) * 0x1p-24f));)";
constexpr const char* counter_of_normal_text = R"(
        constexpr bool wide = sizeof(T) == 8;
        const u64 at = u64(i);)";
/// Box and Muller's transformation, as catena::normal.
constexpr const char* normal_text = R"(
        if constexpr (wide) {
            const double radius = sqrt(-2.0 * log(double((high >> 11) + 1) * 0x1p-53));
            y0(i, T(radius * cos(6.283185307179586 * (double(low >> 11) * 0x1p-53))));
        } else {
            const float radius = sqrtf(-2.0f * logf(float((c0 >> 8) + 1) * 0x1p-24f));
            y0(i, T(radius * cosf(6.2831855f * (float(c1 >> 8) * 0x1p-24f))));
        })";

const OpDef& define_random(const char* name, void (*kernel)(const KernelCall&), const char* onnx,
                           Declarations declared) {
    return register_op({.name = name,
                        .kind = Kind::random,
                        .input_count = 1,
                        .type = drawn_type,
                        .kernel = kernel,
                        .onnx =
                            [onnx](OnnxCall& c) {
                                return c.node(onnx, {},
                                              {{"shape", c.dims("shape")}, {"dtype", c.result()}});
                            },
                        .declared = std::move(declared)});
}
/// A mask lies like the image that it meets.
ChannelsLast order_of_mask(const TypeCall& c) {
    return c.attributes.dtype("dtype") == Dtype::float32 ? ChannelsLast{.outputs = 1, .alike = true}
                                                         : ChannelsLast();
}

const OpDef& op_random_uniform = define_random(
    "random_uniform", uniform_kernel, "RandomUniform",
    {channels_last_rule(order_of_mask), image_operands({.outputs = 1}),
     element_text(std::string(counter_of_uniform_text) + philox_text + uniform_text)});
const OpDef& op_random_normal =
    define_random("random_normal", normal_kernel, "RandomNormal",
                  {element_text(std::string(counter_of_normal_text) + philox_text + normal_text)});

/// The state of the operation after this one.
const OpDef& op_random_advance = register_op({
    .name = "random_advance",
    .input_count = 1,
    .type =
        [](const TypeCall& c) {
            check_state(c);
            return Types{c.inputs[0]};
        },
    .kernel =
        [](const KernelCall& c) {
            RandomStream stream = stream_of(c.inputs[0]);
            c.outputs[0].to_fill<int64_t>()[0] = int64_t(stream.seed);
            c.outputs[0].to_fill<int64_t>()[1] = int64_t(stream.operation + 1);
        },
    .declared = {element_text("y0(i, i == 0 ? x0(0) : x0(1) + 1);")},
});

Variable draw_from(const Variable& state, const OpDef& op, const Shape& shape, Dtype dtype) {
    Attributes attributes{{"shape", shape}, {"dtype", std::string(name_of(dtype))}};
    return call(op, known_location(), attributes, {}, state);
}

Variable draw(const OpDef& op, const Shape& shape, Dtype dtype, const SourceLoc& at) {
    LocationScope scope(at);
    Variable y = draw_from(random_state(current_device()), op, shape, dtype);
    advance_random_state();
    return y;
}

Shape shape_from(const FunctionArguments& a) { return a.dims("shape"); }
const FunctionDef& f_random_uniform =
    function("random_uniform(shape, dtype='float32')", {}, [](const FunctionArguments& a) {
        return random_uniform(shape_from(a), parse_dtype(a.text("dtype")));
    });
const FunctionDef& f_random_normal =
    function("random_normal(shape, dtype='float32')", {}, [](const FunctionArguments& a) {
        return random_normal(shape_from(a), parse_dtype(a.text("dtype")));
    });

}  // namespace

const Variable& random_state() {
    static constinit PerThread<Variable> state;
    return state.get([] {
        RecorderScope unseen(nullptr);
        Variable made(state_array(first_seed()), false);
        made.body()->is_state = true;
        made.set_array(made.array());  // Sets the owner, so that a tracer identifies the state.
        made.set_name("random_state");
        return made;
    });
}

const Variable& random_state(Device& device) {
    const Variable& state = random_state();
    if (&state.device() == &device || device.is_meta() || state.device().is_meta()) return state;
    RecorderScope unseen(nullptr);
    state.set_array(state.array().to(device));
    return state;
}

void set_seed(int64_t seed) {
    restart_host_streams(seed);
    random_state().set_array(state_array(seed));
}

std::vector<int64_t> save_random_state() {
    RecorderScope unseen(nullptr);
    RandomStream drawn = stream_of(random_state().array().to(cpu_device())),
                 host = host_stream_state();
    return {int64_t(drawn.seed), int64_t(drawn.operation), int64_t(host.seed),
            int64_t(host.operation)};
}

void restore_random_state(const std::vector<int64_t>& saved) {
    if (saved.size() != 4)
        fail<ValueError>("restore_random_state: {} numbers, 4 are expected", saved.size());
    RecorderScope unseen(nullptr);
    random_state().set_array(Array::from<int64_t>({saved[0], saved[1]}));
    restore_host_streams({uint64_t(saved[2]), uint64_t(saved[3])});
}

void advance_random_state() {
    const Variable& state = random_state();
    assign(state, call(op_random_advance, known_location(), {}, {}, state));
}

Variable uniform_of_state(const Variable& state, const Shape& shape, Dtype dtype) {
    return draw_from(state, op_random_uniform, shape, dtype);
}

Variable random_uniform(const Shape& shape, Dtype dtype, const std::source_location& at) {
    return draw(op_random_uniform, shape, dtype, at);
}
Variable random_normal(const Shape& shape, Dtype dtype, const std::source_location& at) {
    return draw(op_random_normal, shape, dtype, at);
}

}  // namespace catena
