#pragma once

#include "frontend/link/link.h"

namespace catena {

struct Convolution2DOptions {
    Dims stride = {1};
    Dims pad = {0};
    bool nobias = false;
    Initializer initialW;                ///< LeCunNormal unless given.
    Initializer initial_bias = 0.0;
    Dims dilate = {1};
    int64_t groups = 1;
};

/// 2-D convolution with W [out_channels, in_channels / groups, kh, kw].
class Convolution2D : public Link {
public:
    /// Without in_channels (or with 0) they are taken from the first input; one number of ksize stands for both axes.
    Convolution2D(std::optional<int64_t> in_channels, int64_t out_channels, Dims ksize,
                  const Convolution2DOptions& options = {});
    Convolution2D(std::optional<int64_t> in_channels, int64_t out_channels, int64_t ksize,
                  const Convolution2DOptions& options = {})
        : Convolution2D(in_channels, out_channels, Dims{ksize, ksize}, options) {}
    /// in_channels from the first input.
    Convolution2D(int64_t out_channels, int64_t ksize) : Convolution2D(std::nullopt, out_channels, ksize) {}

    Variable operator()(const Operand& x);
    std::vector<std::pair<std::string, std::string>> printable_specs() const override;

    Parameter W, b;  ///< b holds nothing when nobias.

private:
    void initialize(int64_t in_channels);
    int64_t out_channels_;
    Dims ksize_;
    Convolution2DOptions options_;
};

struct Deconvolution2DOptions {
    Dims stride = {1};
    Dims pad = {0};
    bool nobias = false;
    Dims outsize = {};                   ///< Spatial sizes of the result; empty: the smallest that fit.
    Initializer initialW;                ///< LeCunNormal unless given; its fans are those of W as it is stored.
    Initializer initial_bias = 0.0;
    Dims dilate = {1};
    int64_t groups = 1;
};

/// Transposed 2-D convolution with W [in_channels, out_channels / groups, kh, kw].
class Deconvolution2D : public Link {
public:
    Deconvolution2D(std::optional<int64_t> in_channels, int64_t out_channels, Dims ksize,
                    const Deconvolution2DOptions& options = {});
    Deconvolution2D(std::optional<int64_t> in_channels, int64_t out_channels, int64_t ksize,
                    const Deconvolution2DOptions& options = {})
        : Deconvolution2D(in_channels, out_channels, Dims{ksize, ksize}, options) {}
    Deconvolution2D(int64_t out_channels, int64_t ksize) : Deconvolution2D(std::nullopt, out_channels, ksize) {}

    Variable operator()(const Operand& x);
    std::vector<std::pair<std::string, std::string>> printable_specs() const override;

    Parameter W, b;  ///< b holds nothing when nobias.

private:
    void initialize(int64_t in_channels);
    int64_t out_channels_;
    Dims ksize_;
    Deconvolution2DOptions options_;
};

}  // namespace catena
