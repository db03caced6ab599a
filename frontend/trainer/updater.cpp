#include "frontend/trainer/updater.h"

#include "frontend/dataset/iterator/iterator.h"
#include "frontend/optimizer/optimizer.h"
#include "runtime/core/system/error.h"

namespace catena {

Optimizer& Updater::get_optimizer(const std::string& name) const {
    std::string names;
    for (auto& [known, optimizer] : optimizers()) {
        if (known == name) return *optimizer;
        names += (names.empty() ? "" : ", ") + known;
    }
    fail<ValueError>("Updater: there is no optimizer '{}'; there are: {}", name, names);
}

int64_t Updater::epoch() const { return get_iterator().epoch(); }
double Updater::epoch_detail() const { return get_iterator().epoch_detail(); }
std::optional<double> Updater::previous_epoch_detail() const {
    return get_iterator().previous_epoch_detail();
}
bool Updater::is_new_epoch() const { return get_iterator().is_new_epoch(); }

}  // namespace catena
