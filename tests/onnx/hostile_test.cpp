// Files that are cut short, damaged or made to do harm.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include <onnx/onnx_pb.h>

#include "frontend/catena.h"
#include "frontend/onnx/export.h"
#include "frontend/onnx/import.h"
#include "tests/onnx/exported.h"

namespace catena::testing {
namespace {

class Hostile : public ::testing::Test {
protected:
    Hostile() {
        Linear layer(6, 3);
        onnx::export_model([&](const Variable& x) { return relu(layer(x)); },
                           {Variable(Array::zeros({Dtype::float32, {2, 6}}), false)}, path_);
        std::ifstream file(path_, std::ios::binary);
        bytes_.assign(std::istreambuf_iterator<char>(file), {});
        model_.ParseFromString(bytes_);
    }

    void write(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }

    /// The message that importing the model gives after `change`.
    template <class E>
    std::string refused(const std::function<void(::onnx::ModelProto&)>& change) {
        ::onnx::ModelProto model = model_;
        change(model);
        write(model.SerializeAsString());
        try {
            onnx::import_model(path_);
        } catch (const E& error) {
            return error.what();
        } catch (const std::exception& error) {
            return std::string("another error: ") + error.what();
        }
        return "no error";
    }

    std::string folder_ = fresh_folder(
        std::string("hostile_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::string path_ = folder_ + "/model.onnx", bytes_;
    ::onnx::ModelProto model_;
};

#define EXPECT_SAYS(message, part) EXPECT_NE((message).find(part), std::string::npos) << (message)

TEST_F(Hostile, every_truncation_is_an_error) {
    for (size_t length = 0; length < bytes_.size(); ++length) {
        write(bytes_.substr(0, length));
        EXPECT_THROW(onnx::import_model(path_), Error)
            << length << " of " << bytes_.size() << " bytes";
    }
}

TEST_F(Hostile, damaged_bytes_give_errors_or_models_and_nothing_else) {
    for (size_t at = 0; at < bytes_.size(); ++at) {
        std::string bytes = bytes_;
        bytes[at] = char(bytes[at] ^ 0x5a);
        write(bytes);
        try {
            const onnx::Model model = onnx::import_model(path_);
            model.run(
                std::vector<Variable>{Variable(Array::zeros({Dtype::float32, {2, 6}}), false)});
        } catch (const Error&) {
        }
    }
}

TEST_F(Hostile, no_such_file) {
    EXPECT_THROW(onnx::import_model(folder_ + "/none.onnx"), FileError);
}

TEST_F(Hostile, a_tensor_larger_than_its_bytes) {
    const auto change = [](::onnx::ModelProto& m) {
        m.mutable_graph()->mutable_initializer(0)->set_dims(0, int64_t(1) << 40);
    };
    EXPECT_SAYS(refused<FileError>(change), "its type and sizes need");
}

TEST_F(Hostile, sizes_that_overflow) {
    const auto change = [](::onnx::ModelProto& m) {
        auto* tensor = m.mutable_graph()->mutable_initializer(0);
        tensor->clear_dims();
        for (int i = 0; i < 4; ++i) tensor->add_dims(int64_t(1) << 32);
    };
    EXPECT_SAYS(refused<FileError>(change), "impossible size");
}

TEST_F(Hostile, data_outside_of_the_folder) {
    for (const char* location : {"/etc/passwd", "../secret", "a/../../secret", ""}) {
        const auto change = [&](::onnx::ModelProto& m) {
            auto* tensor = m.mutable_graph()->mutable_initializer(0);
            tensor->clear_raw_data();
            tensor->set_data_location(::onnx::TensorProto::EXTERNAL);
            auto* entry = tensor->add_external_data();
            entry->set_key("location");
            entry->set_value(location);
        };
        EXPECT_SAYS(refused<FileError>(change), "not below the model's folder");
    }
}

TEST_F(Hostile, nodes_in_a_circle_are_named) {
    const auto change = [](::onnx::ModelProto& m) {
        ::onnx::GraphProto& graph = *m.mutable_graph();
        ::onnx::NodeProto &first = *graph.mutable_node(0), &second = *graph.add_node();
        first.set_name("first");
        second.set_name("second");
        second.set_op_type("Neg");
        second.add_input(first.output(0));
        second.add_output("back");
        first.set_input(0, "back");
    };
    const std::string message = refused<FileError>(change);
    EXPECT_SAYS(message, "nodes read each other's outputs in a circle: ");
    EXPECT_SAYS(message, "'first', Neg 'second'");
    const auto itself = [](::onnx::ModelProto& m) {
        m.mutable_graph()->mutable_node(0)->set_input(0, m.graph().node(0).output(0));
    };
    EXPECT_SAYS(refused<FileError>(itself), "in a circle");
}

TEST_F(Hostile, a_node_that_reads_what_nothing_gives) {
    const auto change = [](::onnx::ModelProto& m) {
        m.mutable_graph()->mutable_node(0)->set_input(0, "later");
    };
    EXPECT_SAYS(refused<FileError>(change), "reads 'later', which nothing gives");
}

TEST_F(Hostile, an_output_that_nothing_gives) {
    const auto change = [](::onnx::ModelProto& m) {
        m.mutable_graph()->mutable_output(0)->set_name("nothing");
    };
    EXPECT_SAYS(refused<FileError>(change), "nothing gives the output 'nothing'");
}

TEST_F(Hostile, an_unknown_operator_is_named_with_node_and_opset) {
    const auto change = [](::onnx::ModelProto& m) {
        m.mutable_graph()->mutable_node(0)->set_op_type("Frobnicate");
        m.mutable_graph()->mutable_node(0)->set_name("first");
    };
    const std::string message = refused<onnx::UnsupportedError>(change);
    EXPECT_SAYS(message, "operator Frobnicate of node 'first' (opset 18)");
}

TEST_F(Hostile, an_old_opset_is_refused) {
    const auto change = [](::onnx::ModelProto& m) { m.mutable_opset_import(0)->set_version(6); };
    EXPECT_SAYS(refused<onnx::UnsupportedError>(change), "is of opset 6; 7 and later");
}

TEST_F(Hostile, a_type_that_catena_does_not_have) {
    const auto change = [](::onnx::ModelProto& m) {
        m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
            ::onnx::TensorProto::STRING);
    };
    EXPECT_SAYS(refused<onnx::UnsupportedError>(change), "elements of type STRING");
}

}  // namespace
}  // namespace catena::testing
