// Every row of the op table that has an operation with a kernel of its own, as a program in C: against what the package
// gives.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "codegen/compiler.h"
#include "frontend/package/c_export.h"
#include "runtime/graph/tracer.h"
#include "runtime/ops/declare/element_text.h"
#include "runtime/program/program.h"
#include "tests/export/saved_step.h"
#include "tests/ops/compiled_check.h"
#include "tests/ops/gradient_check.h"
#include "tests/ops/host_only.h"
#include "tests/ops/row_runner.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

using RowFunction = std::function<Variables(const std::vector<Variable>&)>;

/// Whether calls of `op` stay calls in a compiled program.
bool is_called(const OpDef& op) {
    return op.kernel && op.kind != Kind::map && op.kind != Kind::reduce && !op.body && !op.view;
}

/// An op and the type of what it gives.
using Called = std::set<std::pair<const OpDef*, Dtype>>;

Called calls_of(const RowFunction& run, const std::vector<Variable>& inputs, Variables& outputs) {
    Tracer tracer(false);
    for (size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i].defined()) tracer.add_argument(inputs[i].array(), "x" + std::to_string(i));
    RecorderScope scope(&tracer);
    outputs = run(inputs);
    Called called;
    for (const Trace::Step& step : tracer.trace().steps)
        if (is_called(*step.op)) called.emplace(step.op, tracer.trace().values[size_t(step.outputs[0])].type.dtype);
    return called;
}

/// Sums in another order, or the C library's functions in place of vector code: near. Everything else: the same bits.
bool is_near(const OpDef& op) {
    return library_role_of(op) != LibraryRole::none || op.kind == Kind::contract || op.kind == Kind::random;
}

/// One program that is exported.
struct Exported {
    std::string row;
    bool near = false;
    std::vector<Array> inputs, outputs;
};

size_t bytes_of(const Array& array) { return size_t(array.size()) * size_of(array.dtype()); }

class Rows {
public:
    explicit Rows(std::string folder) : folder_(std::move(folder)) { std::filesystem::create_directories(folder_); }

    std::string row;
    Called seen;
    bool library = false;

    Variables add(const RowFunction& run, const std::vector<Variable>& inputs) {
        Variables eager;
        const Called called = calls_of(run, inputs, eager);
        const size_t before = seen.size();
        seen.insert(called.begin(), called.end());
        // Each row once, and again (its gradient, other types) for what was not seen yet.
        if (called.empty() || (seen.size() == before && !rows_.insert(row).second)) return eager;
        rows_.insert(row);
        Exported made{
            row, std::any_of(called.begin(), called.end(), [](const auto& c) { return is_near(*c.first); }), {}, {}};
        std::vector<Variable> given;
        for (const Variable& input : inputs)
            if (input.defined()) given.push_back(input);
        for (const Variable& input : given) made.inputs.push_back(input.array().as_contiguous());
        const std::string name = "r" + std::to_string(all_.size()), path = folder_ + "/" + name + ".catena";
        auto region = static_graph(
            [&](const std::vector<Variable>& arguments) {
                std::vector<Variable> all(inputs.size());
                size_t next = 0;
                for (size_t i = 0; i < inputs.size(); ++i)
                    if (inputs[i].defined()) all[i] = arguments[next++];
                return run(all);
            },
            {.name = name});
        region(given);
        region.save(path, {.code_levels = {"scalar"}, .stages = false});
        library = export_c(path, folder_).uses_library || library;
        made.outputs = Program::load(path).run(made.inputs);
        all_.push_back(std::move(made));
        return eager;
    }

    const std::vector<Exported>& all() const { return all_; }

    /// Builds all programs with cc and runs them; their outputs.
    std::vector<std::vector<Array>> run_c() const {
        write_main();
        std::ofstream in(folder_ + "/in", std::ios::binary);
        for (const Exported& e : all_)
            for (const Array& x : e.inputs)
                in.write(static_cast<const char*>(x.raw_data()), std::streamsize(bytes_of(x)));
        in.close();
        const CommandResult built =
            run("cd " + folder_ +
                " && ls *.c | xargs -P2 -n16 cc -std=c11 -Wall -Wextra -Werror -O1 -c -I" CATENA_SOURCE_DIR
                "/runtime/c && cc -o all *.o -L" CATENA_BINARY_DIR "/lib -l:libcatena_c.a -lm && ./all");
        EXPECT_EQ(built.status, 0) << built.output.substr(0, 4000);
        std::vector<std::vector<Array>> results;
        std::ifstream out(folder_ + "/out", std::ios::binary);
        for (const Exported& e : all_) {
            results.emplace_back();
            for (const Array& y : e.outputs) {
                results.back().push_back(Array::zeros(y.type()));
                if (y.size() > 0)
                    out.read(static_cast<char*>(results.back().back().raw_data()), std::streamsize(bytes_of(y)));
            }
        }
        EXPECT_TRUE(out.good());
        return results;
    }

private:
    void write_main() const {
        std::ofstream text(folder_ + "/main.c");
        text << "#include <stdio.h>\n";
        for (size_t i = 0; i < all_.size(); ++i) text << "#include \"r" << i << ".h\"\n";
        std::string calls;
        for (size_t i = 0; i < all_.size(); ++i) {
            const std::string name = "r" + std::to_string(i), upper = "R" + std::to_string(i);
            text << "static int run_" << name
                 << "(FILE* in, FILE* out) {\n    static _Alignas(64) unsigned char states[" << upper
                 << "_STATE_BYTES], arena[" << upper << "_ARENA_BYTES];\n    " << name << " program;\n    (void)in;\n";
            std::string arguments, reads, writes;
            auto memory = [&](const char* letter, size_t k, const Array& array) {
                const std::string own = letter + std::to_string(k);
                text << "    static _Alignas(64) unsigned char " << own << "[" << std::max<size_t>(bytes_of(array), 1)
                     << "];\n";
                arguments += ", (void*)" + own;
                return own;
            };
            for (size_t k = 0; k < all_[i].inputs.size(); ++k) {
                const size_t bytes = bytes_of(all_[i].inputs[k]);
                reads += "    if (fread(" + memory("x", k, all_[i].inputs[k]) + ", 1, " + std::to_string(bytes) +
                         ", in) != " + std::to_string(bytes) + ") return 1;\n";
            }
            for (size_t k = 0; k < all_[i].outputs.size(); ++k)
                writes += "    fwrite(" + memory("y", k, all_[i].outputs[k]) + ", 1, " +
                          std::to_string(bytes_of(all_[i].outputs[k])) + ", out);\n";
            text << reads << "    if (" << name << "_load(&program, states, arena, \"" << name << ".weights\") || "
                 << name << "_run(&program" << arguments
                 << ")) {\n        puts(program.error);\n        return 1;\n    }\n"
                 << writes << "    return 0;\n}\n";
            calls += "    if (run_" + name + "(in, out)) return printf(\"" + name + "\\n\"), 1;\n";
        }
        text << "int main(void) {\n    FILE *in = fopen(\"in\", \"rb\"), *out = fopen(\"out\", \"wb\");\n    if (!in "
                "|| !out) return 1;\n"
             << calls << "    return fclose(out);\n}\n";
    }

    std::string folder_;
    std::set<std::string> rows_;
    std::vector<Exported> all_;
};

void expect_same(const Exported& e, const Array& actual, const Array& expected) {
    const std::vector<double> a = actual.to_vector<double>(), x = expected.to_vector<double>();
    for (size_t i = 0; i < x.size(); ++i) {
        if (std::isnan(a[i]) && std::isnan(x[i])) continue;
        const double most = e.near ? 4 * tolerance_of(expected.dtype()) * (1 + std::abs(x[i])) : 0;
        ASSERT_LE(std::abs(a[i] - x[i]), most) << "element " << i << " is " << a[i] << ", in the package " << x[i];
    }
}

Array waves(const Shape& shape) {
    std::vector<double> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(double(i));
    return Array::from(values, shape).astype(Dtype::float32);
}

TEST(CRows, exported_programs_compute_what_every_row_of_the_op_table_does) {
    if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
    Rows rows(temporary("rows"));
    compiled() = [&](const RowFunction& run, const std::vector<Variable>& inputs) { return rows.add(run, inputs); };
    for (const Row& row : all_rows()) {
        rows.row = row.op + " " + row.function + " " + row.note;
        SCOPED_TRACE(rows.row);
        try {
            check_compiled(row);
            check_compiled_gradient(row);
        } catch (const std::exception& error) {
            if (!tells_of_host_only(error.what())) ADD_FAILURE() << error.what();
        }
    }
    compiled() = nullptr;
    // What only a gradient of a gradient calls.
    rows.row = "gradient of max_pooling_2d's gradient";
    rows.add(
        [](const std::vector<Variable>& v) {
            const std::vector<Variable> x = {Variable(v[0].array(), true)}, gy = {Variable(v[1].array(), true)};
            const std::vector<Variable> y = {max_pooling_2d(x[0], {2, 2})};
            const Variables gx = grad(y, x, gy, {.enable_double_backprop = true});
            return grad(gx, gy, x);
        },
        {Variable(waves({2, 2, 5, 4}), false), Variable(waves({2, 2, 3, 2}), false)});
    EXPECT_TRUE(rows.library);
    for (const OpDef* op : all_ops())
        if (is_called(*op) && host_only_reason(*op).empty()) {
            EXPECT_TRUE(std::any_of(rows.seen.begin(), rows.seen.end(), [&](const auto& c) { return c.first == op; }))
                << op->name;
        }

    const std::vector<std::vector<Array>> results = rows.run_c();
    for (size_t i = 0; i < rows.all().size(); ++i) {
        SCOPED_TRACE("r" + std::to_string(i) + ", row " + rows.all()[i].row);
        for (size_t k = 0; k < results[i].size(); ++k)
            expect_same(rows.all()[i], results[i][k], rows.all()[i].outputs[k]);
    }
    std::printf("%zu programs\n", rows.all().size());
}

TEST(CRows, long_lines_are_sorted_summed_and_scattered_to_the_same_bits) {
    if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
    Rows rows(temporary("lines"));
    for (int64_t size : {16, 17, 300, 1025, 3001}) {
        std::vector<int64_t> places(static_cast<size_t>(size));
        for (size_t i = 0; i < places.size(); ++i) places[i] = int64_t(i * 7919 % 41) - 1;
        rows.row = "lines of " + std::to_string(size);
        rows.add(
            [](const std::vector<Variable>& v) {
                const Variable few = floor(v[0] * 20.0);  // With ties.
                return Variables{argsort(few, 1), sort(v[0], 1), argmax(few, 1), argmin(v[0], 1), cumsum(v[0], 1)};
            },
            {Variable(waves({2, size, 3}), false)});
        rows.row = "gradient of an embedding of " + std::to_string(size);
        rows.add(
            [](const std::vector<Variable>& v) {
                const std::vector<Variable> W = {Variable(v[0].array(), true)}, gy = {v[2]};
                return grad(std::vector<Variable>{embed_id(v[1], W[0], -1)}, W, gy);
            },
            {Variable(waves({40, 3}), false), Variable(Array::from(places, {size}), false),
             Variable(waves({size, 3}), false)});
    }
    const std::vector<std::vector<Array>> results = rows.run_c();
    ASSERT_GE(rows.all().size(), 10u);
    for (size_t i = 0; i < rows.all().size(); ++i) {
        SCOPED_TRACE(rows.all()[i].row);
        for (size_t k = 0; k < results[i].size(); ++k)
            expect_same(rows.all()[i], results[i][k], rows.all()[i].outputs[k]);
    }
}

}  // namespace
}  // namespace catena::testing
