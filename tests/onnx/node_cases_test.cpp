// The node tests of the onnx package, and what ONNX Runtime gives for models of one node, through the importer: none may
// fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "frontend/onnx/import.h"
#include "runtime/graph/config.h"
#include "tests/onnx/exported.h"
#include "tests/onnx/python.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

struct Case {
    std::string name;
    double relative = 0, absolute = 0;
    int inputs = 0, outputs = 0;
    bool random = false;  ///< Only type and shape of the result are specified.
};

/// Why y is not what is expected; empty when it is.
std::string difference(const Array& y, const Array& expected, const Case& c) {
    if (!(y.type() == expected.type()))
        return to_string(y.type()) + " instead of " + to_string(expected.type());
    if (c.random) return "";
    // Two units in the last place, as onnx's own runner allows (onnx/backend/test/runner).
    const double relative =
        y.dtype() == Dtype::bfloat16 ? std::max(c.relative, 0x1p-6) : c.relative;
    const std::vector<double> a = y.to_vector<double>(), e = expected.to_vector<double>();
    for (size_t i = 0; i < a.size(); ++i) {
        if (std::isnan(e[i]) ? std::isnan(a[i]) : a[i] == e[i]) continue;
        if (!(std::abs(a[i] - e[i]) <= c.absolute + relative * std::abs(e[i])))
            return fmt::format("element {} is {} instead of {}", i, a[i], e[i]);
    }
    return "";
}

/// What is missing, without the names of a case: "operator BitCast", "type UINT16".
std::string group_of(const std::string& why) {
    std::smatch found;
    if (std::regex_search(why, found, std::regex("the operator (\\S+)")))
        return "operator " + found[1].str();
    if (std::regex_search(why, found, std::regex("elements of type (number [0-9]+|\\S+[^,\\s])")))
        return "type " + found[1].str();
    if (std::regex_search(why, found, std::regex("opset ([0-9]+); 7 and later")))
        return "opset " + found[1].str();
    if (std::regex_search(why, found,
                          std::regex("onnx: (\\S+) node '.*' \\(opset [0-9]+\\): (.*)")))
        return found[1].str() + ": " + found[2].str();
    return why;
}

class NodeCases : public ::testing::Test {
protected:
    enum Outcome { passed, unsupported, failed };

    /// A type that Catena lacks in the expected outputs alone is no fault either.
    Outcome run_case(const Case& c, std::string& why) {
        const std::string folder = folder_ + "/" + c.name;
        if (c.inputs < 0) {
            why = "values that are no tensors";
            return unsupported;
        }
        try {
            const onnx::Model model = onnx::import_model(folder + "/model.onnx");
            std::vector<Variable> inputs;
            for (int i = 0; i < c.inputs; ++i)
                inputs.emplace_back(onnx::load_tensor(fmt::format("{}/input_{}.pb", folder, i)),
                                    false);
            const Variables outputs = model.run(inputs);
            if (int(outputs.size()) != c.outputs) {
                why = fmt::format("{} outputs instead of {}", outputs.size(), c.outputs);
                return failed;
            }
            for (int i = 0; i < c.outputs; ++i) {
                const Array expected = onnx::load_tensor(fmt::format("{}/output_{}.pb", folder, i));
                why = difference(outputs[size_t(i)].array(), expected, c);
                if (!why.empty()) return failed;
            }
            return passed;
        } catch (const onnx::UnsupportedError& error) {
            why = error.what();
            return unsupported;
        } catch (const std::exception& error) {
            why = error.what();
            return failed;
        }
    }

    static void print_groups(const std::map<std::string, int>& groups) {
        std::vector<std::pair<std::string, int>> sorted(groups.begin(), groups.end());
        std::stable_sort(sorted.begin(), sorted.end(),
                         [](const auto& a, const auto& b) { return a.second > b.second; });
        for (const auto& [group, count] : sorted)
            std::printf("  %4d unsupported: %s\n", count, group.c_str());
    }

    /// Of what tests/onnx/SCRIPT writes.
    void expect_none_fails(const std::string& script, int least_passed);

    std::string folder_ = fresh_folder(
        std::string("node_cases_") +
        ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

/// Where onnx's own reference computes something else than ONNX Runtime and torch, which
/// write_resize_cases.py compares with: the corners are at scale * size there, rounded or not.
bool is_of_the_reference_alone(const std::string& name) {
    return name == "test_resize_downsample_scales_linear_align_corners" ||
           name == "test_resize_downsample_scales_cubic_align_corners";
}

void NodeCases::expect_none_fails(const std::string& script, int least_passed) {
    const CommandResult written =
        run(onnx_python() + " " CATENA_SOURCE_DIR "/tests/onnx/" + script + " " + folder_);
    ASSERT_EQ(written.status, 0) << written.output;
    std::ifstream list(folder_ + "/cases.txt");
    std::string version, line;
    std::getline(list, version);
    const auto no_graph = no_backprop_mode();
    int counts[3] = {}, random = 0;
    std::map<std::string, int> groups;
    std::ofstream report(folder_ + "/report.txt");
    while (std::getline(list, line)) {
        Case c;
        std::istringstream(line) >> c.name >> c.relative >> c.absolute >> c.inputs >> c.outputs >>
            c.random;
        std::string why;
        if (is_of_the_reference_alone(c.name)) continue;
        const Outcome outcome = run_case(c, why);
        if (outcome == passed && c.random)
            ++random;
        else
            ++counts[outcome];
        if (outcome == unsupported) ++groups[group_of(why)];
        const char* words[] = {c.random ? "random" : "passed", "unsupported", "failed"};
        report << words[outcome] << ' ' << c.name << ' ' << why << '\n';
        EXPECT_NE(outcome, failed) << c.name << ": " << why;
    }
    print_groups(groups);
    std::printf(
        "%s (%s): %d passed, %d random (type and sizes are right), %d unsupported, "
        "%d failed (%s/report.txt)\n",
        script.c_str(), version.c_str(), counts[passed], random, counts[unsupported], counts[failed],
        folder_.c_str());
    EXPECT_GE(counts[passed], least_passed);
}

TEST_F(NodeCases, of_onnx) {
    CATENA_SKIP_WITHOUT_ONNX_PYTHON();
    expect_none_fails("write_node_cases.py", 1400);
}

TEST_F(NodeCases, models_of_onnx_runtimes_optimizer_and_quantizer) {
    CATENA_SKIP_WITHOUT_ONNX_PYTHON();
    expect_none_fails("write_runtime_models.py", 35);
}

TEST_F(NodeCases, resize_as_onnx_runtime) {
    CATENA_SKIP_WITHOUT_ONNX_PYTHON();
    expect_none_fails("write_resize_cases.py", 300);
}

}  // namespace
}  // namespace catena::testing
