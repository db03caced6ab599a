#pragma once

#include "frontend/link/link.h"
#include "runtime/ops/define/per_axis.h"

namespace catena {

/// Options of all convolution links; a single number applies to all spatial axes.
struct ConvolutionLinkOptions {
    /// Steps of the windows.
    PerAxis stride = 1;
    /// Zeros on each side of the image.
    PerAxis pad = 0;
    /// Whether there is no bias.
    bool nobias = false;
    /// For transposed convolutions: spatial sizes of the result; empty: the smallest that fit.
    PerAxis outsize = {};
    /// Initializer of W; by default LeCunNormal, with the fans of W as stored.
    Initializer initialW = {};
    /// Initializer of b.
    Initializer initial_bias = 0.0;
    /// Distance between the elements that a window reads; 1: neighbours.
    PerAxis dilate = 1;
    /// Number of groups of channels that are computed separately; ValueError unless it divides both
    /// numbers of channels.
    int64_t groups = 1;
    /// Whether the last window may exceed the padded end; not for transposed convolutions.
    bool cover_all = false;
};
/// Options of a Convolution2D.
using Convolution2DOptions = ConvolutionLinkOptions;
/// Options of a Deconvolution2D.
using Deconvolution2DOptions = ConvolutionLinkOptions;

/// Base of convolutions over one to three spatial axes and of their transposes.
class ConvolutionLink : public Link {
public:
    std::vector<std::pair<std::string, std::string>> printable_specs() const override;
    /// Whether the link is a transposed convolution.
    bool is_transposed() const { return transposed_; }

    Parameter W, b;  ///< The weights and the bias; b is empty with nobias.

protected:
    ConvolutionLink(const char* kind, bool transposed, int ndim, std::optional<int64_t> in_channels,
                    int64_t out_channels, Dims ksize, const ConvolutionLinkOptions& options);
    /// Creates the parameters at the first call, with the channels of x [N, C, spatial axes].
    void initialize(const Variable& x);
    Variable bias() const;
    const ConvolutionLinkOptions& options() const { return options_; }

private:
    void initialize(int64_t in_channels);

    const char* kind_;
    bool transposed_;
    int64_t out_channels_;
    Dims ksize_;
    ConvolutionLinkOptions options_;
};

/// Convolution over `ndim` spatial axes with W [out_channels, in_channels / groups, ksize].
class ConvolutionND : public ConvolutionLink {
public:
    /// Makes the link; without in_channels (or with 0) they are taken from the first input. A
    /// single ksize applies to all axes.
    ConvolutionND(int ndim, std::optional<int64_t> in_channels, int64_t out_channels,
                  const PerAxis& ksize, const ConvolutionLinkOptions& options = {})
        : ConvolutionND("ConvolutionND", ndim, in_channels, out_channels, ksize, options) {}
    /// A link with these weights; an undefined b means no bias.
    static ConvolutionND from_params(const Array& W, const Array& b = {},
                                     const ConvolutionLinkOptions& options = {}) {
        return ConvolutionND("ConvolutionND", W.rank() - 2, W, b, options);
    }

    /// x [N, in_channels, ...] gives [N, out_channels, ...]; ShapeError where the channels do not
    /// agree or a window does not fit.
    Variable operator()(const Operand& x);

protected:
    ConvolutionND(const char* kind, int ndim, std::optional<int64_t> in_channels,
                  int64_t out_channels, Dims ksize, const ConvolutionLinkOptions& options);
    ConvolutionND(const char* kind, int ndim, const Array& W, const Array& b,
                  const ConvolutionLinkOptions& options);
};

/// Transposed convolution over `ndim` spatial axes with W [in_channels, out_channels / groups,
/// ksize].
class DeconvolutionND : public ConvolutionLink {
public:
    /// A layer over `ndim` axes with windows of `ksize`; without in_channels (or with 0) it is
    /// taken from the first input.
    DeconvolutionND(int ndim, std::optional<int64_t> in_channels, int64_t out_channels,
                    const PerAxis& ksize, const ConvolutionLinkOptions& options = {})
        : DeconvolutionND("DeconvolutionND", ndim, in_channels, out_channels, ksize, options) {}

    /// x [N, in_channels, ...] gives [N, out_channels, ...]; ShapeError where the channels do not
    /// agree.
    Variable operator()(const Operand& x);

protected:
    DeconvolutionND(const char* kind, int ndim, std::optional<int64_t> in_channels,
                    int64_t out_channels, Dims ksize, const ConvolutionLinkOptions& options);
};

/// Convolution over one axis, of x [N, C, L].
class Convolution1D : public ConvolutionND {
public:
    /// A layer with windows of `ksize`; without in_channels it is taken from the first input.
    Convolution1D(std::optional<int64_t> in_channels, int64_t out_channels, int64_t ksize,
                  const ConvolutionLinkOptions& options = {})
        : ConvolutionND("Convolution1D", 1, in_channels, out_channels, {ksize}, options) {}
};

/// Convolution over two axes, of x [N, C, H, W].
class Convolution2D : public ConvolutionND {
public:
    /// A layer with windows of `ksize`; without in_channels it is taken from the first input.
    Convolution2D(std::optional<int64_t> in_channels, int64_t out_channels, const PerAxis& ksize,
                  const ConvolutionLinkOptions& options = {})
        : ConvolutionND("Convolution2D", 2, in_channels, out_channels, ksize, options) {}
    /// Makes a link that takes in_channels from the first input.
    Convolution2D(int64_t out_channels, int64_t ksize)
        : Convolution2D(std::nullopt, out_channels, ksize) {}
    /// A link with these weights; an undefined b means no bias.
    static Convolution2D from_params(const Array& W, const Array& b = {},
                                     const ConvolutionLinkOptions& options = {}) {
        return Convolution2D(W, b, options);
    }

private:
    Convolution2D(const Array& W, const Array& b, const ConvolutionLinkOptions& options)
        : ConvolutionND("Convolution2D", 2, W, b, options) {}
};

/// Convolution over three axes, of x [N, C, D, H, W].
class Convolution3D : public ConvolutionND {
public:
    /// A layer with windows of `ksize`; without in_channels it is taken from the first input.
    Convolution3D(std::optional<int64_t> in_channels, int64_t out_channels, const PerAxis& ksize,
                  const ConvolutionLinkOptions& options = {})
        : ConvolutionND("Convolution3D", 3, in_channels, out_channels, ksize, options) {}
};

/// Chainer's earlier name of a Convolution2D with the option `dilate`.
class DilatedConvolution2D : public Convolution2D {
public:
    using Convolution2D::Convolution2D;
};

/// Transposed convolution over one axis, of x [N, C, L].
class Deconvolution1D : public DeconvolutionND {
public:
    /// A layer with windows of `ksize`; without in_channels it is taken from the first input.
    Deconvolution1D(std::optional<int64_t> in_channels, int64_t out_channels, int64_t ksize,
                    const ConvolutionLinkOptions& options = {})
        : DeconvolutionND("Deconvolution1D", 1, in_channels, out_channels, {ksize}, options) {}
};

/// Transposed convolution over two axes, of x [N, C, H, W].
class Deconvolution2D : public DeconvolutionND {
public:
    /// A layer with windows of `ksize`; without in_channels it is taken from the first input.
    Deconvolution2D(std::optional<int64_t> in_channels, int64_t out_channels, const PerAxis& ksize,
                    const ConvolutionLinkOptions& options = {})
        : DeconvolutionND("Deconvolution2D", 2, in_channels, out_channels, ksize, options) {}
    Deconvolution2D(int64_t out_channels, int64_t ksize)
        : Deconvolution2D(std::nullopt, out_channels, ksize) {}
};

/// Transposed convolution over three axes, of x [N, C, D, H, W].
class Deconvolution3D : public DeconvolutionND {
public:
    /// A layer with windows of `ksize`; without in_channels it is taken from the first input.
    Deconvolution3D(std::optional<int64_t> in_channels, int64_t out_channels, const PerAxis& ksize,
                    const ConvolutionLinkOptions& options = {})
        : DeconvolutionND("Deconvolution3D", 3, in_channels, out_channels, ksize, options) {}
};

}  // namespace catena
