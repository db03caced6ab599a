#pragma once

#include <catena/catena.h>

#include <string>
#include <utility>
#include <vector>

#include "support/pictures.h"

inline const std::vector<std::string> data_set_names = {"cifar10", "cifar100", "shapes"};

inline int64_t class_count(const std::string& data_set) {
    return data_set == "cifar100" ? 100 : 10;
}

/// Pictures [3, 32, 32] in [0, 1] with labels, for training and for testing: of CIFAR from the
/// folder of its unpacked binary version, or shapes that are made up. ValueError for CIFAR without
/// a folder.
inline std::pair<catena::Dataset, catena::Dataset> small_pictures(const std::string& data_set,
                                                                  const std::string& folder) {
    namespace ct = catena;
    if (data_set == "shapes") {
        const examples::Pictures training = examples::made_up_pictures(2000, 1),
                                 test = examples::made_up_pictures(400, 2);
        return {ct::TupleDataset(training.images, training.labels),
                ct::TupleDataset(test.images, test.labels)};
    }
    if (folder.empty())
        ct::fail<ct::ValueError>(
            "{} needs --data, the folder of its unpacked binary version; --dataset shapes needs "
            "nothing",
            data_set);
    return data_set == "cifar10" ? ct::get_cifar10(folder) : ct::get_cifar100(folder);
}
