// What a model may compute, however few bytes it has.

#include <fstream>

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "frontend/onnx/import.h"
#include "runtime/core/system/error.h"
#include "runtime/file/limits.h"
#include "tests/onnx/exported.h"
#include "tests/onnx/model_text.h"

namespace catena::testing {
namespace {

class MemoryOfModels : public ::testing::Test {
protected:
    MemoryOfModels() {
        FileLimits limits = before_;
        limits.memory = uint64_t(64) << 20;
        set_file_limits(limits);
    }
    ~MemoryOfModels() override { set_file_limits(before_); }

    /// What importing and running the model says.
    std::string refused(const std::string& text) {
        const std::string path = fresh_folder("memory_of_models") + "/model.onnx";
        std::ofstream(path, std::ios::binary) << model_from_text(text).SerializeAsString();
        try {
            const onnx::Model model = onnx::import_model(path);
            model.run(Variables{Variable(Array::zeros({Dtype::float32, {2}}), false)});
        } catch (const FileError& error) {
            return error.what();
        } catch (const Error& error) {
            return std::string("another error: ") + error.what();
        }
        return "no error";
    }

    const FileLimits before_ = file_limits();
};

TEST_F(MemoryOfModels, is_limited_before_there_is_any) {
    for (const char* text :
         {"x:f[2] p=i[2]{0,2000000000} ; Pad(x,p)->y", "x:f[2] n=i[1]{1073741824} ; Tile(x,n)->y",
          "x:f[2] s=i[2]{1000000,1000} ; ConstantOfShape(s)->c ; Exp(c)->y",
          "x:f[2] a=i{0} b=i{2147483648} c=i{1} ; Range(a,b,c)->y",
          "x:f[2] a=f{0} b=f{1e9} c=f{1} ; Range(a,b,c)->y"}) {
        const std::string what = refused(text);
        EXPECT_NE(what.find("bytes is asked for"), std::string::npos) << text << ": " << what;
        EXPECT_NE(what.find("node"), std::string::npos) << "it names no node: " << what;
    }
}

TEST_F(MemoryOfModels, that_is_there_is_given) {
    EXPECT_EQ(refused("x:f[2] p=i[2]{0,1000000} ; Pad(x,p)->y"), "no error");
    EXPECT_EQ(refused("x:f[2] a=i{-9223372036854775807} b=i{9223372036854775807} "
                      "c=i{4611686018427387904} ; Range(a,b,c)->y"),
              "no error");
}

}  // namespace
}  // namespace catena::testing
