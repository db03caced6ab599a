// Functions called by name, against what Chainer gave for the same calls (chainer_values*.py).
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/by_name/function.h"

namespace catena::testing {
namespace {

using Json = nlohmann::json;

Json read_calls() {
    std::set<std::filesystem::path> paths;  // In the order of their names.
    for (const auto& entry :
         std::filesystem::directory_iterator(CATENA_SOURCE_DIR "/tests/conformance"))
        if (entry.path().extension() == ".json" &&
            entry.path().filename().string().starts_with("chainer_values"))
            paths.insert(entry.path());
    Json all = Json::array();
    for (const auto& path : paths) {
        std::ifstream file(path);
        for (const Json& call : Json::parse(file)) all.push_back(call);
    }
    return all;
}
const Json& calls() {
    static const Json all = read_calls();
    return all;
}

std::vector<double> numbers(const Json& list) {
    std::vector<double> values;
    for (const Json& value : list)  // nan and inf are texts.
        values.push_back(value.is_string() ? std::stod(value.get<std::string>())
                                           : value.get<double>());
    return values;
}

Shape shape_of(const Json& array) { return Shape(array["shape"].get<std::vector<int64_t>>()); }

Array array_of(const Json& array) {
    return Array::from(numbers(array["values"]), shape_of(array))
        .astype(parse_dtype(array["dtype"].get<std::string>()));
}

/// Written with ten digits; float32 where Chainer computes in nothing else.
void expect_values(const Array& array, const std::vector<double>& expected,
                   const std::string& dtype) {
    const double tolerance = dtype == "float32" ? 2e-6 : 2e-9;
    const std::vector<double> actual = array.to_vector<double>();
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i) {
        if (std::isnan(expected[i]) ? std::isnan(actual[i]) : actual[i] == expected[i]) continue;
        EXPECT_LE(std::abs(actual[i] - expected[i]), tolerance * (1 + std::abs(expected[i])))
            << "element " << i << " is " << actual[i] << ", Chainer's " << expected[i];
    }
}

struct Call {
    std::vector<Variable> inputs;
    Variables outputs;
};

Call run(const Json& call) {
    Call made;
    for (const Json& input : call["inputs"]) {
        const Array array = array_of(input);
        made.inputs.emplace_back(array, is_float(array.dtype()));
    }
    std::map<std::string, LiteralValue, std::less<>> settings;
    for (const auto& [name, text] : call["settings"].items())
        settings[name] = parse_literal(text.get<std::string>());
    made.outputs = call_function(call["function"].get<std::string>(), made.inputs, settings);
    return made;
}

class ChainerValues : public ::testing::TestWithParam<size_t> {};

TEST_P(ChainerValues, are_ours) {
    const Json& call = calls()[GetParam()];
    SCOPED_TRACE(call["function"].get<std::string>() + " " + call["note"].get<std::string>() +
                 call["settings"].dump());
    const Call made = run(call);
    ASSERT_EQ(made.outputs.size(), call["outputs"].size());
    std::vector<Variable> outputs, gy;
    for (size_t i = 0; i < made.outputs.size(); ++i) {
        SCOPED_TRACE("output " + std::to_string(i));
        const Json& expected = call["outputs"][i];
        EXPECT_EQ(to_string(made.outputs[i].shape()), to_string(shape_of(expected)));
        expect_values(made.outputs[i].array(), numbers(expected["values"]), expected["dtype"]);
        if (call["gy"][i].is_null()) continue;
        ASSERT_TRUE(made.outputs[i].requires_grad());
        outputs.push_back(made.outputs[i]);
        gy.emplace_back(
            Array::from(numbers(call["gy"][i]), shape_of(expected)).astype(outputs.back().dtype()),
            false);
    }
    if (outputs.empty()) return;
    std::vector<Variable> wanted;
    std::vector<size_t> places;
    for (size_t i = 0; i < made.inputs.size(); ++i)
        if (!call["gradients"][i].is_null()) {
            wanted.push_back(made.inputs[i]);
            places.push_back(i);
        }
    const Variables gx = grad(outputs, wanted, gy);
    for (size_t i = 0; i < gx.size(); ++i) {
        SCOPED_TRACE("gradient of input " + std::to_string(places[i]));
        const Array found = gx[i].defined() ? gx[i].array() : Array::zeros(wanted[i].type());
        expect_values(found, numbers(call["gradients"][places[i]]),
                      call["inputs"][places[i]]["dtype"]);
    }
}

std::string call_name(const ::testing::TestParamInfo<size_t>& info) {
    const Json& call = calls()[info.param];
    std::string name = std::to_string(info.param) + "_" + call["function"].get<std::string>() +
                       "_" + call["note"].get<std::string>();
    for (char& c : name)
        if (!std::isalnum(uint8_t(c))) c = '_';
    return name;
}

INSTANTIATE_TEST_SUITE_P(calls, ChainerValues, ::testing::Range(size_t(0), calls().size()),
                         call_name);

}  // namespace
}  // namespace catena::testing
