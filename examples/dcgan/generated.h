#pragma once

#include <catena/catena.h>

#include <cmath>
#include <string>
#include <vector>

#include "dcgan/dcgan.h"
#include "support/pictures.h"
#include "support/small_images.h"

/// CIFAR-10 without labels from the folder of its binary version, or shapes that are made up: [n,
/// 3, 32, 32].
inline catena::Array real_pictures(const std::string& folder) {
    if (folder.empty()) return examples::made_up_pictures(2000, 1).images;
    const catena::Dataset all = catena::get_cifar10(folder, {.withlabel = false}).first;
    std::vector<catena::Example> images;
    for (int64_t i = 0; i < all.size(); ++i) images.push_back(all[i]);
    return catena::concat_examples(images)[0].array();
}

inline catena::Array generated(Generator& generator, int64_t n) {
    const auto test_mode = catena::using_config(&catena::Config::train, false);
    const auto no_graph = catena::no_backprop_mode();
    return generator(generator.make_hidden(n)).array();
}

/// How far the pixels' means and deviations over generated pictures are from those over real ones:
/// root mean square, 0 for pictures of the same distribution.
inline double distance_of_moments(const catena::Array& a, const catena::Array& b) {
    const auto squares = [](const catena::Variable& x, const catena::Variable& y) {
        return catena::mean(catena::square(x - y)).item<double>();
    };
    const auto deviation = [](const catena::Array& x) {
        return catena::sqrt(catena::variance(x, 0));
    };
    return std::sqrt(squares(catena::mean(a, 0), catena::mean(b, 0)) +
                     squares(deviation(a), deviation(b)));
}
