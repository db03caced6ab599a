#include "tests/fuzz/random_program.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "frontend/static_graph/static_graph.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena::fuzz {
namespace {

using Values = std::vector<Variable>;

std::vector<double> elements(uint64_t seed, int leaf, const Shape& shape) {
    std::mt19937_64 random(seed * 1000 + uint64_t(leaf));
    std::uniform_real_distribution<double> uniform(0.1, 1.5);
    std::vector<double> values(size_t(element_count(shape)));
    // Exact in float32, so that both precisions start from the same numbers.
    for (double& v : values) v = double(float(random() % 4 ? uniform(random) : -uniform(random)));
    return values;
}

Values leaves_of(const Program& p, Dtype dtype) {
    Values leaves;
    for (const Program::Value& v : p.values)
        if (v.kind == Program::Value::leaf)
            leaves.emplace_back(
                Array::from(elements(p.seed, int(leaves.size()), v.shape), v.shape).astype(dtype),
                true);
    return leaves;
}

Variable step(const Program::Value& v, const Values& values) {
    const Variable& x = values[size_t(v.inputs[0])];
    switch (v.kind) {
        case Program::Value::sum:
            return sum(x, Axes{v.axis}, true);
        case Program::Value::transpose:
            return transpose(x);
        case Program::Value::flatten:
            return reshape(x, Shape{-1});
        default:
            break;
    }
    SmallVector<const Variable*, 4> inputs;
    for (int i : v.inputs) inputs.push_back(&values[size_t(i)]);
    SmallVector<Scalar, 4> scalars;
    for (double s : v.scalars) scalars.emplace_back(s);
    return apply(*v.map, inputs, {}, {}, scalars)[0];
}

Values evaluate(const Program& p, std::span<const Variable> leaves) {
    Values values;
    size_t next = 0;
    for (const Program::Value& v : p.values)
        values.push_back(v.kind == Program::Value::leaf ? leaves[next++] : step(v, values));
    return values;
}

/// Maps of the registry that a random program may use: those with a gradient, of their inputs'
/// type.
const std::vector<const OpDef*>& candidates() {
    static const std::vector<const OpDef*> found = [] {
        std::vector<const OpDef*> ops;
        for (const OpDef* op : all_ops())
            if (op->kind == Kind::map && op->gradient && !op->type && !op->gives_bool &&
                op->input_count > 0)
                ops.push_back(op);
        return ops;
    }();
    return found;
}

bool moderate(const Variable& v) {
    for (double e : v.array().to_vector<double>())
        if (!(std::abs(e) < 30) || (e != 0 && std::abs(e) < 1e-3)) return false;
    return true;
}

/// One more operation on what is there; the caller rejects it when it does not fit.
Program::Value random_value(std::mt19937_64& random, const Values& values) {
    auto any = [&] { return int(random() % values.size()); };
    // Recent values more often, so that programs grow deep rather than wide.
    auto recent = [&] { return int(std::max(any(), any())); };
    Program::Value v;
    v.inputs = {recent()};
    const Variable& x = values[size_t(v.inputs[0])];
    switch (random() % 12) {
        case 0:
            v.kind = Program::Value::sum;
            if (x.rank() > 0) v.axis = int(random() % uint64_t(x.rank()));
            return v;
        case 1:
            v.kind = Program::Value::transpose;
            return v;
        case 2:
            v.kind = Program::Value::flatten;
            return v;
        default:
            v.kind = Program::Value::map_op;
    }
    v.map = candidates()[random() % candidates().size()];
    while (int(v.inputs.size()) < v.map->input_count) v.inputs.push_back(any());
    for (size_t s = 0; s < v.map->scalar_names.size(); ++s)
        v.scalars.push_back(0.5 + double(random() % 4) * 0.5);
    return v;
}

double largest(const std::vector<double>& v) {
    double m = 0;
    for (double e : v)
        if (std::isfinite(e)) m = std::max(m, std::abs(e));
    return m;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double d = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        bool same = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
        if (!same) d = std::max(d, std::isfinite(a[i] - b[i]) ? std::abs(a[i] - b[i]) : INFINITY);
    }
    return d;
}

Program below(const Program& p, int root) {
    std::vector<char> used(p.values.size());
    used[size_t(root)] = 1;
    for (int i = root; i >= 0; --i)
        if (used[size_t(i)])
            for (int input : p.values[size_t(i)].inputs) used[size_t(input)] = 1;
    Program part{.seed = p.seed, .values = {}};
    std::vector<int> renamed(p.values.size());
    for (int i = 0; i <= root; ++i) {
        // Leaves all stay: their number decides what elements they have.
        if (!used[size_t(i)] && p.values[size_t(i)].kind != Program::Value::leaf) continue;
        renamed[size_t(i)] = int(part.values.size());
        part.values.push_back(p.values[size_t(i)]);
        for (int& input : part.values.back().inputs) input = renamed[size_t(input)];
    }
    return part;
}

}  // namespace

Program random_program(uint64_t seed, int operations) {
    std::mt19937_64 random(seed);
    const Shape shapes[] = {{3, 5}, {5}, {3, 1}, {}, {17}, {4, 3, 5}};
    Program p{.seed = seed, .values = {}};
    for (int leaf = 0; leaf < 3; ++leaf) {
        Program::Value v;
        v.shape = shapes[random() % 6];
        p.values.push_back(std::move(v));
    }
    Values values = leaves_of(p, Dtype::float64);
    for (int attempts = operations * 20; operations > 0 && attempts > 0; --attempts) {
        Program::Value v = random_value(random, values);
        try {
            Variable y = step(v, values);
            if (y.size() > 4096 || !moderate(y)) continue;
            values.push_back(y);
        } catch (const Error&) {
            continue;  // Shapes that do not broadcast, an axis of a 0-d value.
        }
        p.values.push_back(std::move(v));
        --operations;
    }
    return p;
}

Results run(const Program& p, Way way) {
    Values leaves = leaves_of(p, way == Way::eager_float64 ? Dtype::float64 : Dtype::float32);
    auto body = [&](const Values& xs) { return evaluate(p, xs).back(); };
    auto region = static_graph(body, {.name = "fuzz", .audit = Audit::never});
    if (way == Way::compiled) region(leaves);
    Variable y = way == Way::compiled ? region(leaves) : body(leaves);
    y.set_grad(Array::full(y.type(), 1));
    y.backward();
    Results results{y.array().to_vector<double>()};
    for (const Variable& x : leaves)
        results.push_back(x.grad().defined() ? x.grad().to_vector<double>()
                                             : std::vector<double>());
    return results;
}

std::string disagreement(const Program& p) {
    Results truth = run(p, Way::eager_float64), eager = run(p, Way::eager_float32),
            compiled = run(p, Way::compiled);
    for (size_t r = 0; r < truth.size(); ++r) {
        if (compiled[r].size() != truth[r].size())
            return fmt::format("result {} has {} elements compiled, {} eager", r,
                               compiled[r].size(), truth[r].size());
        // Where rounding decides whether an element is finite, either is right.
        for (size_t i = 0; i < truth[r].size(); ++i)
            if (std::isfinite(eager[r][i]) != std::isfinite(truth[r][i]))
                eager[r][i] = compiled[r][i] = truth[r][i];
        double allowed = 8 * distance(eager[r], truth[r]) + 1e-5 * (1 + largest(truth[r]));
        double off = distance(compiled[r], truth[r]);
        if (!(off <= allowed) && distance(compiled[r], eager[r]) > 0)
            return fmt::format("{} {}: compiled is {} from float64, eager {}",
                               r ? "gradient of leaf" : "value", r ? r - 1 : 0, off,
                               distance(eager[r], truth[r]));
    }
    return "";
}

Program resized(const Program& p, int64_t size) {
    Program made = p;
    for (Program::Value& v : made.values)
        for (int64_t& dim : v.shape) dim = dim == 5 ? size : dim;
    return made;
}

std::string disagreement_of_sizes(const Program& p, std::span<const int64_t> sizes,
                                  int64_t& resized_programs) {
    const StaticGraphOptions options{.name = "fuzz"};
    auto body = [&](const Values& xs) { return evaluate(p, xs).back(); };
    auto of = [&](auto& region, int64_t size) {
        const Values leaves = leaves_of(resized(p, size), Dtype::float32);
        Variable y = region(leaves);
        y.set_grad(Array::full(y.type(), 1));
        y.backward();
        Results results{y.array().to_vector<double>()};
        for (const Variable& x : leaves)
            results.push_back(x.grad().defined() ? x.grad().to_vector<double>()
                                                 : std::vector<double>());
        return results;
    };
    auto all = static_graph(body, options);
    for (int64_t size : sizes) {
        auto alone = static_graph(body, options);
        Results expected;
        try {
            of(alone, size);
            expected = of(alone, size);  // Compiled by now.
        } catch (const Error&) {
            continue;  // Shapes that broadcast at other sizes only.
        }
        const int64_t planned = all.statistics().resized;
        Results found = of(all, size);
        // A size that is not planned runs the eager kernels at first, whose sums may be rounded in
        // another order.
        if (all.statistics().resized == planned) found = of(all, size);
        for (size_t r = 0; r < expected.size(); ++r)
            if (expected[r].size() != found[r].size() || distance(expected[r], found[r]) > 0)
                return fmt::format("size {}: result {} differs by {}", size, r,
                                   distance(expected[r], found[r]));
    }
    resized_programs += all.statistics().resized;
    return "";
}

Program minimal(const Program& p) {
    for (int root = 0; root < int(p.values.size()); ++root) {
        if (p.values[size_t(root)].kind == Program::Value::leaf) continue;
        Program part = below(p, root);
        if (!disagreement(part).empty()) return part;
    }
    return p;
}

std::string reproducer(const Program& p) {
    std::string text =
        "#include <catena/catena.h>\n#include <iostream>\nusing namespace catena;\n\nint main() {\n"
        "    auto f = static_graph([](std::vector<Variable> x) {\n";
    int leaf = 0;
    std::string leaves;
    auto name = [&](int i) { return fmt::format("v{}", i); };
    for (size_t i = 0; i < p.values.size(); ++i) {
        const Program::Value& v = p.values[i];
        std::string right;
        if (v.kind == Program::Value::leaf) {
            right = fmt::format("x[{}]", leaf);
            std::string list;
            for (double e : elements(p.seed, leaf++, v.shape))
                list += fmt::format("{}f, ", float(e));
            std::string shape = to_string(v.shape);
            leaves += fmt::format(
                "        Variable(Array::from(std::vector<float>{{{}}}, Shape{{{}}})),\n", list,
                shape.substr(1, shape.size() - 2));
        } else if (v.kind == Program::Value::sum) {
            right = fmt::format("sum({}, Axes{{{}}}, true)", name(v.inputs[0]), v.axis);
        } else if (v.kind == Program::Value::transpose) {
            right = fmt::format("transpose({})", name(v.inputs[0]));
        } else if (v.kind == Program::Value::flatten) {
            right = fmt::format("reshape({}, Shape{{-1}})", name(v.inputs[0]));
        } else {
            std::string scalars, inputs;
            for (double s : v.scalars) scalars += fmt::format("{}, ", s);
            for (int input : v.inputs) inputs += ", " + name(input);
            right = fmt::format("call(*find_op(\"{}\"), {{}}, {{}}, {{{}}}{})", v.map->name,
                                scalars, inputs);
        }
        text += fmt::format("        Variable v{} = {};\n", i, right);
    }
    text += fmt::format("        return v{};\n    }});\n    std::vector<Variable> x{{\n{}    }};\n",
                        p.values.size() - 1, leaves);
    return text +
           "    for (int i = 0; i < 2; ++i) std::cout << to_string(f(x).array()) << '\\n';\n}\n";
}

}  // namespace catena::fuzz
