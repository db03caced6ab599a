// The node tests of the onnx package, and what ONNX Runtime gives for models of one node, through
// the importer: none may fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "frontend/onnx/import.h"
#include "frontend/onnx/importer.h"
#include "runtime/graph/settings/config.h"
#include "tests/onnx/exported.h"
#include "tests/onnx/python.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

struct Case {
    std::string name;
    double relative = 0, absolute = 0;
    std::string inputs, outputs;  ///< See write_node_cases.py.
    bool random = false;          ///< Only type and shape of the result are specified.
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

    /// The values of a case: PREFIX_0.pb, or PREFIX_0_0.pb ... of a sequence.
    static onnx::Items values_of(const std::string& folder, const char* prefix,
                                 const std::string& kinds) {
        onnx::Items items;
        std::istringstream list(kinds == "-" ? "" : kinds);
        for (std::string kind; std::getline(list, kind, ',');) {
            const std::string path = fmt::format("{}/{}_{}", folder, prefix, items.size());
            const auto array = [](const std::string& file) {
                return Variable(onnx::load_tensor(file), false);
            };
            if (kind == "x")
                throw onnx::UnsupportedError(
                    "values that are neither tensors nor sequences of them");
            if (kind == "a") items.push_back(array(path + ".pb"));
            if (kind == "n") items.push_back(onnx::Item::absent());
            if (kind[0] != 's') continue;
            std::vector<Variable> elements;
            for (int k = 0; k < std::stoi(kind.substr(1)); ++k)
                elements.push_back(array(fmt::format("{}_{}.pb", path, k)));
            items.push_back(onnx::Item(std::move(elements)));
        }
        return items;
    }

    static std::string difference_of(const onnx::Item& y, const onnx::Item& expected,
                                     const Case& c) {
        if (expected.variable.defined() != y.variable.defined() ||
            bool(expected.sequence) != bool(y.sequence))
            return "an array or a sequence where the other is expected";
        if (y.variable.defined())
            return difference(y.variable.array(), expected.variable.array(), c);
        if (!y.sequence) return "";
        if (y.sequence->size() != expected.sequence->size())
            return fmt::format("a sequence of {} instead of {}", y.sequence->size(),
                               expected.sequence->size());
        for (size_t k = 0; k < y.sequence->size(); ++k) {
            const std::string why =
                difference((*y.sequence)[k].array(), (*expected.sequence)[k].array(), c);
            if (!why.empty()) return fmt::format("in place {}: {}", k, why);
        }
        return "";
    }

    /// A type that Catena lacks in the expected outputs alone is no fault either.
    Outcome run_case(const Case& c, std::string& why) {
        const std::string folder = folder_ + "/" + c.name;
        try {
            const onnx::Model model = onnx::import_model(folder + "/model.onnx");
            const onnx::Items outputs = model.run_items(values_of(folder, "input", c.inputs)),
                              expected = values_of(folder, "output", c.outputs);
            if (outputs.size() != expected.size()) {
                why = fmt::format("{} outputs instead of {}", outputs.size(), expected.size());
                return failed;
            }
            for (size_t i = 0; i < outputs.size(); ++i) {
                why = difference_of(outputs[i], expected[i], c);
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

    std::string folder_ =
        fresh_folder(std::string("node_cases_") +
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
        script.c_str(), version.c_str(), counts[passed], random, counts[unsupported],
        counts[failed], folder_.c_str());
    EXPECT_GE(counts[passed], least_passed);
}

TEST_F(NodeCases, of_onnx) {
    CATENA_SKIP_WITHOUT_ONNX_PYTHON();
    expect_none_fails("write_node_cases.py", 1620);
}

TEST_F(NodeCases, models_of_onnx_runtimes_optimizer_and_quantizer) {
    CATENA_SKIP_WITHOUT_ONNX_PYTHON();
    expect_none_fails("write_runtime_models.py", 46);
}

TEST_F(NodeCases, resize_as_onnx_runtime) {
    CATENA_SKIP_WITHOUT_ONNX_PYTHON();
    expect_none_fails("write_resize_cases.py", 300);
}

}  // namespace
}  // namespace catena::testing
