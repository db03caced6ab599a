#pragma once

#include <catena/catena.h>

#include "dcgan/dcgan.h"

/// One iteration updates both networks; it is one static region.
class DCGANUpdater : public catena::StandardUpdater {
public:
    DCGANUpdater(catena::Iterator& iterator, Generator& generator, Discriminator& discriminator,
                 catena::Optimizer& gen_optimizer, catena::Optimizer& dis_optimizer,
                 catena::Device* device)
        : StandardUpdater({{"main", &iterator}}, {{"gen", &gen_optimizer}, {"dis", &dis_optimizer}},
                          {.device = device}),
          generator_(generator),
          discriminator_(discriminator),
          gen_optimizer_(gen_optimizer),
          dis_optimizer_(dis_optimizer),
          step_(catena::static_graph(
              [this](const catena::Variable& x_real) { return step(x_real); }, "dcgan_step")) {}

protected:
    void update_core() override {
        const auto [gen_loss, dis_loss] = step_(next_batch()[0]);
        catena::report({{"loss", gen_loss}}, generator_);
        catena::report({{"loss", dis_loss}}, discriminator_);
    }

private:
    std::tuple<catena::Variable, catena::Variable> step(const catena::Variable& x_real) {
        const catena::Variable x_fake = generator_(generator_.make_hidden(x_real.shape()[0]));
        const catena::Variable y_real = discriminator_(x_real), y_fake = discriminator_(x_fake);

        const catena::Variable gen_loss = catena::mean(catena::softplus(-y_fake));
        generator_.cleargrads();
        gen_loss.backward();
        gen_optimizer_.update();
        x_fake.unchain_backward();

        const catena::Variable dis_loss =
            catena::mean(catena::softplus(-y_real)) + catena::mean(catena::softplus(y_fake));
        discriminator_.cleargrads();
        dis_loss.backward();
        dis_optimizer_.update();
        return {gen_loss, dis_loss};
    }

    Generator& generator_;
    Discriminator& discriminator_;
    catena::Optimizer &gen_optimizer_, &dis_optimizer_;
    catena::StaticFunction<std::tuple<catena::Variable, catena::Variable>(catena::Variable)> step_;
};
