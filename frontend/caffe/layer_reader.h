#pragma once

#include <functional>
#include <string>
#include <vector>

#include "frontend/caffe/errors.h"
#include "frontend/link/owned_link.h"
#include "runtime/graph/op/op.h"

namespace catena::caffe {

namespace format {
class BlobProto;
class LayerParameter;
}  // namespace format

/// One layer of a file, as passed to the reader of its type.
class LayerInFile {
public:
    LayerInFile(const format::LayerParameter& parameters, const std::string& path)
        : parameters_(parameters), path_(path) {}

    const format::LayerParameter& operator*() const { return parameters_; }
    const format::LayerParameter* operator->() const { return &parameters_; }

    /// Blob i as float32, with its sizes in the file. FileError when it is missing or has another
    /// number of elements.
    Array blob(int i) const;
    /// Blob i in this shape, whatever the sizes in the file (Chainer writes wrong ones for the bias
    /// of a deconvolution). FileError when `what` must have another number of elements.
    Array blob(int i, const Shape& shape, const char* what) const;
    bool has_blob(int i) const;

    /// The layer's name in errors: "net.caffemodel: Convolution layer 'conv1'".
    std::string describe() const;
    /// Throws a FileError about this layer.
    [[noreturn]] void wrong(const std::string& what) const;
    [[noreturn]] void unsupported(const std::string& what) const;
    /// FileError unless the layer has between `least` and `most` bottoms.
    void check_bottoms(int least, int most) const;

private:
    const format::BlobProto& blob_in_file(int i) const;
    const format::LayerParameter& parameters_;
    const std::string& path_;
};

/// The computation of a layer; `link` holds its parameters. A copy of the layer is called with the
/// copy of its link.
struct LayerFunction {
    std::function<Variables(std::span<const Variable>, Link* link)> run;
    OwnedLink link = {};

    LayerFunction() = default;
    LayerFunction(std::function<Variables(std::span<const Variable>, Link*)> run,
                  OwnedLink link = {})
        : run(std::move(run)), link(std::move(link)) {}
};

/// A layer that is a function of its only bottom.
LayerFunction of_one(std::function<Variable(const Variable&)> f);
/// A layer that is a link of class L, called with its only bottom.
template <class L>
LayerFunction of_link(L link) {
    return {[](std::span<const Variable> x, Link* own) {
                return Variables{static_cast<L&>(*own)(x[0])};
            },
            OwnedLink(std::move(link))};
}

/// Makes a layer of Caffe's type `type`. Every family has a file in frontend/caffe/layers.
struct LayerReader {
    std::string type;
    std::function<LayerFunction(const LayerInFile&)> read;
    int most_bottoms = 1;
};

/// Adds readers of layers: for static initialisers.
int add_layer_readers(std::vector<LayerReader> readers);
/// The reader of a type of layers; null when there is none.
const LayerReader* find_layer_reader(const std::string& type);

/// An axis in [-rank, rank) as a non-negative one; ShapeError otherwise.
int axis_of(int64_t axis, int rank, const char* what);

}  // namespace catena::caffe
