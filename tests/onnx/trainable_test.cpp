// Which initializers are parameters of a model that is trained further: those that operators read
// as weights.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include <onnx/onnx_pb.h>

#include "frontend/catena.h"
#include "frontend/onnx/import.h"
#include "tests/onnx/exported.h"
#include "tests/onnx/model_text.h"

namespace catena::testing {
namespace {

using Names = std::set<std::string>;

onnx::Model trainable(const std::string& text) {
    const std::string path = fresh_folder("trainable") + "/model.onnx";
    std::ofstream(path, std::ios::binary) << model_from_text(text).SerializeAsString();
    return onnx::import_model(path, {.trainable = true});
}

/// Names of the initializers that are parameters.
Names learned(const std::string& text) {
    Names names;
    for (const auto& [name, variable] : trainable(text).initializers())
        if (variable.requires_grad()) names.insert(name);
    return names;
}

TEST(Trainable, are_scale_and_bias_of_a_normalization_but_not_its_statistics) {
    EXPECT_EQ(learned("x:f[2,3] s=f[3] b=f[3] m=f[3] v=f[3]{1,2,3} ; "
                      "BatchNormalization(x,s,b,m,v)->y"),
              (Names{"s", "b"}));
    EXPECT_EQ(learned("x:f[2,3] s=f[3] b=f[3] ; LayerNormalization(x,s,b)->y"), (Names{"s", "b"}));
}

TEST(Trainable, are_weights_bias_and_tables) {
    EXPECT_EQ(learned("x:f[1,2,5,5] W=f[3,2,3,3] b=f[3] ; Conv(x,W,b)->y"), (Names{"W", "b"}));
    EXPECT_EQ(learned("i:i[2] t=f[4,3] w=f[3,2] ; Gather(t,i)->x ; MatMul(x,w)->y"),
              (Names{"t", "w"}));
    EXPECT_EQ(learned("x:f[3,1,2] W=f[1,8,2] R=f[1,8,2] b=f[1,16] h=f[1,1,2] ; "
                      "LSTM(x,W,R,b,,h)->y"),
              (Names{"W", "R", "b"}));
}

TEST(Trainable, is_no_number_of_a_formula_or_of_a_size) {
    EXPECT_EQ(learned("x:f[1,1,2,3] s=f[4]{1,1,2,2} ; Resize(x,,s)->y"), Names());
    EXPECT_EQ(learned("x:f[2,3] half=f{0.5} b=f[3] ; Mul(x,half)->h ; Add(h,b)->y"), (Names{"b"}));
    EXPECT_EQ(learned("x:f[2,3] a=f{-1} b=f{1} ; Clip(x,a,b)->y"), Names());
    EXPECT_EQ(learned("x:f[2,3] m=f[3] s=f[3]{1,2,3} ; Sub(x,m)->c ; Div(c,s)->y"), Names());
    EXPECT_EQ(learned("x:f[2,3] p=i[4] v=f{0.5} ; Pad(x,p,v)->y"), Names());
}

TEST(Trainable, are_weights_that_are_turned_joined_or_made_of_others) {
    EXPECT_EQ(learned("x:f[2,3] w=f[4,3] ; Transpose(w){perm=[1,0]}->t ; MatMul(x,t)->y"),
              (Names{"w"}));
    EXPECT_EQ(learned("x:f[2,3] v=f[3,2] w=f[3,2] ; Concat(v,w){axis=1}->t ; MatMul(x,t)->y"),
              (Names{"v", "w"}));
    // A direction and a length, by which a weight is normalized.
    EXPECT_EQ(learned("x:f[2,3] v=f[3,4] g=f[1,4] a=i[1]{0} ; ReduceL2(v,a)->n ; Div(v,n)->d ; "
                      "Mul(d,g)->w ; MatMul(x,w)->y"),
              (Names{"v", "g"}));
}

TEST(Trainable, are_weights_that_a_branch_reads) {
    EXPECT_EQ(learned("x:f[2,3] c=b{1} w=f[3,4] v=f[3,4] ; If(c){then_branch=< ; MatMul(x,w)->a>,"
                      "else_branch=< ; MatMul(x,v)->b>}->y"),
              (Names{"w", "v"}));
}

TEST(Trainable, leaves_the_statistics_as_they_are_after_a_step) {
    onnx::Model model = trainable(
        "x:f[2,3] s=f[3]{1,1,1} b=f[3]{0,0,0} m=f[3]{0.5,1,2} v=f[3]{1,2,3} ; "
        "BatchNormalization(x,s,b,m,v)->y");
    SGD sgd(0.1);
    sgd.setup(model);
    const Variable x(Array::full({Dtype::float32, {2, 3}}, 1), false);
    const Variable loss = sum(square(model(x)));
    model.cleargrads();
    loss.backward();
    sgd.update();
    for (const auto& [name, variable] : model.initializers()) {
        if (name == "m") {
            EXPECT_EQ(variable.array().to_vector<float>(), (std::vector<float>{0.5, 1, 2}));
        }
        if (name == "v") {
            EXPECT_EQ(variable.array().to_vector<float>(), (std::vector<float>{1, 2, 3}));
        }
    }
    EXPECT_LT(sum(square(model(x))).item<float>(), loss.item<float>());
}

}  // namespace
}  // namespace catena::testing
