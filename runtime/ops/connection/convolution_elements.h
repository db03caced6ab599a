#pragma once

#include <string>

namespace catena {

// Element texts (runtime/ops/declare/device_form.h), for any number of spatial axes.

/// The element text of the convolution, which computes y from x and W.
std::string convolution_elements();
/// The element text of the gradient towards x, which computes gx from gy and W.
std::string convolution_data_elements();
/// The element text of the gradient towards W, which computes gW from x and gy.
std::string convolution_weights_elements();

}  // namespace catena
