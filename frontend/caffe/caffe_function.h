#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/caffe/errors.h"
#include "frontend/link/owned_link.h"
#include "runtime/graph/op/op.h"

namespace catena::caffe {

namespace format {
class NetParameter;
}

/// A layer of the file: it reads the blobs `bottom` and writes the blobs `top`, possibly the same
/// ones.
struct Layer {
    std::string name;
    /// Caffe's type, "Convolution"; files of the older format get the newer names.
    std::string type;
    std::vector<std::string> bottom, top;
};

/// A network from a .caffemodel file as a link, like Chainer's CaffeFunction. Every layer with
/// parameters is a child under its name: /conv1/W, /bn1/avg_mean. The layers run on Catena's
/// functions: eagerly, differentiably, and compiled in a static_graph. Config::train decides how
/// dropout and batch normalisation behave.
///
///     ct::caffe::CaffeFunction net("bvlc_reference_caffenet.caffemodel");
///     ct::Variable y = net({{"data", x}}, {"fc8"})[0];
class CaffeFunction : public Link {
public:
    using Blobs = std::map<std::string, Variable>;

    /// Reads a network. FileError when it is no .caffemodel or a layer contradicts itself;
    /// UnsupportedError for an option of a layer that Catena lacks. Layers of unknown types are
    /// skipped with a line on stderr, those without bottoms (data) in silence.
    explicit CaffeFunction(const std::string& path);
    /// Reads the layers from the text file `prototxt`, in the test phase, and the weights of the
    /// layers of the same names from `path`: for a network that was changed since, or a file of
    /// weights with less information. FileError, too, where the text is wrong, with its line.
    CaffeFunction(const std::string& path, const std::string& prototxt);

    /// The blobs `outputs` computed from the blobs `inputs`. Layers run in the file's order; those
    /// that lack a bottom, or are named in `disable`, are left out. ValueError when an output is
    /// then not computed.
    std::vector<Variable> operator()(const Blobs& inputs, const std::vector<std::string>& outputs,
                                     const std::vector<std::string>& disable = {}) const;
    /// All blobs, both the given ones and those computed.
    Blobs blobs(const Blobs& inputs, const std::vector<std::string>& disable = {}) const;
    /// Runs one layer on its bottoms. ValueError when there is no such layer.
    std::vector<Variable> forward(const std::string& layer,
                                  const std::vector<Variable>& bottom) const;

    const std::vector<Layer>& layers() const;  ///< The layers, without those that were skipped.
    /// The skipped layers: those of unknown types, and data layers.
    const std::vector<Layer>& skipped() const;
    /// Names of the blobs that layers read and none writes before.
    std::vector<std::string> inputs() const;
    /// Names of the blobs that no layer reads after they are computed from these inputs.
    std::vector<std::string> results(const std::vector<std::string>& inputs) const;
    const std::string& net_name() const;
    /// The child of that name; ValueError listing the children when there is none.
    Link& operator[](const std::string& layer) const;

protected:
    void visit_children(ChildVisitor visit) const override;

private:
    struct Network;
    /// The layers of a parsed file; `path` names it in errors.
    void read(format::NetParameter& net, const std::string& path);
    bool runs(size_t layer, const std::vector<std::string>& disable) const;
    std::string why_not_computed(const std::string& blob, const Blobs& known) const;

    std::shared_ptr<const Network> network_;
    std::vector<OwnedLink>
        links_;  ///< The links of the layers, in order; empty ones for layers without parameters.
};

}  // namespace catena::caffe
