// The benchmark's pair of networks: both are updated once in an iteration.
#include "benchmarks/models/dcgan.h"
#include "benchmarks/workloads/training.h"
#include "benchmarks/workloads/prepare.h"
#include "tools/catena/random_inputs.h"

namespace catena::tool {
namespace {

struct Dcgan {
    models::DcganGenerator generator;
    models::DcganDiscriminator discriminator;
    Adam generator_optimizer{AdamOptions{.alpha = 2e-4, .beta1 = 0.5}};
    Adam discriminator_optimizer{AdamOptions{.alpha = 2e-4, .beta1 = 0.5}};
    int64_t latent;

    Dcgan(int64_t latent, int64_t width)
        : generator(latent, width), discriminator(width), latent(latent) {
        generator_optimizer.setup(generator);
        discriminator_optimizer.setup(discriminator);
    }
    /// The generator's loss; the networks' calls are `generate` and `judge`.
    template <class G, class D>
    Variable step(G& generate, D& judge, const Variable& x) {
        const Variable fake = generate(cast(random_normal({x.shape()[0], latent}), x.dtype()));
        const Variable judged =
            mean(softplus(-judge(x))) + mean(softplus(judge(Variable(fake.array(), false))));
        discriminator.cleargrads();
        judged.backward();
        discriminator_optimizer.update();
        const Variable loss = mean(softplus(-judge(fake)));
        generator.cleargrads();
        loss.backward();
        generator_optimizer.update();
        discriminator.cleargrads();  // What the generator's loss left in it.
        return loss;
    }
};

/// Of two regions.
StaticGraphStatistics sum(StaticGraphStatistics a, const StaticGraphStatistics& b) {
    a.calls += b.calls;
    a.eager_calls += b.eager_calls;
    a.compiled_calls += b.compiled_calls;
    a.interpreted_calls += b.interpreted_calls;
    a.followed_calls += b.followed_calls;
    a.mismatches += b.mismatches;
    a.cuts += b.cuts;
    a.programs += b.programs;
    a.resized += b.resized;
    a.from_disk += b.from_disk;
    a.dropped += b.dropped;
    a.compile_seconds += b.compile_seconds;
    return a;
}

}  // namespace

Iteration prepare_dcgan(Variant variant, int64_t divisor) {
    RandomInputs random;
    const int64_t batch = std::max<int64_t>(64 / divisor, 4);
    auto gan = std::make_shared<Dcgan>(divided(100, divisor), std::max<int64_t>(256 / divisor, 8));
    const Variable x(random.uniform({batch, 3, 32, 32}), false);
    auto loss = std::make_shared<Array>();
    Iteration iteration;
    iteration.results = [gan] { return parameters_of({&gan->generator, &gan->discriminator}); };
    iteration.loss = [loss] { return *loss; };
    if (variant == Variant::eager) {
        iteration.run = [=] { *loss = gan->step(gan->generator, gan->discriminator, x).array(); };
    } else if (variant == Variant::compiled) {
        auto generate = shared_region("generator", variant,
                                      [gan](const Variable& z) { return gan->generator(z); });
        auto judge = shared_region("discriminator", variant,
                                   [gan](const Variable& x) { return gan->discriminator(x); });
        iteration.run = [=] { *loss = gan->step(*generate, *judge, x).array(); };
        iteration.statistics = [=] { return sum(generate->statistics(), judge->statistics()); };
        iteration.programs = 3;
        iteration.branches = 1;  // The discriminator's gradient flows on to the pictures only where
                                 // they are generated.
    } else {
        auto region = shared_region("dcgan", variant, [gan](const Variable& x) {
            return gan->step(gan->generator, gan->discriminator, x);
        });
        iteration.run = [=] { *loss = (*region)(x).array(); };
        iteration.statistics = [region] { return region->statistics(); };
        iteration.profile = [region] { return region->profile(); };
        iteration.save = [=](const std::string& path, const PackageOptions& options) {
            region->save(path, options);
            return std::vector<Array>{x.array()};
        };
    }
    return iteration;
}

}  // namespace catena::tool
