#include "frontend/caffe/layer_reader.h"

#include <algorithm>
#include <map>

#include "frontend/caffe/caffe.pb.h"

namespace catena::caffe {
namespace {

std::map<std::string, LayerReader>& readers() {
    static auto& all = *new std::map<std::string, LayerReader>;
    return all;
}

int64_t count_of(const format::BlobProto& blob) {
    return std::max(blob.data_size(), blob.double_data_size());
}

/// The sizes of a blob: those of `shape`, or the four of older files.
std::vector<int64_t> sizes_of(const format::BlobProto& blob) {
    if (blob.has_shape()) return {blob.shape().dim().begin(), blob.shape().dim().end()};
    if (blob.has_num() || blob.has_channels() || blob.has_height() || blob.has_width())
        return {blob.num(), blob.channels(), blob.height(), blob.width()};
    return {count_of(blob)};
}

/// Whether the sizes multiply to so many elements.
bool have_count(const std::vector<int64_t>& sizes, int64_t count) {
    int64_t product = 1;
    for (int64_t size : sizes)
        if (size < 0 || __builtin_mul_overflow(product, size, &product)) return false;
    return product == count;
}

Array elements_of(const format::BlobProto& blob, const Shape& shape) {
    const Array array = Array::empty({Dtype::float32, shape});
    float* to = array.to_fill<float>();
    if (blob.data_size() > 0)
        std::copy(blob.data().begin(), blob.data().end(), to);
    else
        std::copy(blob.double_data().begin(), blob.double_data().end(), to);
    return array;
}

}  // namespace

int add_layer_readers(std::vector<LayerReader> added) {
    for (LayerReader& reader : added) {
        const std::string type = reader.type;
        if (!readers().emplace(type, std::move(reader)).second)
            throw InternalError("two readers of Caffe's layer " + type);
    }
    return int(added.size());
}

const LayerReader* find_layer_reader(const std::string& type) {
    const auto found = readers().find(type);
    return found == readers().end() ? nullptr : &found->second;
}

LayerFunction of_one(std::function<Variable(const Variable&)> f) {
    return {[f = std::move(f)](std::span<const Variable> x, Link*) { return Variables{f(x[0])}; }};
}

int axis_of(int64_t axis, int rank, const char* what) {
    if (axis < -rank || axis >= rank)
        fail<ShapeError>("caffe: {}: axis {} is not one of {} axes", what, axis, rank);
    return int(axis < 0 ? axis + rank : axis);
}

bool LayerInFile::has_blob(int i) const { return i < parameters_.blobs_size(); }

const format::BlobProto& LayerInFile::blob_in_file(int i) const {
    if (!has_blob(i))
        wrong(fmt::format("has {} blobs of parameters, blob {} is missing",
                          parameters_.blobs_size(), i));
    return parameters_.blobs(i);
}

Array LayerInFile::blob(int i) const {
    const format::BlobProto& blob = blob_in_file(i);
    const std::vector<int64_t> sizes = sizes_of(blob);
    if (sizes.size() > size_t(max_rank))
        wrong(fmt::format("blob {} has {} axes; there may be {}", i, sizes.size(), max_rank));
    if (!have_count(sizes, count_of(blob))) {
        std::string text;
        for (int64_t size : sizes) text += (text.empty() ? "" : ",") + std::to_string(size);
        wrong(fmt::format("blob {} has the sizes [{}] and {} elements", i, text, count_of(blob)));
    }
    return elements_of(blob, Shape(sizes));
}

Array LayerInFile::blob(int i, const Shape& shape, const char* what) const {
    const format::BlobProto& blob = blob_in_file(i);
    if (count_of(blob) != element_count(shape))
        wrong(fmt::format("blob {} has {} elements; {} must have those of {}", i, count_of(blob),
                          what, to_string(shape)));
    return elements_of(blob, shape);
}

std::string LayerInFile::describe() const {
    return fmt::format("{}: {} layer '{}'", path_, parameters_.type(), parameters_.name());
}

void LayerInFile::wrong(const std::string& what) const {
    fail<FileError>("caffe: {} {}", describe(), what);
}

void LayerInFile::unsupported(const std::string& what) const {
    fail<UnsupportedError>("caffe: {}: {} is not supported", describe(), what);
}

void LayerInFile::check_bottoms(int least, int most) const {
    const int count = parameters_.bottom_size();
    if (count < least || count > most)
        wrong(least == most ? fmt::format("takes {} bottoms, not {}", least, count)
                            : fmt::format("takes {} to {} bottoms, not {}", least, most, count));
}

}  // namespace catena::caffe
