#pragma once
// What the pieces of C++ in the documentation take as given.
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include <catena/catena.h>
#include <catena/frontend/distribution/distributions.h>

namespace ct = catena;

struct Model : ct::Chain {
    ct::Linear l1{784, 1000}, l2{1000, 10};
    ct::Variable operator()(const ct::Variable& x) { return l2(ct::relu(l1(x))); }
};
struct MLP : ct::Chain {
    explicit MLP(int units = 1000) : l1(784, units), l2(units, 10) {}
    ct::Linear l1, l2;
    ct::Variable operator()(const ct::Variable& x) { return l2(ct::relu(l1(x))); }
};
using Net = Model;
struct Encoder : Model {};
struct Decoder : Model {};

inline Model model, discriminator, block;
inline ct::Linear l1{784, 10}, l2{10, 10};
inline ct::Array x, t, batch, image;
inline ct::Variable mean, log_deviation, a;
inline std::vector<ct::Array> images;
inline const ct::distributions::Normal p{ct::Array(), ct::Array()}, prior{ct::Array(), ct::Array()};
inline ct::Variable loss(const ct::Variable& y, const ct::Variable& t) {
    return ct::softmax_cross_entropy(y, t);
}
inline ct::Variable lossfun() { return loss(model(x), t); }
inline void train() {}
inline ct::Adam adam;
inline ct::SGD optimizer;
inline std::vector<std::pair<ct::Variable, ct::Variable>> batches;
inline std::vector<ct::Variable> xs, sentences;
inline ct::NStepLSTM encoder{2, 128, 256, 0.3};
inline std::shared_ptr<ct::Communicator> comm;
inline ct::Dataset dataset{ct::Array()};
inline auto step = ct::static_graph(
    [](const ct::Variable& x, const ct::Variable& t) { return loss(model(x), t); }, "step");
