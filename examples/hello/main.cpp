// A network learns y = sin(3 x), on the points of a grid.
#include <catena/catena.h>

#include <iostream>

namespace ct = catena;

struct Net : ct::Chain {
    ct::Linear l1{1, 32}, l2{32, 1};
    Net() { add_children({{"l1", l1}, {"l2", l2}}); }
    ct::Variable operator()(const ct::Variable& x) { return l2(ct::tanh(l1(x))); }
};

int main() {
    ct::set_seed(0);
    Net net;
    ct::Adam adam(0.02);
    adam.setup(net);
    const ct::Variable x = ct::reshape(ct::linspace(-1, 1, 100), {100, 1});
    const ct::Variable y = ct::sin(x * 3);
    for (int i = 0; i <= 300; ++i) {
        const ct::Variable loss = ct::mean_squared_error(net(x), y);
        net.cleargrads();
        loss.backward();
        adam.update();
        if (i % 100 == 0) std::cout << "step " << i << ": loss " << loss.item<float>() << '\n';
    }
}
