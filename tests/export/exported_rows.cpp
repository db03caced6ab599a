#include "tests/export/exported_rows.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "frontend/c_export/c_export.h"
#include "frontend/static_graph/static_graph.h"
#include "runtime/graph/trace/tracer.h"
#include "runtime/ops/declare/library_role.h"
#include "runtime/program/file/package.h"
#include "runtime/program/file/program.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

Called calls_of(const RowFunction& run, const std::vector<Variable>& inputs, Variables& outputs) {
    Tracer tracer(false);
    for (size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i].defined()) tracer.add_argument(inputs[i].array(), "x" + std::to_string(i));
    RecorderScope scope(&tracer);
    outputs = run(inputs);
    Called called;
    for (const Trace::Step& step : tracer.trace().steps)
        if (is_called(*step.op))
            called.emplace(step.op, tracer.trace().values[size_t(step.outputs[0])].type.dtype);
    return called;
}

/// What the package's program calls: passes may have put other ops in the place of those that the
/// user called.
std::set<const OpDef*> ops_of(const std::string& path) {
    nlohmann::json manifest;
    const auto schedule =
        nlohmann::json::parse(program::read_package(path, manifest).texts.at("schedule.json"));
    std::set<const OpDef*> ops;
    for (const nlohmann::json& call : schedule.at("library_calls"))
        ops.insert(find_op(call.at("op").get<std::string>()));
    return ops;
}

/// Sums in another order, or the C library's functions in place of vector code: near. Everything
/// else: the same bits.
bool is_near(const OpDef& op) {
    return library_role_of(op) != LibraryRole::none || op.kind == Kind::contract ||
           op.kind == Kind::random;
}

size_t bytes_of(const Array& array) { return size_t(array.size()) * size_of(array.dtype()); }

}  // namespace

bool is_called(const OpDef& op) {
    return op.kernel && op.kind != Kind::map && op.kind != Kind::reduce && !op.body && !op.view;
}

ExportedRows::ExportedRows(std::string folder) : folder_(std::move(folder)) {
    std::filesystem::create_directories(folder_);
}

Variables ExportedRows::add(const RowFunction& run, const std::vector<Variable>& inputs) {
    Variables eager;
    const Called called = calls_of(run, inputs, eager);
    const size_t before = seen.size();
    seen.insert(called.begin(), called.end());
    // Each row once, and again (its gradient, other types) for what was not seen yet.
    if (called.empty() || (seen.size() == before && !rows_.insert(row).second)) return eager;
    rows_.insert(row);
    Exported made{
        row,
        std::any_of(called.begin(), called.end(), [](const auto& c) { return is_near(*c.first); }),
        {},
        {}};
    std::vector<Variable> given;
    for (const Variable& input : inputs)
        if (input.defined()) given.push_back(input);
    for (const Variable& input : given) made.inputs.push_back(input.array().as_contiguous());
    const std::string name = "r" + std::to_string(all_.size()),
                      path = folder_ + "/" + name + ".catena";
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
    exported.merge(ops_of(path));
    library = export_c(path, folder_).uses_library || library;
    made.outputs = Program::load(path).run(made.inputs);
    all_.push_back(std::move(made));
    return eager;
}

std::vector<std::vector<Array>> ExportedRows::run_c() const {
    write_main();
    std::ofstream in(folder_ + "/in", std::ios::binary);
    for (const Exported& e : all_)
        for (const Array& x : e.inputs)
            in.write(static_cast<const char*>(x.raw_data()), std::streamsize(bytes_of(x)));
    in.close();
    const CommandResult built = run(
        "cd " + folder_ +
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
                out.read(static_cast<char*>(results.back().back().raw_data()),
                         std::streamsize(bytes_of(y)));
        }
    }
    EXPECT_TRUE(out.good());
    return results;
}

void ExportedRows::write_main() const {
    std::ofstream text(folder_ + "/main.c");
    text << "#include <stdio.h>\n";
    for (size_t i = 0; i < all_.size(); ++i) text << "#include \"r" << i << ".h\"\n";
    std::string calls;
    for (size_t i = 0; i < all_.size(); ++i) {
        const std::string name = "r" + std::to_string(i), upper = "R" + std::to_string(i);
        text << "static int run_" << name
             << "(FILE* in, FILE* out) {\n    static _Alignas(64) unsigned char states[" << upper
             << "_STATE_BYTES], arena[" << upper << "_ARENA_BYTES];\n    " << name
             << " program;\n    (void)in;\n";
        std::string arguments, reads, writes;
        auto memory = [&](const char* letter, size_t k, const Array& array) {
            const std::string own = letter + std::to_string(k);
            text << "    static _Alignas(64) unsigned char " << own << "["
                 << std::max<size_t>(bytes_of(array), 1) << "];\n";
            arguments += ", (void*)" + own;
            return own;
        };
        for (size_t k = 0; k < all_[i].inputs.size(); ++k) {
            const size_t bytes = bytes_of(all_[i].inputs[k]);
            reads += "    if (fread(" + memory("x", k, all_[i].inputs[k]) + ", 1, " +
                     std::to_string(bytes) + ", in) != " + std::to_string(bytes) + ") return 1;\n";
        }
        for (size_t k = 0; k < all_[i].outputs.size(); ++k)
            writes += "    fwrite(" + memory("y", k, all_[i].outputs[k]) + ", 1, " +
                      std::to_string(bytes_of(all_[i].outputs[k])) + ", out);\n";
        text << reads << "    if (" << name << "_load(&program, states, arena, \"" << name
             << ".weights\") || " << name << "_run(&program" << arguments
             << ")) {\n        puts(program.error);\n        return 1;\n    }\n"
             << writes << "    return 0;\n}\n";
        calls += "    if (run_" + name + "(in, out)) return printf(\"" + name + "\\n\"), 1;\n";
    }
    text << "int main(void) {\n    FILE *in = fopen(\"in\", \"rb\"), *out = fopen(\"out\", "
            "\"wb\");\n    if (!in "
            "|| !out) return 1;\n"
         << calls << "    return fclose(out);\n}\n";
}

}  // namespace catena::testing
