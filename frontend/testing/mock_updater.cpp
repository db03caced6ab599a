#include "frontend/testing/mock_updater.h"

#include "frontend/serializer/serializer.h"

namespace catena {

MockUpdater::MockUpdater(int64_t per_epoch)
    : iterator_(Dataset(Array::zeros({Dtype::float32, {per_epoch}})), 1, {.shuffle = false}) {}

void MockUpdater::serialize(const Serializer& s) {
    iterator_.serialize(s["iterator:main"]);
    s("iteration", iteration_);
}

Iterator& MockUpdater::get_iterator(const std::string&) const { return iterator_; }

void MockUpdater::update_core() {
    iterator_.next();
    if (on_update) on_update(iteration() + 1);
}

}  // namespace catena
