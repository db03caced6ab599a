// Every row of the op table as an ONNX model: back through the importer, and in ONNX Runtime.
#include <gtest/gtest.h>

#include <set>

#include "frontend/onnx/export.h"
#include "frontend/onnx/import.h"
#include "runtime/graph/settings/config.h"
#include "tests/onnx/exported.h"
#include "tests/onnx/python.h"
#include "tests/ops/row_runner.h"

namespace catena::testing {
namespace {

class OpRows : public ::testing::TestWithParam<int> {
protected:
    /// Rows of random functions have no one result.
    static bool is_random(const Row& row) { return row.before || row.verify; }

    static Dtype dtype_of(const Row& row) {
        return runs_in(row, Dtype::float32) ? Dtype::float32 : row.dtypes[0];
    }

    /// False when ONNX cannot say it.
    static bool export_row(const Row& row, const std::string& folder, const std::string& name,
                           int opset) {
        Generator generator = generator_for(row);
        const Arrays arrays = draw(row.inputs, dtype_of(row), generator);
        std::vector<Variable> given;
        for (const Array& array : arrays)
            if (array.defined()) given.emplace_back(array, false);
        const auto body = [&](std::span<const Variable> xs) {
            std::vector<Variable> all;
            size_t next = 0;
            for (const Array& array : arrays)
                all.push_back(array.defined() ? xs[next++] : Variable());
            return call_row(row, all);
        };
        const Variables expected = body(given);
        const std::string path = folder + "/" + name + ".onnx";
        try {
            onnx::export_function(body, given, path, {.opset = opset});
        } catch (const ValueError& error) {
            const std::string text = error.what();
            EXPECT_TRUE(text.find("cannot be expressed") != text.npos ||
                        text.find("does not have") != text.npos)
                << text;
            return false;
        } catch (const TraceError&) {
            return false;  // It asks for elements while it is recorded.
        } catch (const DeviceError&) {
            return false;
        }
        write_case(folder, name, given, expected);
        const Variables again = onnx::import_model(path).run(given);
        EXPECT_EQ(again.size(), expected.size());
        for (size_t i = 0; i < again.size(); ++i)
            expect_equal(again[i].array(), expected[i].array(), 1e-5,
                         name + ", output " + std::to_string(i));
        return true;
    }

    /// Writes every row, and reads it back; returns the folder.
    std::string export_rows();
};

std::string OpRows::export_rows() {
    const auto test_mode = using_config(&Config::train, false);
    const auto no_graph = no_backprop_mode();
    const std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::string folder =
        fresh_folder(test.substr(0, test.find('/')) + "_" + std::to_string(GetParam()));
    int written = 0;
    std::set<std::string> unsaid;
    for (size_t i = 0; i < all_rows().size(); ++i) {
        const Row& row = all_rows()[i];
        if (is_random(row)) continue;
        const std::string name = fmt::format("{:03}_{}", i, row.function);
        SCOPED_TRACE(name + " " + row.note);
        try {
            if (export_row(row, folder, name, GetParam())) {
                ++written;
                continue;
            }
            unsaid.insert(row.function);
            const OpDef* op = find_op(row.op);
            const bool always = op && row.op == row.function && !op->onnx.expression.empty();
            EXPECT_FALSE(always && op->onnx.since <= GetParam()) << row.op << " has a mapping";
        } catch (const std::exception& error) {
            ADD_FAILURE() << error.what();
        }
    }
    std::string list;
    for (const std::string& name : unsaid) list += " " + name;
    std::printf("opset %d: %d of %zu rows exported; ONNX cannot say%s\n", GetParam(), written,
                all_rows().size(), list.c_str());
    EXPECT_GT(written, 100);
    return folder;
}

TEST_P(OpRows, survive_a_round_trip) { export_rows(); }

TEST_P(OpRows, agree_in_onnx_runtime) {
    CATENA_SKIP_WITHOUT_ONNX_PYTHON();
    const std::string folder = export_rows();
    if (!HasFailure()) expect_agreement_in_onnx_runtime(folder);
}

INSTANTIATE_TEST_SUITE_P(opset, OpRows,
                         ::testing::Values(onnx::oldest_opset, 18, onnx::newest_opset),
                         [](const auto& info) { return std::to_string(info.param); });

}  // namespace
}  // namespace catena::testing
