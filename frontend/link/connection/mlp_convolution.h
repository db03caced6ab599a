#pragma once

#include "frontend/link/chain_list.h"
#include "frontend/link/connection/convolution.h"

namespace catena {

/// Options of an MLPConvolution2D.
struct MLPConvolution2DOptions {
    PerAxis stride = 1;  ///< Stride of the first convolution; so is `pad`.
    /// Zeros on each side of the image, for the first convolution.
    PerAxis pad = 0;
    /// The function between the convolutions; relu unless given.
    std::function<Variable(const Variable&)> activation = {};
    /// Initializer of the convolutions' weights.
    Initializer conv_init = {};
    /// Initializer of the convolutions' biases.
    Initializer bias_init = 0.0;
};

/// A convolution followed by 1 x 1 convolutions (Lin et al. 2014, Network in Network), named "0",
/// "1", ...
class MLPConvolution2D : public ChainList {
public:
    /// Makes one convolution for each entry of `out_channels`. Without in_channels (or with 0) they
    /// are taken from the first input.
    MLPConvolution2D(std::optional<int64_t> in_channels, const std::vector<int64_t>& out_channels,
                     const PerAxis& ksize, const MLPConvolution2DOptions& options = {});
    /// x [N, in_channels, H, W] gives [N, the last of out_channels, H', W'].
    Variable operator()(const Operand& x);

private:
    std::function<Variable(const Variable&)> activation_;
};

}  // namespace catena
