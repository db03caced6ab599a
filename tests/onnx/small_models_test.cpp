// One small model at least for every operator, from tests/onnx/data: what tests/fuzz_files changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include <onnx/onnx_pb.h>

#include "frontend/catena.h"
#include "frontend/onnx/import.h"
#include "frontend/onnx/importer.h"
#include "tests/onnx/exported.h"
#include "tests/onnx/model_text.h"

namespace catena::testing {
namespace {

void add_operators(const ::onnx::GraphProto& graph, std::set<std::string>& names) {
    for (const auto& node : graph.node()) {
        names.insert(node.domain().empty() ? node.op_type() : node.domain() + "." + node.op_type());
        for (const auto& attribute : node.attribute())
            if (attribute.has_g()) add_operators(attribute.g(), names);
    }
}

TEST(SmallModels, are_there_for_every_operator) {
    std::set<std::string> tried;
    for (const std::string& line : small_models())
        add_operators(model_from_text(line).graph(), tried);
    for (const std::string& name : onnx::importer_names())
        EXPECT_TRUE(tried.contains(name)) << name << " is in no line of small_models.txt";
}

TEST(SmallModels, all_run) {
    const std::string path = fresh_folder("small_models") + "/model.onnx";
    for (const std::string& line : small_models()) {
        std::ofstream(path, std::ios::binary) << model_from_text(line).SerializeAsString();
        try {
            const onnx::Model model = onnx::import_model(path);
            onnx::Items inputs;
            for (const onnx::Port& port : model.inputs()) {
                Type type{*port.dtype, {}};
                for (const std::string& size : *port.shape) type.shape.push_back(std::stoll(size));
                inputs.push_back(Variable(Array::full(type, 1), false));
            }
            EXPECT_FALSE(model.run_items(inputs).empty());
        } catch (const std::exception& error) {
            ADD_FAILURE() << line << ": " << error.what();
        }
    }
}

}  // namespace
}  // namespace catena::testing
