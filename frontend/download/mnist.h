#pragma once

#include <string>

namespace catena {

/// The cache folder with the four files of MNIST, for get_mnist(); at the first call they are
/// downloaded from `url` or the usual mirrors. FileError when that fails.
std::string download_mnist(const std::string& url = "");

}  // namespace catena
