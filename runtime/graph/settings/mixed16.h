#pragma once

#include "runtime/graph/settings/config.h"

namespace catena {

/// Sets, until the scope ends, config().dtype to float16 and high_precision_dtype() to float32.
class Mixed16Scope {
public:
    Mixed16Scope();
    ~Mixed16Scope();
    Mixed16Scope(const Mixed16Scope&) = delete;

private:
    ConfigScope<Dtype> dtype_;
    bool previous_;
};

/// Chainer's `config.dtype = mixed16`, also CATENA_DTYPE=mixed16: links that are made in its scope
/// have float16 parameters and compute in float16, but the parameters and statistics of batch and
/// group normalization are float32. Train them with optimizer.use_fp32_update() and
/// loss_scaling(optimizer). autocast() is the other way: float32 parameters.
///
///     auto scope = ct::mixed16();
///     Net net;
[[nodiscard]] inline Mixed16Scope mixed16() { return {}; }

/// The dtype of statistics and their parameters, Chainer's get_dtype(None, map_mixed16=float32):
/// config().dtype, but float32 inside mixed16().
Dtype high_precision_dtype();

}  // namespace catena
