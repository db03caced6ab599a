// Writes text with a model of train_ptb: each word is drawn from the probabilities that the model
// gives after the words before.
#include <random>
#include <sstream>

#include "ptb/language_model.h"
#include "support/example.h"

namespace ct = catena;

struct Options {
    std::string model = "result/model.npz", data, prime = "the";
    int64_t units = 650, length = 20;
    bool likeliest = false;
};

static void generate(const Options& options, uint64_t seed) {
    const auto vocabulary = load_corpus(options.data).vocabulary;
    std::vector<std::string> words(vocabulary.size());
    for (const auto& [word, number] : vocabulary) words[number] = word;
    RNNForLM model(int64_t(words.size()), options.units);
    ct::load_npz(options.model, model);

    const auto test_mode = ct::using_config(&ct::Config::train, false);
    const auto no_graph = ct::no_backprop_mode();
    // The state of the LSTM layers is read and replaced by the compiled program as by the model
    // itself.
    auto probabilities_after = ct::static_graph(
        [&](const ct::Variable& word) { return ct::softmax(model(word)); }, "next_word");
    std::mt19937_64 random(seed);
    ct::Variable probabilities;
    const auto say = [&](int32_t word) {
        fmt::print("{} ", words[word] == "<eos>" ? "." : words[word]);
        probabilities = probabilities_after(ct::Variable(ct::Array::from({word})));
    };
    std::istringstream prime(options.prime);
    for (std::string word; prime >> word;) {
        const auto found = vocabulary.find(word);
        if (found == vocabulary.end())
            ct::fail<ct::ValueError>("gentxt: '{}' is no word of the model", word);
        say(found->second);
    }
    if (!probabilities.defined())
        ct::fail<ct::ValueError>("gentxt: --primetext should have at least one word");
    for (int64_t i = 0; i < options.length; ++i) {
        const std::vector<double> p = probabilities.array().to_vector<double>();
        std::discrete_distribution<int32_t> draw(p.begin(), p.end());
        say(options.likeliest ? int32_t(std::max_element(p.begin(), p.end()) - p.begin())
                              : draw(random));
    }
    fmt::print("\n");
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Writes text with a model of train_ptb");
    example.flag("-m,--model", options.model, "file that train_ptb wrote");
    example.flag("--data", options.data, "as for train_ptb");
    example.flag("-p,--primetext", options.prime, "first words");
    example.flag("-u,--unit", options.units, "units of a layer, as for train_ptb");
    example.flag("--length", options.length, "words to write");
    example.flag("--likeliest", options.likeliest,
                 "take the likeliest word instead of drawing one");
    return example.run(argc, argv, [&] { generate(options, example.seed); });
}
