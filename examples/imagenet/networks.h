#pragma once

#include <catena/catena.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

/// A network for large pictures, in training.
struct Network {
    std::shared_ptr<catena::Link> link;
    int64_t insize;  ///< Height and width of its pictures.
    /// The loss for pictures [n, 3, height, width] and labels [n]; reports "loss" and "accuracy".
    std::function<catena::Variable(const catena::Variable& x, const catena::Variable& t)> loss;
};

/// "alex", "googlenet", "googlenetbn", "nin", "resnet50", "resnext50".
std::vector<std::string> network_names();
/// One of these; ValueError for another name.
Network make_network(const std::string& name, int64_t classes);
