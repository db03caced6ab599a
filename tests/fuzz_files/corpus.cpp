#include "tests/fuzz_files/corpus.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <zlib.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "frontend/dataset/record_dataset.h"
#include "frontend/serializer/hdf5.h"
#include "frontend/serializer/safetensors.h"
#include "runtime/file/npy.h"
#include "runtime/file/zip_writer.h"
#if CATENA_HAS_ONNX
#include <onnx/onnx_pb.h>

#include "frontend/onnx/export.h"
#include "frontend/onnx/tensor.h"
#endif
#if CATENA_HAS_IMAGES
#include <jpeglib.h>
#include <png.h>
#endif

namespace catena::fuzz {
namespace {

namespace fs = std::filesystem;

struct Folder {
    explicit Folder(const fs::path& path) : path(path) { fs::create_directories(path); }
    std::string operator/(const std::string& name) const { return (path / name).string(); }
    fs::path path;
};

struct Net : Chain {
    Linear l1{4, 6}, l2{6, 3};
    BatchNormalization bn{6};
    Net() { add_children({{"l1", l1}, {"bn", bn}, {"l2", l2}}); }
    Variable operator()(const Variable& x) { return softmax(l2(relu(bn(l1(x))))); }
};

Variable numbers(const Shape& shape) {
    std::vector<float> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = float(i * 37 % 64) / 32 - 1;
    return Variable(Array::from(values, shape), false);
}

void write_numpy_files(const Folder& npy, const Folder& npz) {
    NamedArrays all;
    for (int i = 0; i < dtype_count; ++i) {
        const Array array = numbers({2, 3}).array().astype(Dtype(i));
        save_npy(npy / fmt::format("{}.npy", name_of(Dtype(i))), array);
        all.emplace_back(fmt::format("group/{}", i), array);
    }
    save_npy(npy / "scalar.npy", Array::scalar(2.5f));
    save_npy(npy / "empty.npy", Array::zeros({Dtype::float32, {0, 4}}));
    save_npy(npy / "large.npy", Array::zeros({Dtype::float32, {40, 50}}));
    save_npz(npz / "stored.npz", all, {.compression = false});
    save_npz(npz / "packed.npz", all, {.compression = true});
    Net net;
    Adam adam;
    adam.setup(net);
    save_npz(npz / "net.npz", net);
    save_npz(npz / "adam.npz", adam);
    fs::copy_file(CATENA_SOURCE_DIR "/tests/trainer/data/chainer_snapshot.npz", npz / "chainer.npz",
                  fs::copy_options::overwrite_existing);
}

void write_safetensors_files(const Folder& folder) {
    NamedArrays all{{"scalar", Array::scalar(2.5f)},
                    {"none", Array()},
                    {"empty", Array::zeros({Dtype::float32, {0, 4}})}};
    for (int i = 0; i < dtype_count; ++i)
        all.emplace_back(fmt::format("group/{}", i), numbers({2, 3}).array().astype(Dtype(i)));
    save_safetensors(folder / "all.safetensors", all, {{"format", "pt"}, {"text", "größer"}});
    Net net;
    save_safetensors(folder / "net.safetensors", net);
    // Types that are widened, and one that Catena lacks.
    const std::string header = R"({"a":{"dtype":"U16","shape":[2,2],"data_offsets":[0,8]},)"
                               R"("b":{"dtype":"U64","shape":[1],"data_offsets":[8,16]},)"
                               R"("c":{"dtype":"F8_E4M3","shape":[4],"data_offsets":[16,20]}})";
    const uint64_t length = header.size();
    write_file(folder / "others.safetensors",
               std::string(reinterpret_cast<const char*>(&length), sizeof length) + header +
                   std::string(20, '\1'));
}

void write_hdf5_files(const Folder& folder) {
    if (!hdf5_available()) return;
    Net net;
    save_hdf5(folder / "net.h5", net);
    save_hdf5(folder / "plain.h5", net, {.compression = false});
    std::string text = "some text";
    save_hdf5(folder / "kinds.h5", SerializeFunction([&](const Serializer& s) {
                  for (int i = 0; i < dtype_count; ++i)
                      s["a"].write(fmt::format("{}", i), numbers({2, 3}).array().astype(Dtype(i)));
                  s.write("none", Array());
                  s.write("chunked", numbers({30, 40}).array());
                  s("text", text);
              }));
    fs::copy_file(CATENA_SOURCE_DIR "/tests/trainer/data/chainer_model.h5", folder / "chainer.h5",
                  fs::copy_options::overwrite_existing);
}

void write_package(const Folder& folder) {
    if (!compiler_available()) return;
    Net net;
    SGD sgd(0.1);
    sgd.setup(net);
    auto step = static_graph(
        [&](const Variable& x) {
            Variable loss = sum(net(x));
            net.cleargrads();
            loss.backward();
            sgd.update();
            return loss;
        },
        {.name = "step"});
    step(numbers({5, 4}));
    step.save(folder / "step.catena", {.code_levels = {"scalar"}, .stages = false});
    Linear l1(4, 6), l2(6, 3);
    auto open =
        static_graph([&](const Variable& x) { return softmax(l2(relu(l1(x)))); }, {.name = "open"});
    open(numbers({5, 4}));
    open.save(folder / "open.catena",
              {.open_sizes = {{0, 0, "batch"}}, .code_levels = {"scalar"}, .stages = false});
}

void write_gzip(const std::string& path, const std::string& content) {
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, content.data(), unsigned(content.size()));
    gzclose(file);
}

void write_dataset_files(const Folder& idx, const Folder& cifar, const Folder& text,
                         const Folder& json) {
    std::string images("\0\0\x08\3\0\0\0\2\0\0\0\x1c\0\0\0\x1c", 16);
    for (int i = 0; i < 2 * 28 * 28; ++i) images += char(i);
    write_gzip(idx / "images.gz", images);
    write_file(idx / "images", images);
    std::string records;
    for (int i = 0; i < 2 * 3073; ++i) records += char(i % 3073 ? i : i % 7);
    write_file(cifar / "batch.bin", records);
    write_file(text / "list.txt", "a.png 0\nfolder/b c.png 12\n\nd.png -3\n");
    write_file(text / "words.txt", " a few words \n and <unk> more\n");
    write_file(json / "log.json", R"([{"main/loss": 0.25, "epoch": 1, "elapsed_time": 1.5e-3},
                                      {"main/loss": NaN, "text": "a \"quoted\" \u00e9 one", "list": [1, [2, {"a": null}], true]}])");
}

/// A MATLAB file with and without compression of its parts, so that damage reaches what is
/// compressed.
void write_matlab_files(const Folder& folder) {
    const std::string packed =
        content_of(CATENA_SOURCE_DIR "/tests/trainer/data/two_house_numbers.mat");
    write_file(folder / "packed.mat", packed);
    constexpr size_t header = 128, tag = 8, most = 1 << 16;
    std::string open = packed.substr(0, header);
    for (size_t at = header; at + tag <= packed.size();) {
        uint32_t bytes;
        std::memcpy(&bytes, packed.data() + at + 4, sizeof bytes);
        std::string content(most, '\0');
        uLongf size = most;
        uncompress(reinterpret_cast<Bytef*>(content.data()), &size,
                   reinterpret_cast<const Bytef*>(packed.data() + at + tag), bytes);
        open += content.substr(0, size);
        at += tag + bytes;
    }
    write_file(folder / "open.mat", open);
}

void write_records(const Folder& folder) {
    RecordDatasetWriter records(folder / "some.records");
    for (int i = 0; i < 3; ++i)
        records.write(Example{numbers({2, 3 + i}).array(), Array::scalar(int32_t(i)),
                              Array::full({Dtype::bool_, {i}}, 1)});
    records.finish();
}

void copy_caffe_files(const Folder& folder) {
    for (const char* name : {"new_format", "old_format", "exported"})
        fs::copy_file(fmt::format(CATENA_SOURCE_DIR "/tests/caffe/data/{}.caffemodel", name),
                      folder / name, fs::copy_options::overwrite_existing);
}

#if CATENA_HAS_ONNX

::onnx::NodeProto& add_node(::onnx::GraphProto& graph, const std::string& op,
                            const std::vector<std::string>& inputs,
                            const std::vector<std::string>& outputs) {
    ::onnx::NodeProto& node = *graph.add_node();
    node.set_op_type(op);
    for (const std::string& name : inputs) node.add_input(name);
    for (const std::string& name : outputs) node.add_output(name);
    return node;
}

void add_port(google::protobuf::RepeatedPtrField<::onnx::ValueInfoProto>& list,
              const std::string& name, int type, const std::vector<int64_t>& shape) {
    ::onnx::ValueInfoProto& port = *list.Add();
    port.set_name(name);
    port.mutable_type()->mutable_tensor_type()->set_elem_type(type);
    for (int64_t size : shape)
        port.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(size);
}

/// A model of operators of many kinds, with a loop, a branch and a function.
::onnx::ModelProto model_with_control() {
    using Tensor = ::onnx::TensorProto;
    ::onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(13);
    ::onnx::GraphProto& graph = *model.mutable_graph();
    graph.set_name("g");
    add_port(*graph.mutable_input(), "x", Tensor::FLOAT, {2, 3});
    const auto constant = [&](const std::string& name, std::vector<int64_t> values) {
        Tensor& tensor = *graph.add_initializer();
        tensor.set_name(name);
        tensor.set_data_type(Tensor::INT64);
        tensor.add_dims(int64_t(values.size()));
        for (int64_t value : values) tensor.add_int64_data(value);
    };
    constant("shape", {3, 2});
    constant("three", {3});
    constant("axes", {1});
    add_node(graph, "Reshape", {"x", "shape"}, {"r"});
    add_node(graph, "Expand", {"three", "axes"}, {"e"});
    add_node(graph, "Tile", {"three", "axes"}, {"t"});
    add_node(graph, "Shape", {"x"}, {"s"});
    add_node(graph, "ConstantOfShape", {"s"}, {"c"});
    add_node(graph, "Gather", {"r", "axes"}, {"gathered"});
    add_node(graph, "Concat", {"r", "gathered"}, {"joined"}).add_attribute()->set_name("axis");
    add_node(graph, "Cast", {"three"}, {"go"});
    auto& to = *graph.mutable_node(graph.node_size() - 1)->add_attribute();
    to.set_name("to");
    to.set_type(::onnx::AttributeProto::INT);
    to.set_i(Tensor::BOOL);
    ::onnx::NodeProto& loop = add_node(graph, "Loop", {"three", "go", "x"}, {"last", "scanned"});
    ::onnx::AttributeProto& body = *loop.add_attribute();
    body.set_name("body");
    body.set_type(::onnx::AttributeProto::GRAPH);
    ::onnx::GraphProto& inner = *body.mutable_g();
    add_port(*inner.mutable_input(), "i", Tensor::INT64, {});
    add_port(*inner.mutable_input(), "again", Tensor::BOOL, {});
    add_port(*inner.mutable_input(), "v", Tensor::FLOAT, {2, 3});
    add_node(inner, "Relu", {"v"}, {"w"});
    add_node(inner, "Identity", {"again"}, {"still"});
    for (const char* name : {"still", "w", "w"})
        add_port(*inner.mutable_output(), name, Tensor::FLOAT, {});
    ::onnx::NodeProto& branch = add_node(graph, "If", {"go"}, {"chosen"});
    for (const char* name : {"then_branch", "else_branch"}) {
        ::onnx::AttributeProto& attribute = *branch.add_attribute();
        attribute.set_name(name);
        attribute.set_type(::onnx::AttributeProto::GRAPH);
        add_node(*attribute.mutable_g(), "Neg", {"last"}, {"negative"});
        add_port(*attribute.mutable_g()->mutable_output(), "negative", Tensor::FLOAT, {});
    }
    for (const char* name : {"chosen", "scanned", "c", "e", "t", "joined"})
        add_port(*graph.mutable_output(), name, Tensor::FLOAT, {});
    return model;
}

void write_onnx_files(const Folder& models, const Folder& tensors) {
    Net net;
    const auto test_mode = using_config(&Config::train, false);
    onnx::export_model(net, {numbers({5, 4})}, models / "net.onnx");
    Convolution2D convolution(2, 3, 3);
    onnx::export_model([&](const Variable& x) { return max_pooling_2d(convolution(x), 2); },
                       {numbers({1, 2, 6, 6})}, models / "convolution.onnx");
    write_file(models / "control.onnx", model_with_control().SerializeAsString());
    for (Dtype dtype : {Dtype::float32, Dtype::int64, Dtype::float16}) {
        ::onnx::TensorProto tensor;
        onnx::write_tensor(numbers({2, 3}).array().astype(dtype), "t", tensor);
        write_file(tensors / fmt::format("{}.pb", name_of(dtype)), tensor.SerializeAsString());
    }
    ::onnx::TensorProto outside;
    outside.set_name("outside");
    outside.set_data_type(::onnx::TensorProto::FLOAT);
    outside.add_dims(3);
    outside.set_data_location(::onnx::TensorProto::EXTERNAL);
    for (auto [key, value] :
         {std::pair("location", "elements.bin"), {"offset", "4"}, {"length", "12"}}) {
        auto& entry = *outside.add_external_data();
        entry.set_key(key);
        entry.set_value(value);
    }
    write_file(tensors / "outside.pb", outside.SerializeAsString());
}

#endif

#if CATENA_HAS_IMAGES

void write_png(const std::string& path, png_uint_32 format, int flags) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = 7;
    image.height = 5;
    image.format = format;
    std::vector<uint8_t> pixels(PNG_IMAGE_SIZE(image));
    for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = uint8_t(i * 5);
    png_image_write_to_file(&image, path.c_str(), flags, pixels.data(), 0, nullptr);
}

void write_jpeg(const std::string& path, int channels, bool progressive) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    jpeg_error_mgr errors;
    jpeg_compress_struct out{};
    out.err = jpeg_std_error(&errors);
    jpeg_create_compress(&out);
    jpeg_stdio_dest(&out, file);
    out.image_width = 16;
    out.image_height = 9;
    out.input_components = channels;
    out.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&out);
    if (progressive) jpeg_simple_progression(&out);
    jpeg_start_compress(&out, TRUE);
    std::vector<uint8_t> line(size_t(16 * channels));
    for (int y = 0; y < 9; ++y) {
        for (size_t i = 0; i < line.size(); ++i) line[i] = uint8_t(i * 7 + size_t(y) * 30);
        JSAMPROW row = line.data();
        jpeg_write_scanlines(&out, &row, 1);
    }
    jpeg_finish_compress(&out);
    jpeg_destroy_compress(&out);
    std::fclose(file);
}

void write_pictures(const Folder& png, const Folder& jpeg, const Folder& zips) {
    write_png(png / "grey.png", PNG_FORMAT_GRAY, 0);
    write_png(png / "colour.png", PNG_FORMAT_RGBA, 0);
    write_png(png / "sixteen.png", PNG_FORMAT_LINEAR_RGB, 0);
    write_jpeg(jpeg / "grey.jpg", 1, false);
    write_jpeg(jpeg / "colour.jpg", 3, false);
    write_jpeg(jpeg / "progressive.jpg", 3, true);
    for (bool packed : {false, true}) {
        ZipWriter zip(zips / (packed ? "packed.zip" : "stored.zip"));
        for (const auto& [name, path] :
             {std::pair<std::string, std::string>("a.png", png / "grey.png"),
              {"b/c.jpg", jpeg / "grey.jpg"}}) {
            const std::string content = content_of(path);
            zip.begin(name, packed);
            zip.write(content.data(), content.size());
            zip.end();
        }
        zip.finish();
    }
}

#endif

}  // namespace

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary).write(content.data(), std::streamsize(content.size()));
}

void write_corpora(const std::string& folder) {
    const auto sub = [&](const char* name) { return Folder(fs::path(folder) / name); };
    set_seed(1);
    write_numpy_files(sub("npy"), sub("npz"));
    write_safetensors_files(sub("safetensors"));
    write_hdf5_files(sub("hdf5"));
    write_package(sub("package"));
    write_dataset_files(sub("idx"), sub("cifar"), sub("text"), sub("json"));
    write_matlab_files(sub("mat"));
    write_file(sub("words") / "words.txt",
               " a few words \n and <unk> more\n a few more words \r\n");
    write_records(sub("records"));
    copy_caffe_files(sub("caffe"));
#if CATENA_HAS_ONNX
    write_onnx_files(sub("onnx"), sub("tensor"));
#endif
#if CATENA_HAS_IMAGES
    write_pictures(sub("png"), sub("jpeg"), sub("pictures_zip"));
#endif
}

std::vector<std::string> read_corpus(const std::string& folder) {
    std::vector<fs::path> paths;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::vector<std::string> corpus;
    for (const fs::path& path : paths) corpus.push_back(content_of(path.string()));
    return corpus;
}

}  // namespace catena::fuzz
