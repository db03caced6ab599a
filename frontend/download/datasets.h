#pragma once

#include <string>

namespace catena {

// The folder of a public data set in cache_folder(), for the function that reads it; at the first
// call its files are downloaded from where their authors publish them, or from `url`, and checked
// against the published checksums. FileError when that fails, with the name of the file and the
// folder in which to put it.

/// Downloads Fashion-MNIST where it is missing; the folder for get_fashion_mnist().
std::string download_fashion_mnist(const std::string& url = "");
/// Downloads Kuzushiji-MNIST where it is missing; the folder for get_kuzushiji_mnist().
std::string download_kuzushiji_mnist(const std::string& url = "");
/// Downloads CIFAR-10 where it is missing; the folder for get_cifar10().
std::string download_cifar10(const std::string& url = "");
/// Downloads CIFAR-100 where it is missing; the folder for get_cifar100().
std::string download_cifar100(const std::string& url = "");
/// Downloads the Penn Treebank where it is missing; the folder for get_ptb_words() and
/// get_ptb_words_vocabulary().
std::string download_ptb(const std::string& url = "");
/// Downloads SVHN where it is missing; the folder for get_svhn(). The extra set has 1.3 GB.
std::string download_svhn(bool add_extra = false, const std::string& url = "");

}  // namespace catena
