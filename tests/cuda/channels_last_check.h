#pragma once

#include "tests/cuda/device_call.h"

namespace catena::testing {

/// What a program gave on the emulated device.
struct DeviceRun {
    std::vector<Array> results;  ///< On the host.
    int images_last = 0;         ///< So many are stored with their channels last.
    int launches = 0;            ///< Of kernels, copies included.
};
/// `call` as a program that is compiled as the environment says.
DeviceRun run_as_program(const RecordedCall& call, const std::vector<Array>& inputs);

RecordedCall record_arrays(const ArrayFunction& function, const std::vector<Array>& inputs);

/// Largest |a - b| / (1 + |b|).
double distance(const Array& a, const Array& b);

Array smooth(const Shape& shape, Dtype dtype, double scale, int phase);

/// x, W and V; gamma and beta of 8 channels: what the networks below are given.
std::vector<Array> network_inputs(Dtype dtype);
/// Convolution, batch normalization, ReLU, both kinds of pooling, concatenation, convolution, sums
/// over channels and over positions; and all gradients.
Variables network(const std::vector<Variable>& v);
/// Without reductions in groups, whose sums may have another order: gradients of convolutions,
/// pooling by maxima, concatenation.
Variables moving_network(const std::vector<Variable>& v);

}  // namespace catena::testing
