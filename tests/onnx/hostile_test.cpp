// Files that are cut short, damaged or made to do harm.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include <onnx/onnx_pb.h>
#include <sys/stat.h>

#include "frontend/catena.h"
#include "frontend/onnx/export.h"
#include "frontend/onnx/import.h"
#include "frontend/onnx/tensor.h"
#include "runtime/file/limits.h"
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
        EXPECT_SAYS(refused<FileError>(change), "outside of the model's folder");
    }
}

TEST_F(Hostile, data_behind_a_link_that_leads_out_of_the_folder) {
    const auto change = [](::onnx::ModelProto& m) {
        auto* tensor = m.mutable_graph()->mutable_initializer(0);
        tensor->clear_raw_data();
        tensor->set_data_location(::onnx::TensorProto::EXTERNAL);
        auto* entry = tensor->add_external_data();
        entry->set_key("location");
        entry->set_value("elements.bin");
    };
    const std::string outside = fresh_folder("hostile_outside") + "/secret";
    std::ofstream(outside) << std::string(1000, 's');
    const std::filesystem::path link = folder_ + "/elements.bin";
    std::filesystem::create_symlink(outside, link);
    EXPECT_SAYS(refused<FileError>(change), "a link to " + outside);
    std::filesystem::remove(link);
    std::filesystem::create_directory_symlink(std::filesystem::path(outside).parent_path(),
                                              folder_ + "/sub");
    const auto below = [&](::onnx::ModelProto& m) {
        change(m);
        m.mutable_graph()->mutable_initializer(0)->mutable_external_data(0)->set_value(
            "sub/secret");
    };
    EXPECT_SAYS(refused<FileError>(below), "outside of the model's folder");
    // One that stays inside is followed.
    std::ofstream(folder_ + "/real.bin") << std::string(1000, 's');
    std::filesystem::create_symlink("real.bin", link);
    EXPECT_EQ(refused<FileError>(change), "no error");
}

/// Moves the elements of a tensor into a file beside the model.
void store_outside(::onnx::TensorProto& tensor, const std::string& offset) {
    tensor.clear_raw_data();
    tensor.set_data_location(::onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] :
         {std::pair<const char*, std::string>{"location", "elements.bin"}, {"offset", offset}}) {
        auto* entry = tensor.add_external_data();
        entry->set_key(key);
        entry->set_value(value);
    }
}

TEST_F(Hostile, an_offset_that_is_no_number) {
    std::ofstream(folder_ + "/elements.bin") << std::string(1000, 's');
    for (const char* offset : {"abc", "", "8x", "-1", "99999999999999999999"}) {
        const auto change = [&](::onnx::ModelProto& m) {
            store_outside(*m.mutable_graph()->mutable_initializer(0), offset);
        };
        EXPECT_SAYS(refused<FileError>(change), fmt::format("has the offset '{}'", offset));
    }
    const auto right = [](::onnx::ModelProto& m) {
        store_outside(*m.mutable_graph()->mutable_initializer(0), "8");
    };
    EXPECT_EQ(refused<FileError>(right), "no error");
}

TEST_F(Hostile, tensors_that_all_name_one_piece_of_a_file_are_counted) {
    constexpr int64_t elements = 1 << 18;
    std::ofstream(folder_ + "/elements.bin") << std::string(4 * elements, 's');
    const auto with_tensors = [&](int count) {
        return [=](::onnx::ModelProto& m) {
            for (int i = 0; i < count; ++i) {
                auto& tensor = *m.mutable_graph()->add_initializer();
                tensor.set_name("tensor" + std::to_string(i));
                tensor.set_data_type(::onnx::TensorProto::FLOAT);
                tensor.add_dims(elements);
                store_outside(tensor, "0");
            }
        };
    };
    const FileLimits before = file_limits();
    FileLimits limits;
    limits.bytes = 1 << 20;
    limits.ratio = 5;
    set_file_limits(limits);
    const std::string few = refused<FileError>(with_tensors(4)),
                      many = refused<FileError>(with_tensors(6));
    set_file_limits(before);
    EXPECT_EQ(few, "no error");
    EXPECT_SAYS(many, "tensor 'tensor5' declares 1048576 bytes after 5242880 others");
}

TEST_F(Hostile, pipes_are_refused_unopened) {
    ASSERT_EQ(mkfifo((folder_ + "/pipe").c_str(), 0600), 0);
    for (const auto& read : {std::function([&] { onnx::import_model(folder_ + "/pipe"); }),
                             std::function([&] { onnx::load_tensor(folder_ + "/pipe"); })}) {
        try {
            read();
            FAIL() << "it was read";
        } catch (const FileError& error) {
            EXPECT_SAYS(std::string(error.what()), "is not a regular file");
        }
    }
}

::onnx::NodeProto& add_node(::onnx::GraphProto& graph, const char* op,
                            const std::vector<const char*>& inputs, const char* output) {
    ::onnx::NodeProto& node = *graph.add_node();
    node.set_op_type(op);
    for (const char* name : inputs) node.add_input(name);
    node.add_output(output);
    return node;
}

TEST_F(Hostile, a_loop_without_end_is_ended) {
    ::onnx::ModelProto model = model_;
    ::onnx::GraphProto& graph = *model.mutable_graph();
    auto* count = graph.add_initializer();
    count->set_name("count");
    count->set_data_type(::onnx::TensorProto::INT64);
    count->add_int64_data(int64_t(1) << 62);
    ::onnx::NodeProto& loop = add_node(graph, "Loop", {"count", "", "count"}, "turned");
    auto* body = loop.add_attribute();
    body->set_name("body");
    body->set_type(::onnx::AttributeProto::GRAPH);
    for (const char* name : {"i", "go", "v"}) body->mutable_g()->add_input()->set_name(name);
    add_node(*body->mutable_g(), "Identity", {"go"}, "still");
    add_node(*body->mutable_g(), "Identity", {"v"}, "w");
    for (const char* name : {"still", "w"}) body->mutable_g()->add_output()->set_name(name);
    write(model.SerializeAsString());
    const onnx::Model imported = onnx::import_model(path_);
    const FileLimits before = file_limits();
    FileLimits limits;
    limits.steps = 1000;
    set_file_limits(limits);
    try {
        imported(Variable(Array::zeros({Dtype::float32, {2, 6}}), false));
        ADD_FAILURE() << "2^62 steps were taken";
    } catch (const ValueError& error) {
        EXPECT_SAYS(std::string(error.what()), path_ + ": its loops take more than 1000 steps");
    }
    set_file_limits(before);
}

TEST_F(Hostile, a_function_that_multiplies_its_size_is_refused) {
    ::onnx::ModelProto model = model_;
    ::onnx::FunctionProto& function = *model.add_functions();
    function.set_name("Large");
    function.set_domain("mine");
    function.add_output("y");
    ::onnx::NodeProto& constant = *function.add_node();
    constant.set_op_type("Constant");
    constant.add_output("y");
    constant.set_doc_string(std::string(1 << 20, 'd'));
    for (int i = 0; i < 20'000; ++i) {
        ::onnx::NodeProto& call = add_node(*model.mutable_graph(), "Large", {}, "");
        call.set_domain("mine");
        call.set_output(0, "large" + std::to_string(i));
    }
    write(model.SerializeAsString());
    try {
        onnx::import_model(path_);
        ADD_FAILURE() << "20 GB were taken";
    } catch (const FileError& error) {
        EXPECT_SAYS(std::string(error.what()), "a call of the function Large declares");
    }
}

TEST_F(Hostile, memory_that_no_machine_has_names_the_node) {
    ::onnx::ModelProto model = model_;
    ::onnx::GraphProto& graph = *model.mutable_graph();
    auto* shape = graph.add_initializer();
    shape->set_name("shape");
    shape->set_data_type(::onnx::TensorProto::INT64);
    shape->add_dims(2);
    for (int i = 0; i < 2; ++i) shape->add_int64_data(int64_t(1) << 22);
    add_node(graph, "ConstantOfShape", {"shape"}, "huge");
    add_node(graph, "Exp", {"huge"}, "larger");
    write(model.SerializeAsString());
    const onnx::Model imported = onnx::import_model(path_);
    const Variable x(Array::zeros({Dtype::float32, {2, 6}}), false);
    try {
        imported(x);
        ADD_FAILURE() << "64 TiB were given";
    } catch (const FileError& error) {
        EXPECT_SAYS(std::string(error.what()),
                    path_ +
                        ": Exp node 'larger' (opset 18): an array of 70368744177664 bytes is asked "
                        "for");
    }
    write(bytes_);
    EXPECT_EQ(onnx::import_model(path_)(x).shape(), (Shape{2, 3}));  // Everything still works.
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
    EXPECT_SAYS(message, "nodes form a cycle: ");
    EXPECT_SAYS(message, "'first', Neg 'second'");
    const auto itself = [](::onnx::ModelProto& m) {
        m.mutable_graph()->mutable_node(0)->set_input(0, m.graph().node(0).output(0));
    };
    EXPECT_SAYS(refused<FileError>(itself), "form a cycle");
}

TEST_F(Hostile, a_node_that_reads_what_nothing_gives) {
    const auto change = [](::onnx::ModelProto& m) {
        m.mutable_graph()->mutable_node(0)->set_input(0, "later");
    };
    EXPECT_SAYS(refused<FileError>(change), "reads 'later', which is not defined");
}

TEST_F(Hostile, an_output_that_nothing_gives) {
    const auto change = [](::onnx::ModelProto& m) {
        m.mutable_graph()->mutable_output(0)->set_name("nothing");
    };
    EXPECT_SAYS(refused<FileError>(change), "output 'nothing'");
    const auto unnamed = [](::onnx::ModelProto& m) {
        m.mutable_graph()->mutable_node(0)->add_output("");
        m.mutable_graph()->add_output()->set_name("");
    };
    EXPECT_SAYS(refused<FileError>(unnamed), "output '' is not defined");
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
