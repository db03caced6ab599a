#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frontend/dataset/well_known/mnist.h"

namespace catena {

// Data sets in MNIST's format: the same four files (train-images-idx3-ubyte.gz, ...), options and
// errors as get_mnist.

/// Fashion-MNIST (Xiao, Rasul and Vollgraf 2017): pictures of clothes.
std::pair<Dataset, Dataset> get_fashion_mnist(const std::string& folder,
                                              const MnistOptions& options = {});
/// The names of the labels 0 to 9: "T-shirt/top", "Trouser", ...
const std::vector<std::string>& get_fashion_mnist_labels();

/// Kuzushiji-MNIST (Clanuwat et al. 2018): cursive Japanese characters.
std::pair<Dataset, Dataset> get_kuzushiji_mnist(const std::string& folder,
                                                const MnistOptions& options = {});
/// The romanised name and the character of the labels 0 to 9: {"o", "お"}, ...
const std::vector<std::pair<std::string, std::string>>& get_kuzushiji_mnist_labels();

}  // namespace catena
