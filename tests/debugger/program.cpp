// What the debuggers' tests look at: they stop in look().
#include <catena/catena.h>

namespace ct = catena;

struct Layers : ct::ChainList {
    Layers() {
        append(ct::Linear{3, 2});
        append(ct::Linear{2, 1});
    }
};

struct Net : ct::Chain {
    ct::Linear l1{2, 3};
    Layers layers;
    int calls = 7;
    Net() { add_children({{"l1", l1}, {"layers", layers}}); }
    ct::Variable operator()(const ct::Variable& x) {
        ct::Variable h = ct::relu(l1(x));
        for (size_t i = 0; i < layers.size(); ++i) h = layers.get<ct::Linear>(i)(h);
        return h;
    }
};

[[gnu::noinline]] void look(const Net& net, const ct::Array& array) {
    asm volatile("" : : "r"(&net), "r"(&array) : "memory");
}

int main() {
    ct::set_seed(0);
    Net net;
    const ct::Array array = ct::Array::from<float>({1.5, -2, 3});
    const ct::Array matrix = ct::reshape(ct::arange(12), {3, 4}).array();
    const ct::Array columns = ct::transpose(matrix).array();
    const ct::Array flags = ct::Array::from<bool>({true, false});
    const ct::Array halves = ct::Array::from<float>({0.5, -4}).astype(ct::Dtype::float16);
    const ct::Array brains = ct::Array::from<float>({0.5, -4}).astype(ct::Dtype::bfloat16);
    const ct::Array none, empty = ct::Array::zeros({ct::Dtype::float64, {2, 0}});
    const ct::Array described = ct::Array::empty({ct::Dtype::int8, {5}}, ct::meta_device());
    const ct::Variable x(array);
    const ct::Variable y = ct::sum(x * x);
    y.backward();
    const ct::Variable constant = array, unset;
    const ct::Variable loss = ct::sum(net(ct::reshape(ct::arange(2), {1, 2}).astype(ct::float32)));
    loss.backward();
    const ct::Shape shape{2, 3, 4};
    const ct::Dtype dtype = ct::Dtype::bfloat16;
    const ct::SmallVector<int, 2> few{5, 6, 7};
    const ct::Scalar scalar = 2.5;
    ct::Sequential sequential(ct::Linear(2, 2), [](ct::Variable v) { return ct::relu(v); });
    look(net, array);
    return int(few.size() - 3) + int(shape.rank() - 3) + int(dtype == ct::Dtype::int8) +
           int(scalar.value() - 2.5) + int(unset.defined()) + int(constant.requires_grad()) +
           int(none.defined()) + int(empty.size()) + int(described.size() - 5) +
           int(flags.size() - 2) + int(halves.size() - 2) + int(brains.size() - 2) +
           int(columns.size() - 12) + int(sequential.size() - 2);
}
