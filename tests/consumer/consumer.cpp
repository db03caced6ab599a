// A user's model, trained through static_graph by an installed Catena. The argument says how:
// compiled or eager.
#include <catena/catena.h>

#include <iostream>

namespace ct = catena;

struct Model : ct::Chain {
    ct::Linear l1{4, 8}, l2{8, 1};
    Model() { add_children({{"l1", l1}, {"l2", l2}}); }
    ct::Variable operator()(ct::Variable x) { return l2(ct::relu(l1(x))); }
};

int main(int, char** arguments) {
    Model model;
    ct::SGD sgd(0.05);
    sgd.setup(model);
    ct::Variable x(ct::Array::full({ct::Dtype::float32, {16, 4}}, 0.5), false);
    ct::Variable t(ct::Array::full({ct::Dtype::float32, {16, 1}}, 1.0), false);
    auto step = ct::static_graph([&](ct::Variable x, ct::Variable t) {
        auto loss = ct::mean_squared_error(model(x), t);
        model.cleargrads();
        loss.backward();
        sgd.update();
        return loss;
    });
    const float first = step(x, t).item<float>();
    float last = first;
    for (int i = 0; i < 50; ++i) last = step(x, t).item<float>();
    std::cout << "loss " << first << " -> " << last << '\n';
    const bool compiled = step.statistics().compiled_calls > 0;
    std::cout << (compiled ? "compiled" : "eager") << '\n';
    if (compiled != (std::string(arguments[1]) == "compiled")) return 1;
    return last < first / 2 ? 0 : 1;
}
