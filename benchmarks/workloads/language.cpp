// The benchmark's language models.
#include <set>

#include "benchmarks/models/char_rnn.h"
#include "benchmarks/models/gpt.h"
#include "benchmarks/models/language_model.h"
#include "benchmarks/workloads/training.h"
#include "benchmarks/workloads/prepare.h"
#include "tools/catena/random_inputs.h"

namespace catena::tool {
namespace {

/// Scores [batch, n, words] against words [batch * n].
const auto words_loss = [](const Variable& y, const Variable& t) {
    return softmax_cross_entropy(reshape(y, {-1, y.shape()[2]}), t);
};

/// AdamW as in the other frameworks, whose decay is scaled by the learning rate.
std::shared_ptr<Optimizer> adam_w(double rate, double decay) {
    return std::make_shared<AdamW>(AdamOptions{.alpha = rate, .weight_decay_rate = rate * decay});
}

models::GptSizes gpt2_small(int64_t divisor) {
    const auto cut = [divisor](int64_t size) { return divided(size, divisor); };
    return {cut(50257), cut(1024), cut(768), cut(12), cut(12)};
}

Iteration train_gpt(const char* name, Variant variant, const models::GptSizes& sizes,
                    const Shape& shape) {
    RandomInputs random;
    const Variable x(random.labels(int32_t(sizes.words), shape), false),
        t(random.labels(int32_t(sizes.words), {element_count(shape)}), false);
    return train(name, variant, std::make_shared<models::Gpt>(sizes), adam_w(3e-4, 0.01), {{x, t}},
                 words_loss);
}

/// The next word's scores, and the keys and values with those of the word.
struct Decoded {
    Variable scores;
    std::vector<models::AttentionCache> caches;
};

}  // namespace

Iteration prepare_ptb_lstm_unrolled(Variant variant, int64_t divisor) {
    const auto cut = [divisor](int64_t size) { return divided(size, divisor); };
    RandomInputs random;
    const int64_t words = cut(10000), steps = cut(35), batch = cut(20);
    auto model = std::make_shared<models::LanguageModel>(words, cut(650));
    const Variable x(random.labels(int32_t(words), {steps, batch}), false),
        t(random.labels(int32_t(words), {steps * batch}), false);
    return train("ptb_lstm_unrolled", variant, model, std::make_shared<SGD>(1.0), {{x, t}},
                 scores_loss, {std::make_shared<GradientClipping>(5.0)});
}

Iteration prepare_char_rnn(Variant variant, int64_t divisor) {
    const auto cut = [divisor](int64_t size) { return divided(size, divisor); };
    RandomInputs random;
    const int64_t characters = cut(96), batch = cut(32);
    std::vector<Batch> texts;
    std::set<int64_t> lengths;
    for (int64_t i = 0; i < cut(64); ++i) {
        const int64_t length = cut(20 + (37 * i + 11) % 41);
        lengths.insert(length);
        const Variable text(random.labels(int32_t(characters), {length + 1, batch}), false);
        texts.push_back({text[slice(0, length)], reshape(text[slice(1, length + 1)], {-1})});
    }
    auto model = std::make_shared<models::CharRnn>(characters, cut(256));
    Iteration iteration = train("char_rnn", variant, model, std::make_shared<Adam>(0.001), texts,
                                scores_loss, {std::make_shared<GradientClipping>(5.0)});
    iteration.programs = int(lengths.size());
    return iteration;
}

Iteration prepare_transformer(Variant variant, int64_t divisor) {
    const auto cut = [divisor](int64_t size) { return divided(size, divisor); };
    const models::GptSizes sizes{cut(1000), cut(128), cut(256), cut(4), cut(4), false};
    return train_gpt("transformer", variant, sizes, {cut(8), cut(128)});
}

Iteration prepare_gpt2_small(Variant variant, int64_t divisor) {
    return train_gpt("gpt2_small", variant, gpt2_small(divisor), {1, divided(256, divisor)});
}

Iteration prepare_gpt2_16x1024(Variant variant, int64_t divisor) {
    return train_gpt("gpt2_16x1024", variant, gpt2_small(divisor),
                     {divided(16, divisor), divided(1024, divisor)});
}

Iteration prepare_gpt2_block(Variant variant, int64_t divisor) {
    const auto cut = [divisor](int64_t size) { return divided(size, divisor); };
    RandomInputs random;
    const int64_t width = cut(768), words = cut(1024);
    const Variable x(random.uniform({cut(8), words, width}), false), t = x;
    return train("gpt2_block", variant,
                 std::make_shared<models::CausalBlock>(width, cut(12), words),
                 std::make_shared<Adam>(3e-4), {{x, t}},
                 [](const Variable& y, const Variable&) { return mean(square(y)); });
}

Iteration prepare_gpt_decode(Variant variant, int64_t divisor) {
    const models::GptSizes sizes = gpt2_small(divisor);
    auto model = std::make_shared<models::Gpt>(sizes);
    const Variable word(Array::zeros({Dtype::int32, {1, 1}}), false);
    const Variable empty(
        Array::zeros({config().dtype, {1, sizes.heads, 0, sizes.width / sizes.heads}}), false);
    const std::vector<models::AttentionCache> beginning(size_t(sizes.blocks), {empty, empty});
    auto call = [model](const Variable& word, std::vector<models::AttentionCache> caches) {
        Variable scores = model->decode(word, caches);
        return Decoded{scores, caches};
    };
    auto last = std::make_shared<Decoded>(Decoded{{}, beginning});
    Iteration iteration;
    iteration.cycle = iteration.programs = int(divided(256, divisor));
    const auto use = [&](auto call) {
        iteration.run = [=, longest = int64_t(iteration.cycle)] {
            const auto test_mode = using_config(&Config::train, false);
            const auto no_graph = no_backprop_mode();
            if (last->caches[0].keys.shape()[2] == longest) last->caches = beginning;
            *last = call(word, last->caches);
        };
    };
    iteration.results = [last] { return arrays_of({last->scores}); };
    if (variant == Variant::eager) {
        use(call);
    } else {
        auto region = shared_region("gpt_decode", variant, call);
        use([region](const Variable& word, const auto& caches) { return (*region)(word, caches); });
        iteration.statistics = [region] { return region->statistics(); };
        iteration.profile = [region] { return region->profile(); };
    }
    return iteration;
}

}  // namespace catena::tool
