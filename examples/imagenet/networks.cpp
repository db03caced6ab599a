#include "imagenet/networks.h"

#include <fmt/ranges.h>

#include "imagenet/alex.h"
#include "imagenet/googlenet.h"
#include "imagenet/googlenet_bn.h"
#include "imagenet/nin.h"
#include "imagenet/resnet.h"

namespace ct = catena;

template <class Model>
static Network network(std::shared_ptr<Model> model, int64_t insize) {
    return {model, insize,
            [model](const ct::Variable& x, const ct::Variable& t) { return (*model)(x, t); }};
}

/// A network that gives scores.
template <class Scores>
static Network classifier(int64_t classes) {
    return network(std::make_shared<ct::Classifier<Scores>>(Scores(classes)), Scores::insize);
}

/// A network that computes its loss by itself.
template <class Model>
static Network with_own_loss(int64_t classes) {
    return network(std::make_shared<Model>(classes), Model::insize);
}

static const std::map<std::string, Network (*)(int64_t)>& makers() {
    static const std::map<std::string, Network (*)(int64_t)> all = {
        {"alex", classifier<Alex>},
        {"googlenet", with_own_loss<GoogLeNet>},
        {"googlenetbn", with_own_loss<GoogLeNetBN>},
        {"nin", classifier<NIN>},
        {"resnet50", classifier<ResNet50>},
        {"resnext50", classifier<ResNeXt50>}};
    return all;
}

std::vector<std::string> network_names() {
    std::vector<std::string> names;
    for (const auto& [name, make] : makers()) names.push_back(name);
    return names;
}

Network make_network(const std::string& name, int64_t classes) {
    const auto found = makers().find(name);
    if (found == makers().end())
        ct::fail<ct::ValueError>("there is no network '{}': {}", name,
                                 fmt::join(network_names(), ", "));
    return found->second(classes);
}
