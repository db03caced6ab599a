#pragma once

#include <string>

namespace catena {

/// The folder that has the four files of MNIST, for get_mnist(); in the cache, downloaded from `url` or the usual
/// mirrors at the first time. FileError when they cannot be had.
std::string download_mnist(const std::string& url = "");

}  // namespace catena
