#include "frontend/dataset/well_known/fashion_mnist.h"

namespace catena {

std::pair<Dataset, Dataset> get_fashion_mnist(const std::string& folder,
                                              const MnistOptions& options) {
    return get_mnist(folder, options);
}

const std::vector<std::string>& get_fashion_mnist_labels() {
    static const auto& labels =
        *new std::vector<std::string>{"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                                      "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};
    return labels;
}

std::pair<Dataset, Dataset> get_kuzushiji_mnist(const std::string& folder,
                                                const MnistOptions& options) {
    return get_mnist(folder, options);
}

const std::vector<std::pair<std::string, std::string>>& get_kuzushiji_mnist_labels() {
    static const auto& labels = *new std::vector<std::pair<std::string, std::string>>{
        {"o", "お"},  {"ki", "き"}, {"su", "す"}, {"tsu", "つ"}, {"na", "な"},
        {"ha", "は"}, {"ma", "ま"}, {"ya", "や"}, {"re", "れ"},  {"wo", "を"}};
    return labels;
}

}  // namespace catena
