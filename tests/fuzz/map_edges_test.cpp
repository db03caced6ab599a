// Every map of the registry, gradients among them, on values at the ends of each dtype: compiled
// code gives the bits of the eager kernels, in whichever place of a vector the element stands.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "frontend/static_graph/static_graph.h"
#include "runtime/core/dtype/half.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"

namespace catena::fuzz {
namespace {

constexpr Dtype dtypes[] = {Dtype::float32, Dtype::float64, Dtype::float16, Dtype::bfloat16,
                            Dtype::int8,    Dtype::int16,   Dtype::int32,   Dtype::int64,
                            Dtype::uint8,   Dtype::bool_};

template <class T>
std::vector<T> whole_edges() {
    using Limits = std::numeric_limits<T>;
    std::vector<T> edges{0,
                         1,
                         2,
                         7,
                         T(Limits::max() / 2),
                         T(Limits::max() - 1),
                         Limits::max(),
                         Limits::min(),
                         T(Limits::min() + 1)};
    if (Limits::is_signed) edges.insert(edges.end(), {T(-1), T(-2), T(-7)});
    return edges;
}

/// NaN, infinities, zeros of both signs, denormals, the ends of the range, ties of rounding.
Array edges(Dtype dtype) {
    const auto list = [](auto values) {
        return Array::from(values, Shape{int64_t(values.size())});
    };
    switch (dtype) {
        case Dtype::bool_:
            return list(std::vector<int64_t>{0, 1}).astype(dtype);
        case Dtype::int8:
            return list(whole_edges<int8_t>());
        case Dtype::int16:
            return list(whole_edges<int16_t>());
        case Dtype::int32:
            return list(whole_edges<int32_t>());
        case Dtype::int64:
            return list(whole_edges<int64_t>());
        case Dtype::uint8:
            return list(whole_edges<uint8_t>());
        default:
            break;
    }
    const double least = dtype == Dtype::float64    ? 5e-324
                         : dtype == Dtype::float16  ? 6e-8
                         : dtype == Dtype::bfloat16 ? 9.2e-41
                                                    : 1.4e-45;
    const double most = dtype == Dtype::float64    ? 1.7976931348623157e308
                        : dtype == Dtype::float16  ? 65504
                        : dtype == Dtype::bfloat16 ? 3.3895e38
                                                   : 3.4028234e38;
    const double inf = INFINITY;
    return list(std::vector<double>{NAN,    inf,   -inf,   0.0,  -0.0, 1,     -1,
                                    0.5,    -0.5,  1.5,    2.5,  -2,   3,     0.1,
                                    -100.3, least, -least, 3e-6, most, -most, 1e4})
        .astype(dtype);
}

/// All combinations for up to two inputs, a sample of them for more; `turned` puts them at other
/// places.
std::vector<Variable> inputs_of(Dtype dtype, int count, bool turned) {
    const Array all = edges(dtype);
    const auto n = all.size();
    const int64_t length = count <= 1 ? n : count == 2 ? n * n : 997;
    std::vector<Variable> inputs;
    for (int i = 0; i < count; ++i) {
        const Array array = Array::empty({dtype, {length}});
        const auto size = int64_t(size_of(dtype));
        for (int64_t k = 0; k < length; ++k) {
            const int64_t place = turned ? length - 1 - k : k;
            const int64_t e = count > 2 ? (place * (2 * i + 1) + place / (3 + i)) % n
                              : i == 0  ? place % n
                                        : place / n;
            std::memcpy(static_cast<char*>(array.raw_data()) + k * size,
                        static_cast<const char*>(all.elements()) + e * size, size_t(size));
        }
        inputs.emplace_back(array, false);
    }
    return inputs;
}

Variable call_map(const OpDef& op, const std::vector<Variable>& all, double number,
                  size_t output = 0) {
    SmallVector<const Variable*, 4> inputs;
    for (int i = 0; i < op.input_count; ++i) inputs.push_back(&all[size_t(i)]);
    SmallVector<Scalar, 4> scalars;
    for (size_t s = 0; s < op.scalar_names.size(); ++s) scalars.emplace_back(number);
    return apply(op, inputs, {}, {}, scalars)[output];
}

/// Distance in units of the last place; 0 for two NaN.
double distance(const Array& a, const Array& b, int64_t i) {
    const double x = a.to_vector<double>()[size_t(i)], y = b.to_vector<double>()[size_t(i)];
    if (std::isnan(x) && std::isnan(y)) return 0;
    if (x == y) return 0;  // Of zeros of two signs, maximum and minimum may give either.
    if (!std::isfinite(x) || !std::isfinite(y)) return INFINITY;
    const int digits = a.dtype() == Dtype::float64   ? 53
                       : a.dtype() == Dtype::float32 ? 24
                       : a.dtype() == Dtype::float16 ? 11
                                                     : 8;
    return std::abs(x - y) /
           std::ldexp(1.0, std::ilogb(std::max(std::abs(x), std::abs(y))) - digits + 1);
}

struct Worst {
    double distance = 0;
    std::string text;
};

void compare(const OpDef& op, const std::vector<Variable>& inputs, double number,
             const Array& eager, const Array& compiled, Worst& worst) {
    ASSERT_EQ(eager.type(), compiled.type()) << op.name;
    const size_t bytes = size_t(eager.size()) * size_of(eager.dtype());
    if (std::memcmp(eager.elements(), compiled.elements(), bytes) == 0) return;
    const std::vector<double> e = eager.to_vector<double>(), c = compiled.to_vector<double>();
    for (int64_t i = 0; i < eager.size(); ++i) {
        const double far = distance(eager, compiled, i);
        if (!(far > worst.distance)) continue;
        worst.distance = far;
        worst.text = op.name + "(";
        for (int k = 0; k < op.input_count; ++k)
            worst.text +=
                fmt::format("{}, ", inputs[size_t(k)].array().to_vector<double>()[size_t(i)]);
        worst.text += fmt::format("number {}) of {} at {}: {} eager, {} compiled", number,
                                  name_of(eager.dtype()), i, e[size_t(i)], c[size_t(i)]);
    }
}

using Maps = std::vector<const OpDef*>;

/// Maps of so many inputs that take them in this dtype.
Maps maps_of(Dtype dtype, int count) {
    Maps maps;
    for (const OpDef* op : all_ops()) {
        if (op->kind != Kind::map || op->input_count != count || op->output_count != 1) continue;
        if (!is_float(dtype) && op->name.find(".gx") != std::string::npos)
            continue;  // Gradients are floats.
        try {
            call_map(*op, inputs_of(dtype, count, false), 0.5);
            maps.push_back(op);
        } catch (const std::exception&) {  // Not of this dtype, or with attributes.
        }
    }
    return maps;
}

/// In regions of a few maps each: compiling one by one takes long.
void check(Dtype dtype, int count, std::map<std::string, Worst>& worst) {
    const Maps maps = maps_of(dtype, count);
    constexpr size_t at_once = 12;
    for (size_t first = 0; first < maps.size(); first += at_once) {
        const Maps some(maps.begin() + long(first),
                        maps.begin() + long(std::min(maps.size(), first + at_once)));
        double number = 0;
        auto all = [&](const std::vector<Variable>& xs) {
            std::vector<Variable> ys;
            for (const OpDef* op : some) ys.push_back(call_map(*op, xs, number));
            return ys;
        };
        auto region = static_graph(all, "edges");
        for (const double scalar : {0.5, 0.0, -3.0, double(NAN), double(INFINITY)})
            for (const bool turned : {false, true}) {
                number = is_float(dtype) ? scalar : std::isfinite(scalar) ? std::floor(scalar) : 2;
                const std::vector<Variable> xs = inputs_of(dtype, count, turned);
                std::vector<Variable> eager, compiled;
                try {
                    eager = all(xs);
                } catch (const Error&) {
                    continue;  // A number that is refused.
                }
                try {
                    compiled = region(xs);
                } catch (const std::exception& error) {
                    ADD_FAILURE() << name_of(dtype) << ": " << error.what();
                    break;
                }
                for (size_t k = 0; k < some.size(); ++k)
                    compare(*some[k], xs, number, eager[k].array(), compiled[k].array(),
                            worst[some[k]->name]);
            }
    }
}

TEST(MapEdges, compiled_maps_give_the_bits_of_eager_ones) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    std::map<std::string, Worst> worst;
    for (const Dtype dtype : dtypes)
        for (int count = 1; count <= 4; ++count) check(dtype, count, worst);
    EXPECT_GT(worst.size(), 100u);
    for (const auto& [name, found] : worst) EXPECT_EQ(found.distance, 0) << found.text;
}

TEST(MapEdges, compiled_conversions_give_the_elements_of_eager_ones) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    for (const Dtype from : dtypes)
        for (const bool turned : {false, true}) {
            const auto all = [](const std::vector<Variable>& xs) {
                std::vector<Variable> ys;
                for (const Dtype to : dtypes) ys.push_back(cast(xs[0], to));
                return ys;
            };
            const std::vector<Variable> xs = inputs_of(from, 1, turned), eager = all(xs),
                                        compiled = static_graph(all, "convert")(xs);
            for (size_t k = 0; k < eager.size(); ++k) {
                const std::vector<double> x = xs[0].array().to_vector<double>(),
                                          e = eager[k].array().to_vector<double>(),
                                          c = compiled[k].array().to_vector<double>();
                for (size_t i = 0; i < e.size(); ++i)
                    EXPECT_TRUE(e[i] == c[i] || (std::isnan(e[i]) && std::isnan(c[i])))
                        << name_of(from) << " " << x[i] << " to " << name_of(dtypes[k]) << ": "
                        << e[i] << " eager, " << c[i] << " compiled";
            }
        }
}

}  // namespace
}  // namespace catena::fuzz
