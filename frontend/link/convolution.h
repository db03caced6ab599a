#pragma once

#include "frontend/link/link.h"
#include "runtime/ops/define/per_axis.h"

namespace catena {

/// Options of both links, in Chainer's order.
struct Convolution2DOptions {
    PerAxis stride = 1;
    PerAxis pad = 0;
    bool nobias = false;
    PerAxis outsize = {};         ///< Deconvolution2D only: spatial sizes of the result; empty: the smallest that fit.
    Initializer initialW = {};    ///< Default LeCunNormal, with the fans of W as stored.
    Initializer initial_bias = 0.0;
    PerAxis dilate = 1;
    int64_t groups = 1;
};
using Deconvolution2DOptions = Convolution2DOptions;

/// Common base of the convolution and its transpose.
class ConvolutionLink : public Link {
public:
    std::vector<std::pair<std::string, std::string>> printable_specs() const override;

    Parameter W, b;  ///< b is empty when nobias.

protected:
    ConvolutionLink(const char* kind, bool transposed, std::optional<int64_t> in_channels, int64_t out_channels,
                    Dims ksize, const Convolution2DOptions& options);
    void initialize(const Variable& x);  ///< Creates the parameters at the first call, with the channels of x [N, C,
                                         ///< H, W].
    Variable bias() const;
    const Convolution2DOptions& options() const { return options_; }

private:
    void initialize(int64_t in_channels);

    const char* kind_;
    bool transposed_;
    int64_t out_channels_;
    Dims ksize_;
    Convolution2DOptions options_;
};

/// 2-D convolution with W [out_channels, in_channels / groups, kh, kw].
class Convolution2D : public ConvolutionLink {
public:
    /// Without in_channels (or with 0) they are taken from the first input; a single ksize applies to both axes.
    Convolution2D(std::optional<int64_t> in_channels, int64_t out_channels, const PerAxis& ksize,
                  const Convolution2DOptions& options = {});
    /// in_channels from the first input.
    Convolution2D(int64_t out_channels, int64_t ksize) : Convolution2D(std::nullopt, out_channels, ksize) {}

    Variable operator()(const Operand& x);
};

/// Transposed 2-D convolution with W [in_channels, out_channels / groups, kh, kw].
class Deconvolution2D : public ConvolutionLink {
public:
    Deconvolution2D(std::optional<int64_t> in_channels, int64_t out_channels, const PerAxis& ksize,
                    const Deconvolution2DOptions& options = {})
        : ConvolutionLink("Deconvolution2D", true, in_channels, out_channels, ksize, options) {}
    Deconvolution2D(int64_t out_channels, int64_t ksize) : Deconvolution2D(std::nullopt, out_channels, ksize) {}

    Variable operator()(const Operand& x);
};

}  // namespace catena
