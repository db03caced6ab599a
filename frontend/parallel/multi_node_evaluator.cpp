#include "frontend/parallel/multi_node_evaluator.h"

#include <vector>

namespace catena {
namespace {

std::string listed(std::string keys) {
    for (char& c : keys)
        if (c == '\n') c = ' ';
    return keys.empty() ? "nothing" : keys.substr(0, keys.size() - 1);
}

}  // namespace

std::map<std::string, double> mean_over_ranks(Communicator& communicator,
                                              const std::map<std::string, double>& own) {
    std::string keys;
    std::vector<double> values;
    for (const auto& [key, value] : own) {
        keys += key + '\n';
        values.push_back(value);
    }
    std::vector<std::string> all = communicator.allgather_bytes(keys);
    for (size_t r = 0; r < all.size(); ++r)
        if (all[r] != all[0])
            fail<ValueError>("multi-node evaluator: rank 0 reports {}; rank {} reports {}",
                             listed(all[0]), r, listed(all[r]));
    std::vector<double> means =
        communicator.allreduce(Array::from(values, {int64_t(values.size())}), Reduction::mean)
            .to_vector<double>();
    std::map<std::string, double> result = own;
    size_t next = 0;
    for (auto& [key, value] : result) value = means[next++];
    return result;
}

}  // namespace catena
