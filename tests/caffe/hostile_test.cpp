// Files that are cut short, damaged or contradict themselves.
#include <functional>

#include "runtime/file/limits.h"
#include "runtime/graph/variable/variable.h"
#include "tests/caffe/net_file.h"

namespace catena::testing {
namespace {

using LayerParameter = caffe::format::LayerParameter;

NetFile convolution_net() {
    NetFile file;
    auto& layer = file.add("Convolution", "conv", {"x"});
    layer.mutable_convolution_param()->add_kernel_size(2);
    layer.mutable_convolution_param()->set_num_output(2);
    NetFile::add_blob(layer, {2, 1, 2, 2}, some_numbers(8));
    NetFile::add_blob(layer, {2}, some_numbers(2));
    return file;
}

TEST(CaffeHostile, every_truncation_is_an_error_or_a_shorter_file) {
    const NetFile file = convolution_net();
    const std::string bytes = file.net.SerializeAsString();
    for (size_t length = 0; length < bytes.size(); ++length) {
        file.write(bytes.substr(0, length));
        EXPECT_THROW(caffe::CaffeFunction{file.path}, Error)
            << length << " of " << bytes.size() << " bytes";
    }
}

TEST(CaffeHostile, damaged_bytes_give_errors_or_networks_and_nothing_else) {
    const NetFile file = convolution_net();
    const std::string bytes = file.net.SerializeAsString();
    const Variable x = some_array({1, 1, 4, 4});
    int loaded = 0;
    for (size_t at = 0; at < bytes.size(); ++at)
        for (const int damage : {0x5a, 0x01, 0x80}) {
            std::string damaged = bytes;
            damaged[at] = char(damaged[at] ^ damage);
            file.write(damaged);
            try {
                const caffe::CaffeFunction net(file.path);
                ++loaded;
                net.blobs({{"x", x}});
            } catch (const Error&) {
            }
        }
    EXPECT_GT(loaded, 0);
}

TEST(CaffeHostile, memory_is_limited_before_there_is_any) {
    NetFile file = convolution_net();
    file.net.mutable_layer(0)->mutable_convolution_param()->add_pad(30000);
    const caffe::CaffeFunction net = file.load();
    const FileLimits before = file_limits();
    FileLimits limits = before;
    limits.memory = uint64_t(64) << 20;
    set_file_limits(limits);
    std::string what = "no error";
    try {
        net.blobs({{"x", some_array({1, 1, 4, 4})}});
    } catch (const FileError& error) {
        what = error.what();
    }
    set_file_limits(before);
    EXPECT_NE(what.find("Convolution layer 'conv': an array of 28802880072 bytes"),
              std::string::npos)
        << what;
}

/// What loading a network of one layer says.
std::string refused(const std::string& type, const std::function<void(LayerParameter&)>& fill,
                    int bottoms = 1) {
    NetFile file;
    fill(file.add(type, "layer", std::vector<std::string>(size_t(bottoms), "x")));
    try {
        file.load();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

#define EXPECT_REFUSED(part, ...)                                    \
    do {                                                             \
        const std::string message = refused(__VA_ARGS__);            \
        EXPECT_NE(message.find(part), std::string::npos) << message; \
    } while (false)

TEST(CaffeHostile, blobs_that_do_not_hold_what_they_declare) {
    EXPECT_REFUSED("Bias layer 'layer' has 0 blobs of parameters, blob 0 is missing", "Bias",
                   [](LayerParameter&) {});
    EXPECT_REFUSED("has the sizes [1099511627776] and 2 elements", "Bias",
                   [](LayerParameter& l) { NetFile::add_blob(l, {int64_t(1) << 40}, {1, 2}); });
    EXPECT_REFUSED("and 2 elements", "Bias", [](LayerParameter& l) {
        NetFile::add_blob(l, std::vector<int64_t>(4, int64_t(1) << 32), {1, 2});
    });
    EXPECT_REFUSED("and 2 elements", "Bias",
                   [](LayerParameter& l) { NetFile::add_blob(l, {-1, -2}, {1, 2}); });
    EXPECT_REFUSED("has 9 axes", "Bias", [](LayerParameter& l) {
        NetFile::add_blob(l, std::vector<int64_t>(9, 1), {1});
    });
}

TEST(CaffeHostile, options_that_contradict_the_weights) {
    const auto convolution =
        [](const std::function<void(caffe::format::ConvolutionParameter&)>& change) {
            return [=](LayerParameter& l) {
                NetFile::add_blob(l, {2, 1, 2, 2}, some_numbers(8));
                NetFile::add_blob(l, {2}, some_numbers(2));
                change(*l.mutable_convolution_param());
            };
        };
    EXPECT_REFUSED("has 3 outputs, its weights [2,1,2,2] are for 2", "Convolution",
                   convolution([](auto& p) { p.set_num_output(3); }));
    EXPECT_REFUSED("has a kernel of [3,3]", "Convolution",
                   convolution([](auto& p) { p.add_kernel_size(3); }));
    EXPECT_REFUSED("has 0 groups", "Convolution", convolution([](auto& p) { p.set_group(0); }));
    EXPECT_REFUSED("has 3 groups", "Convolution", convolution([](auto& p) { p.set_group(3); }));
    EXPECT_REFUSED("has the stride 0", "Convolution",
                   convolution([](auto& p) { p.add_stride(0); }));
    EXPECT_REFUSED("has the padding 4294967295", "Convolution",
                   convolution([](auto& p) { p.add_pad(UINT32_MAX); }));
    EXPECT_REFUSED("a convolution over 3 axes", "Convolution", convolution([](auto& p) {
                       for (int i = 0; i < 3; ++i) p.add_pad(0);
                   }));
    EXPECT_REFUSED("blob 1 has 3 elements; a bias must have those of [2]", "Convolution",
                   [](LayerParameter& l) {
                       NetFile::add_blob(l, {2, 1, 2, 2}, some_numbers(8));
                       NetFile::add_blob(l, {3}, some_numbers(3));
                   });
    EXPECT_REFUSED("a convolution with weights [8]", "Deconvolution",
                   [](LayerParameter& l) { NetFile::add_blob(l, {8}, some_numbers(8)); });
}

TEST(CaffeHostile, options_that_make_no_sense) {
    EXPECT_REFUSED("has windows of 0", "Pooling", [](LayerParameter&) {});
    EXPECT_REFUSED("padded by 3", "Pooling", [](LayerParameter& l) {
        l.mutable_pooling_param()->set_kernel_size(3);
        l.mutable_pooling_param()->set_pad(3);
    });
    EXPECT_REFUSED("stochastic pooling is not supported", "Pooling", [](LayerParameter& l) {
        l.mutable_pooling_param()->set_pool(caffe::format::PoolingParameter::STOCHASTIC);
    });
    EXPECT_REFUSED("drops a part of 1", "Dropout",
                   [](LayerParameter& l) { l.mutable_dropout_param()->set_dropout_ratio(1); });
    EXPECT_REFUSED("normalises over 4 neighbours", "LRN",
                   [](LayerParameter& l) { l.mutable_lrn_param()->set_local_size(4); });
    EXPECT_REFUSED(
        "has 3 factors for 2 bottoms", "Eltwise",
        [](LayerParameter& l) {
            for (int i = 0; i < 3; ++i) l.mutable_eltwise_param()->add_coeff(1);
        },
        2);
    EXPECT_REFUSED("takes 2 bottoms, not 1", "SoftmaxWithLoss", [](LayerParameter&) {});
    EXPECT_REFUSED("takes 1 bottoms, not 2", "ReLU", [](LayerParameter&) {}, 2);
    EXPECT_REFUSED("blob 1 has 1 elements; the variances must have those of [2]", "BatchNorm",
                   [](LayerParameter& l) {
                       NetFile::add_blob(l, {2}, {1, 2});
                       NetFile::add_blob(l, {1}, {1});
                   });
    EXPECT_REFUSED("cuts at 1 places and has 1 tops", "Slice",
                   [](LayerParameter& l) { l.mutable_slice_param()->add_slice_point(1); });
}

TEST(CaffeHostile, files_that_are_none) {
    EXPECT_THROW(caffe::CaffeFunction(caffe_folder() + "/none.caffemodel"), FileError);
    EXPECT_THROW(caffe::CaffeFunction{caffe_folder()}, FileError);
    const NetFile file;
    file.write("");
    EXPECT_THROW(caffe::CaffeFunction{file.path}, FileError);
    file.write("name: \"text\"\n");
    EXPECT_THROW(caffe::CaffeFunction{file.path}, FileError);
    EXPECT_THROW(file.load(), FileError) << "a network without layers";
}

}  // namespace
}  // namespace catena::testing
