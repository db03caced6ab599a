// Networks of Caffe whose fields were changed, as messages and as text: an error of Catena's or a
// result, and nothing else.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include <google/protobuf/text_format.h>

#include "frontend/caffe/caffe.pb.h"
#include "frontend/caffe/caffe_function.h"
#include "frontend/catena.h"
#include "tests/fuzz_files/corpus.h"
#include "tests/fuzz_files/fields.h"
#include "tests/fuzz_files/message_fields.h"
#include "tests/support/mutator.h"

namespace catena::fuzz {
namespace {

using caffe::format::NetParameter;
using google::protobuf::TextFormat;
using testing::Random;

/// The lines of data/caffe_nets.txt, and the files of tests/caffe.
std::vector<NetParameter> small_nets() {
    std::vector<NetParameter> nets;
    std::ifstream lines(CATENA_SOURCE_DIR "/tests/fuzz_files/data/caffe_nets.txt");
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("#")) continue;
        EXPECT_TRUE(TextFormat::ParseFromString(line, &nets.emplace_back())) << line;
    }
    for (const char* name : {"new_format", "old_format", "exported"})
        EXPECT_TRUE(nets.emplace_back().ParseFromString(content_of(
            std::string(CATENA_SOURCE_DIR "/tests/caffe/data/") + name + ".caffemodel")));
    return nets;
}

Array some_elements(const Shape& shape) {
    std::vector<float> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = float(i * 37 % 64) / 32 - 1;
    return Array::from(values, shape);
}

caffe::CaffeFunction::Blobs inputs_of(const caffe::CaffeFunction& net) {
    caffe::CaffeFunction::Blobs given;
    for (const std::string& name : net.inputs()) {
        if (name == "label")
            given[name] = Variable(Array::zeros({Dtype::int32, {2}}), false);
        else
            given[name] = Variable(some_elements(name == "image"              ? Shape{1, 3, 12, 12}
                                                 : name == "v" || name == "f" ? Shape{2, 4}
                                                                              : Shape{2, 4, 6, 6}),
                                   name == "x");
    }
    return given;
}

/// Whether this file is text beside weights.
bool is_text(uint64_t seed) { return seed % 3 == 0; }

TEST(FieldsOfCaffe, give_results_or_errors_whatever_they_are) {
    const std::vector<NetParameter> nets = small_nets();
    const auto write = [&](const std::string& path, uint64_t seed) {
        Random random(seed);
        NetParameter net = nets[random() % nets.size()];
        const std::string weights = net.SerializeAsString();
        change_message(net, random);
        if (!is_text(seed)) return write_file(path, net.SerializePartialAsString());
        std::string text;
        TextFormat::PrintToString(net, &text);
        // Digits, words and brackets of it, too.
        if (random() % 2 == 0) text = testing::mutated({text}, random);
        write_file(path + ".prototxt", text);
        if (random() % 2 == 0) change_message(net, random);
        write_file(path, random() % 2 == 0 ? weights : net.SerializePartialAsString());
    };
    const auto read = [](const std::string& path, uint64_t seed) {
        const caffe::CaffeFunction net = is_text(seed)
                                             ? caffe::CaffeFunction(path, path + ".prototxt")
                                             : caffe::CaffeFunction(path);
        net.results(net.inputs());
        const caffe::CaffeFunction::Blobs blobs = net.blobs(inputs_of(net));
        for (const auto& [name, y] : blobs)
            if (seed % 2 == 0 && y.defined() && is_float(y.dtype()) && y.requires_grad())
                sum(y).backward();
    };
    fuzz_fields({.kind = "caffemodel", .seconds = 4, .least_inputs = 500}, write, read);
}

}  // namespace
}  // namespace catena::fuzz
