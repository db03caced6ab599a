// Numbers of a file that do not fit its operators: a FileError that names node, value and what
// would be right. Most of these once read or wrote outside of memory.
#include <gtest/gtest.h>

#include <fstream>

#include <onnx/onnx_pb.h>

#include "frontend/catena.h"
#include "frontend/onnx/import.h"
#include "tests/onnx/exported.h"
#include "tests/onnx/model_text.h"

namespace catena::testing {
namespace {

std::string refusal_of(const ::onnx::ModelProto& model) {
    const std::string path = fresh_folder("refused_numbers") + "/model.onnx";
    std::ofstream(path, std::ios::binary) << model.SerializeAsString();
    try {
        const onnx::Model read = onnx::import_model(path);
        std::vector<Variable> inputs;
        for (const onnx::Port& port : read.inputs()) {
            Type type{*port.dtype, {}};
            for (const std::string& size : *port.shape) type.shape.push_back(std::stoll(size));
            inputs.push_back(Variable(Array::full(type, 1), false));
        }
        read.run(inputs);
    } catch (const FileError& error) {
        return error.what();
    } catch (const std::exception& error) {
        return std::string("another error: ") + error.what();
    }
    return "no error";
}

void expect_refused(const std::string& text, const std::string& node, const std::string& message) {
    const std::string said = refusal_of(model_from_text(text));
    EXPECT_NE(said.find("onnx: " + node + " node 'y' (opset"), said.npos) << text << ": " << said;
    EXPECT_NE(said.find(message), said.npos) << text << ": " << said;
}

TEST(RefusedNumbers, pads_of_a_transposed_convolution) {
    const std::string values = "x:f[1,2,3,3] W=f[2,3,3,3] ; ConvTranspose(x,W)";
    expect_refused(values + "{output_shape=[7,8],pads=[1]}->y", "ConvTranspose",
                   "attribute pads is [1]; expected is a list of 4 numbers from 0 to 2147483647");
    expect_refused(values + "{auto_pad='SAME_UPPER',pads=[]}->y", "ConvTranspose",
                   "attribute pads is []; expected is a list of 4 numbers");
    expect_refused(values + "{output_shape=[7]}->y", "ConvTranspose",
                   "output_shape has 1 sizes; expected are 2");
    expect_refused(values + "{pads=[4,4,4,4]}->y", "ConvTranspose",
                   "pads 4 and 4 are more than axis 2 of the result [1,3,5,5]");
    expect_refused("x:f[2,3] W=f[2,3] ; ConvTranspose(x,W)->y", "ConvTranspose",
                   "x is [2,3] and W [2,3]; expected are 3 to 5 axes of both");
}

TEST(RefusedNumbers, axes) {
    expect_refused("x:f[3,2] l=i[2]{1,3} ; ReverseSequence(x,l){time_axis=100000}->y",
                   "ReverseSequence",
                   "attribute time_axis is 100000; expected is a number from 0 to 1");
    expect_refused("x:f[3,2] l=i[2]{1,4} ; ReverseSequence(x,l)->y", "ReverseSequence",
                   "input 1 is [1,4]; expected is a list of 2 numbers from 0 to 3");
    expect_refused("x:f[3] a=i[2]{2,2} ; Unsqueeze(x,a)->y", "Unsqueeze",
                   "axes [2,2] name axis 2 of 3 axes twice");
    expect_refused("x:f[3,2] ; Transpose(x){perm=[0]}->y", "Transpose",
                   "attribute perm is [0]; expected is a list of 2 numbers");
    expect_refused("x:f[2,3,2] i=i[2,1,1] ; GatherND(x,i){batch_dims=8589934592}->y", "GatherND",
                   "attribute batch_dims is 8589934592; expected is a number from 0 to 2");
    expect_refused("x:f[3,2] ; Softmax(x){axis='last'}->y", "Softmax",
                   "attribute axis is of type STRING, INT is expected");
}

TEST(RefusedNumbers, places_and_sizes_of_an_unpooling) {
    const std::string x = "x:f[1,1,2,2] i=i[1,1,2,2]{5,7,13,999}";
    expect_refused(x + " ; MaxUnpool(x,i){kernel_shape=[2,2],strides=[2,2]}->y", "MaxUnpool",
                   "input 1 is [5,7,13,999]; expected is a list of numbers from 0 to 15");
    expect_refused(x + " o=i[2]{5,5} ; MaxUnpool(x,i,o){kernel_shape=[2,2],strides=[2,2]}->y",
                   "MaxUnpool", "input 2 is [5,5]; expected is a list of 4 numbers");
    expect_refused(x + " o=i[4]{1,1,2,2} ; MaxUnpool(x,i,o){kernel_shape=[2,2],strides=[2,2]}->y",
                   "MaxUnpool", "output_shape [1,1,2,2] is less than [1,1,4,4]");
}

TEST(RefusedNumbers, a_node_without_outputs) {
    ::onnx::ModelProto split = model_from_text("x:f[4] ; Split(x){axis=0}->y => x"),
                       wrapping = model_from_text("x:f[3] y=j[3] ; Add(x,y)->z => x");
    split.mutable_graph()->mutable_node(0)->clear_output();
    EXPECT_NE(refusal_of(split).find("Split node '' has no outputs"), std::string::npos);
    wrapping.mutable_graph()->mutable_initializer(0)->set_data_type(::onnx::TensorProto::UINT32);
    wrapping.mutable_graph()->mutable_node(0)->clear_output();
    EXPECT_NE(refusal_of(wrapping).find("Add node '' has no outputs"), std::string::npos);
}

TEST(RefusedNumbers, pads_without_elements_or_without_end) {
    expect_refused("x:f[0,3] p=i[4]{1,0,0,2} ; Pad(x,p){mode='wrap'}->y", "Pad",
                   "axis 0 of [0,3] is empty and has nothing to pad with");
    expect_refused("x:f[2,3] p=i[4]{9223372036854775807,0,9223372036854775807,0} ; Pad(x,p)->y",
                   "Pad",
                   "input 1 is [9223372036854775807,0,9223372036854775807,0]; expected is a "
                   "list of 4 numbers from -2147483647 to 2147483647");
    expect_refused("x:f[2,3] p=i[4]{-2,0,-1,0} ; Pad(x,p)->y", "Pad",
                   "pads -2 and -1 are more than axis 0 of [2,3]");
    expect_refused("x:f[2,3] p=i[4] ; Pad(x,p){mode='mirror'}->y", "Pad",
                   "attribute mode is 'mirror'; expected is one of constant, reflect, edge, wrap");
}

TEST(RefusedNumbers, updates_of_a_cache) {
    expect_refused("c:f[2,0,3] u:f[2,2,3] ; TensorScatter(c,u){axis=1,mode='circular'}->y",
                   "TensorScatter", "2 elements are written into a cache of 0");
    expect_refused("c:f[2,4,3] u:f[2,2,3] p=i[1] ; TensorScatter(c,u,p){axis=1}->y",
                   "TensorScatter", "input 2 is [0]; expected is a list of 2 numbers from 0 to 2");
}

TEST(RefusedNumbers, axes_of_a_scan) {
    const std::string body = "body=<s:f[2] a:f[2] b:f[2] ; Add(s,a)->t ; Add(a,b)->u => t,u>";
    expect_refused("h:f[2] x:f[3,2] z:f[3,2] ; Scan(h,x,z){num_scan_inputs=2,scan_input_axes=[0]," +
                       body + "}->y,v",
                   "Scan", "attribute scan_input_axes is [0]; expected is a list of 2 numbers");
    expect_refused("h:f[2] x:f[3,2] z:f[4,2] ; Scan(h,x,z){num_scan_inputs=2," + body + "}->y,v",
                   "Scan", "its sequences have 3 and 4 elements");
    expect_refused("h:f[2] x:f[3,2] ; Scan(h,x){num_scan_inputs=5," + body + "}->y,v", "Scan",
                   "attribute num_scan_inputs is 5; expected is a number from 1 to 2");
}

TEST(RefusedNumbers, ranks_of_recurrent_weights) {
    expect_refused("x:f[3,1,2] W=f[8,2] R=f[1,8,2] ; LSTM(x,W,R){hidden_size=2}->y", "LSTM",
                   "input 1 is float32[8,2]; expected are 3 axes");
    expect_refused("x:f[3,1,2] W=f[1,8,2] R=f[1,8,2] b=f[1,3] ; LSTM(x,W,R,b){hidden_size=2}->y",
                   "LSTM", "B is [1,3]; expected is [1,16]");
    expect_refused("x:f[3,1,2] W=f[1,8,2] R=f[1,8,2] ; LSTM(x,W,R){hidden_size=3}->y", "LSTM",
                   "W has 8 rows in each direction; expected are 4 times hidden_size 3");
}

TEST(RefusedNumbers, ranges_that_have_no_end) {
    expect_refused(
        "a=i{0} b=i{9223372036854775807} c=i{1} ; Range(a,b,c)->y", "Range",
        "it has more than 4294967296 elements, from 0 to 9223372036854775807 in steps of 1");
    expect_refused("a=f{0} b=f{inf} c=f{1} ; Range(a,b,c)->y", "Range",
                   "is inf; expected is a number");
    expect_refused("a=f{0} b=f{nan} c=f{1} ; Range(a,b,c)->y", "Range",
                   "is nan; expected is a number");
}

TEST(RefusedNumbers, results_that_are_too_large) {
    expect_refused("x:f[1,1,2,2] s=f[4]{1,1,1e30,1} ; Resize(x,,s)->y", "Resize",
                   "the size of axis 2 of the result is 2.00000003");
    expect_refused("x:f[2,3] r=i[2]{4611686018427387904,4} ; Tile(x,r)->y", "Tile",
                   "input 1 is [4611686018427387904,4]; expected is a list of 2 numbers");
}

}  // namespace
}  // namespace catena::testing
