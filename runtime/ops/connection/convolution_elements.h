#pragma once

#include <string>

namespace catena {

/// Element texts (runtime/ops/declare/device_form.h) of the convolution and its gradients, with any
/// number of axes.
std::string convolution_elements();          ///< x, W to y.
std::string convolution_data_elements();     ///< gy, W to gx.
std::string convolution_weights_elements();  ///< x, gy to gW.

}  // namespace catena
