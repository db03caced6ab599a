#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "frontend/caffe/caffe.pb.h"
#include "frontend/caffe/caffe_function.h"
#include "runtime/core/array/array.h"

namespace catena::testing {

/// An empty folder of this test.
inline std::string caffe_folder() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    const std::filesystem::path path =
        std::filesystem::path(::testing::TempDir()) / (std::string("catena_caffe_") + test->name());
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
    return path.string();
}

/// A network of a test, written as a file.
class NetFile {
public:
    using LayerParameter = caffe::format::LayerParameter;

    LayerParameter& add(const std::string& type, const std::string& name,
                        const std::vector<std::string>& bottom) {
        LayerParameter& layer = *net.add_layer();
        layer.set_type(type);
        layer.set_name(name);
        for (const std::string& blob : bottom) layer.add_bottom(blob);
        layer.add_top(name);
        return layer;
    }
    static void add_blob(LayerParameter& layer, const std::vector<int64_t>& sizes,
                         const std::vector<float>& values) {
        caffe::format::BlobProto& blob = *layer.add_blobs();
        blob.mutable_shape();
        for (int64_t size : sizes) blob.mutable_shape()->add_dim(size);
        for (float value : values) blob.add_data(value);
    }
    void write(const std::string& bytes) const { std::ofstream(path, std::ios::binary) << bytes; }
    caffe::CaffeFunction load() const {
        write(net.SerializeAsString());
        return caffe::CaffeFunction(path);
    }

    std::string path = caffe_folder() + "/net.caffemodel";
    caffe::format::NetParameter net;
};

/// Numbers between -1 and 1 that look random.
inline std::vector<float> some_numbers(int64_t count) {
    std::vector<float> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(float((i * 37 + 11) % 64) / 32 - 1);
    return values;
}
inline Variable some_array(const Shape& shape) {
    return Variable(Array::from(some_numbers(element_count(shape)), shape), false);
}

inline void expect_close(const Variable& actual, const Shape& shape,
                         const std::vector<double>& expected, double tolerance = 1e-5) {
    ASSERT_EQ(to_string(actual.shape()), to_string(shape));
    const std::vector<double> values = actual.array().to_vector<double>();
    for (size_t i = 0; i < values.size(); ++i)
        ASSERT_NEAR(values[i], expected[i], tolerance) << "element " << i;
}

}  // namespace catena::testing
