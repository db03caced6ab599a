#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/caffe/errors.h"
#include "frontend/link/owned_link.h"
#include "runtime/graph/op.h"

namespace catena::caffe {

namespace format {
class NetParameter;
}

/// A layer of the file: it reads the blobs `bottom` and writes the blobs `top`, possibly the same
/// ones.
struct Layer {
    std::string name;
    std::string type;  ///< Caffe's, "Convolution"; files of the older format get the newer names.
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

    /// FileError when the file is no such file or a layer contradicts itself; UnsupportedError for
    /// an option of a layer that Catena lacks. Layers of unknown types are skipped with a line on
    /// stderr, those without bottoms (data) in silence.
    explicit CaffeFunction(const std::string& path);
    /// The layers of the file of text `prototxt`, in the phase of tests, with the weights of the
    /// layers of the same names in `path`: for a network that was changed since, or a file of
    /// weights that says less. FileError, too, where the text is wrong, with its line.
    CaffeFunction(const std::string& path, const std::string& prototxt);

    /// The blobs `outputs` computed from the blobs `inputs`. Layers run in the file's order; those
    /// that lack a bottom, or are named in `disable`, are left out. ValueError when an output is
    /// then not computed.
    std::vector<Variable> operator()(const Blobs& inputs, const std::vector<std::string>& outputs,
                                     const std::vector<std::string>& disable = {}) const;
    /// All blobs: those given and those computed.
    Blobs blobs(const Blobs& inputs, const std::vector<std::string>& disable = {}) const;
    /// One layer called with its bottoms. ValueError when there is no such layer.
    std::vector<Variable> forward(const std::string& layer,
                                  const std::vector<Variable>& bottom) const;

    const std::vector<Layer>& layers() const;   ///< Without those that were skipped.
    const std::vector<Layer>& skipped() const;  ///< Layers of unknown types, and data layers.
    std::vector<std::string> inputs() const;    ///< Blobs that layers read and none writes before.
    /// Blobs that no layer reads after they are computed from these inputs.
    std::vector<std::string> results(const std::vector<std::string>& inputs) const;
    const std::string& net_name() const;
    /// ValueError listing the children when there is none of that name.
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
        links_;  ///< Of the layers, in order; empty ones for those without parameters.
};

}  // namespace catena::caffe
