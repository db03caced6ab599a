// Chainer's seq2seq: an LSTM network reads a sentence, another writes its translation (Sutskever, Vinyals and Le 2014).
#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "examples/support/example.h"
#include "frontend/link/rnn/n_step.h"

namespace ct = catena;
namespace extensions = catena::extensions;

using Words = std::vector<int32_t>;
constexpr int32_t unknown = 0, end_of_sentence = 1;

struct Options {
    std::string source, target, validation_source, validation_target, out = "result", resume;
    int64_t batch_size = 64, units = 1024, layers = 3, most_words = 50, vocabulary = 40000;
    double epochs = 20, alpha = 0.001;
};

/// Words by number, the most frequent first, after the two that every language has.
struct Vocabulary {
    std::vector<std::string> words{"<UNK>", "<EOS>"};
    std::map<std::string, int32_t> numbers;
    Vocabulary(const std::vector<std::vector<std::string>>& sentences, int64_t most) {
        std::map<std::string, int64_t> counts;
        for (const auto& sentence : sentences)
            for (const std::string& word : sentence) ++counts[word];
        std::vector<std::pair<int64_t, std::string>> sorted;
        for (const auto& [word, count] : counts) sorted.push_back({-count, word});
        std::sort(sorted.begin(), sorted.end());
        for (const auto& [count, word] : sorted) {
            if (int64_t(words.size()) == most) break;
            numbers[word] = int32_t(words.size());
            words.push_back(word);
        }
    }
    Words encode(const std::vector<std::string>& sentence) const {
        Words encoded;
        for (const std::string& word : sentence) {
            const auto found = numbers.find(word);
            encoded.push_back(found == numbers.end() ? unknown : found->second);
        }
        return encoded;
    }
};

using Sentences = std::vector<std::vector<std::string>>;

static Sentences read_sentences(const std::string& path) {
    std::ifstream file(path);
    if (!file) ct::fail<ct::FileError>("seq2seq: cannot open {}", path);
    Sentences sentences;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        sentences.emplace_back();
        for (std::string word; words >> word;) sentences.back().push_back(word);
    }
    return sentences;
}

/// Two made-up languages: the words of one stand for words of the other, which puts them in the opposite order.
static std::pair<Sentences, Sentences> made_up_languages(int64_t count, uint64_t seed) {
    static const std::vector<std::string> words = {"one", "two", "three", "four", "five", "six", "seven", "eight"},
                                          theirs = {"un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit"};
    std::mt19937_64 random(seed);
    std::pair<Sentences, Sentences> pairs;
    for (int64_t i = 0; i < count; ++i) {
        std::vector<std::string> ours, translated;
        for (size_t length = 1 + random() % 5; length > 0; --length) {
            const size_t word = random() % words.size();
            ours.push_back(words[word]);
            translated.insert(translated.begin(), theirs[word]);
        }
        pairs.first.push_back(ours);
        pairs.second.push_back(translated);
    }
    return pairs;
}

/// Pairs of sentences whose lengths are allowed, as numbers.
struct Pairs {
    std::vector<Words> sources, targets;
};
static Pairs encoded(const Sentences& sources, const Sentences& targets, const Vocabulary& from, const Vocabulary& to, int64_t most) {
    if (sources.size() != targets.size())
        ct::fail<ct::ValueError>("seq2seq: {} sentences and {} translations", sources.size(), targets.size());
    const auto fits = [most](const auto& s) { return !s.empty() && int64_t(s.size()) <= most; };
    Pairs pairs;
    for (size_t i = 0; i < sources.size(); ++i)
        if (fits(sources[i]) && fits(targets[i])) {
            pairs.sources.push_back(from.encode(sources[i]));
            pairs.targets.push_back(to.encode(targets[i]));
        }
    return pairs;
}

/// Sequences one after another, and their lengths.
struct Ragged {
    std::vector<int32_t> values, lengths;
    void add(const Words& words) {
        values.insert(values.end(), words.begin(), words.end());
        lengths.push_back(int32_t(words.size()));
    }
    /// Adds one sequence, so that the words of all are a multiple of 64: most mini-batches then run the same program.
    void fill(int32_t word) {
        constexpr size_t multiple = 64;
        add(Words(multiple - values.size() % multiple, word));
    }
};
static ct::Variable variable(const std::vector<int32_t>& values) {
    return ct::Array::from(values, {int64_t(values.size())}).to(ct::current_device());
}
static Words reversed(Words words) {
    std::reverse(words.begin(), words.end());
    return words;
}

/// Sources, backwards; what the decoder is given, <EOS> and the words; and what it should say, the words and <EOS>.
static ct::Batch batch_of(std::span<const ct::Example> examples) {
    Ragged sources, given, said;
    for (const ct::Example& example : examples) {
        const Words source = example[0].to_vector<int32_t>();
        Words target = example[1].to_vector<int32_t>();
        sources.add(reversed(source));
        target.push_back(end_of_sentence);
        said.add(target);
        target.insert(target.begin(), end_of_sentence);
        target.pop_back();
        given.add(target);
    }
    sources.fill(unknown);
    given.fill(unknown);
    said.fill(-1);  // not counted
    return {variable(sources.values), variable(sources.lengths), variable(given.values), variable(given.lengths), variable(said.values)};
}

struct Seq2seq : ct::Chain {
    ct::EmbedID embed_x, embed_y;
    ct::NStepLSTM encoder, decoder;
    ct::Linear W;
    Seq2seq(const Options& options, int64_t source_words, int64_t target_words)
        : embed_x(source_words, options.units), embed_y(target_words, options.units),
          encoder(options.layers, options.units, options.units, 0.1), decoder(options.layers, options.units, options.units, 0.1),
          W(options.units, target_words) {
        add_children({{"embed_x", embed_x}, {"embed_y", embed_y}, {"encoder", encoder}, {"decoder", decoder}, {"W", W}});
    }
    ct::Variable operator()(const ct::Variable& source, const ct::Variable& lengths, const ct::Variable& given,
                            const ct::Variable& given_lengths, const ct::Variable& said) {
        const ct::NStepRows read = encoder({}, {}, {embed_x(source), lengths});
        const ct::NStepRows written = decoder(read.hy, read.cy, {embed_y(given), given_lengths});
        const ct::Variable y = W(written.ys);
        const ct::Variable loss = ct::softmax_cross_entropy(y, said);
        ct::report({{"loss", loss}, {"accuracy", ct::accuracy(y, said, -1)}}, *this);
        return loss;
    }
    /// The likeliest word after each other, for several sentences at once.
    std::vector<Words> translate(const std::vector<Words>& sentences, int64_t most_words) {
        const auto test_mode = ct::using_config(&ct::Config::train, false);
        const auto no_graph = ct::no_backprop_mode();
        Ragged sources;
        for (const Words& sentence : sentences) sources.add(reversed(sentence));
        ct::NStepRows state = encoder({}, {}, {embed_x(variable(sources.values)), variable(sources.lengths)});
        const ct::Variable one_each = variable(std::vector<int32_t>(sentences.size(), 1));
        std::vector<int32_t> words(sentences.size(), end_of_sentence);
        std::vector<Words> translations(sentences.size());
        std::vector<bool> ended(sentences.size());
        for (int64_t k = 0; k < most_words; ++k) {
            state = decoder(state.hy, state.cy, {embed_y(variable(words)), one_each});
            words = ct::argmax(W(state.ys), 1).array().to_vector<int32_t>();
            for (size_t i = 0; i < words.size(); ++i) {
                ended[i] = ended[i] || words[i] == end_of_sentence;
                if (!ended[i]) translations[i].push_back(words[i]);
            }
        }
        return translations;
    }
};

static std::string text_of(const Words& words, const Vocabulary& vocabulary) {
    std::string text;
    for (const int32_t word : words) text += (text.empty() ? "" : " ") + vocabulary.words[size_t(word)];
    return text;
}

/// BLEU (Papineni et al. 2002) with runs of up to two words, which short sentences have: the geometric mean of the shares of
/// runs that the references have, times a penalty for brevity.
static double bleu(const std::vector<Words>& found, const std::vector<Words>& expected) {
    double log_precision = 0, found_length = 0, expected_length = 0;
    for (size_t n = 1; n <= 2; ++n) {
        double right = 0, all = 0;
        for (size_t i = 0; i < found.size(); ++i) {
            std::map<Words, int> left;
            for (size_t k = 0; k + n <= expected[i].size(); ++k) ++left[Words(expected[i].begin() + k, expected[i].begin() + k + n)];
            for (size_t k = 0; k + n <= found[i].size(); ++k) {
                right += left[Words(found[i].begin() + k, found[i].begin() + k + n)]-- > 0;
                ++all;
            }
        }
        log_precision += std::log((right + 1e-9) / (all + 1e-9)) / 2;
    }
    for (size_t i = 0; i < found.size(); ++i) {
        found_length += double(found[i].size());
        expected_length += double(expected[i].size());
    }
    const double brevity = found_length >= expected_length ? 0 : 1 - expected_length / (found_length + 1e-9);
    return std::exp(log_precision + brevity);
}

static ct::Dataset dataset_of(const Pairs& pairs) {
    std::vector<ct::Example> all;
    const auto array = [](const Words& words) { return ct::Array::from(words, {int64_t(words.size())}); };
    for (size_t i = 0; i < pairs.sources.size(); ++i) all.push_back({array(pairs.sources[i]), array(pairs.targets[i])});
    return all;
}

static void train(examples::Example& example, const Options& options) {
    const bool made_up = options.source.empty();
    const auto load = [&](const std::string& source, const std::string& target, int64_t count, uint64_t seed) {
        return made_up ? made_up_languages(count, seed) : std::pair(read_sentences(source), read_sentences(target));
    };
    const auto [sources, targets] = load(options.source, options.target, 2000, 1);
    const auto [test_sources, test_targets] = load(options.validation_source, options.validation_target, 100, 2);
    const Vocabulary from(sources, options.vocabulary), to(targets, options.vocabulary);
    const Pairs training = encoded(sources, targets, from, to, options.most_words);
    const Pairs test = encoded(test_sources, test_targets, from, to, options.most_words);
    fmt::print("{} pairs, {} and {} words\n", training.sources.size(), from.words.size(), to.words.size());

    Seq2seq model(options, int64_t(from.words.size()), int64_t(to.words.size()));
    ct::Adam optimizer(options.alpha);
    optimizer.setup(model);
    ct::SerialIterator iterator(dataset_of(training), options.batch_size);
    ct::StandardUpdater updater(iterator, optimizer, model, {.converter = batch_of, .static_graph = true});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    const auto evaluate = [&] { return bleu(model.translate(test.sources, options.most_words), test.targets); };
    trainer.extend([&](ct::Trainer& t) { t.observation().emplace("validation/bleu", evaluate()); },
                   {.name = "bleu", .trigger = {1, "epoch"}, .priority = ct::priority_writer});
    trainer.extend(extensions::snapshot({.n_retains = 1}));
    trainer.extend(extensions::LogReport());
    trainer.extend(extensions::PrintReport({"epoch", "iteration", "main/loss", "main/accuracy", "validation/bleu", "elapsed_time"}));
    trainer.extend(extensions::ProgressBar());
    if (!options.resume.empty()) ct::load_npz(options.resume, trainer);
    trainer.run();

    const std::vector<Words> some(test.sources.begin(), test.sources.begin() + std::min<int64_t>(3, int64_t(test.sources.size())));
    const std::vector<Words> translations = model.translate(some, options.most_words);
    for (size_t i = 0; i < some.size(); ++i)
        fmt::print("source: {}\nresult: {}\nexpect: {}\n", text_of(some[i], from), text_of(translations[i], to), text_of(test.targets[i], to));
    example.result("bleu", evaluate(), examples::Better::larger);
    example.print_times([&] { updater.update(); });
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Trains a translator");
    example.flag("--source", options.source, "file of sentences, one a line; else two languages are made up");
    example.flag("--target", options.target, "their translations");
    example.flag("--validation-source", options.validation_source, "sentences for testing");
    example.flag("--validation-target", options.validation_target, "their translations");
    example.flag("-b,--batchsize", options.batch_size, "sentences in a mini-batch");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-u,--unit", options.units, "units of a layer");
    example.flag("-l,--layer", options.layers, "layers of each network");
    example.flag("--max-sentence", options.most_words, "words of a sentence; longer ones are left out");
    example.flag("--vocab-size", options.vocabulary, "words of a language");
    example.flag("--alpha", options.alpha, "step size of Adam");
    example.flag("-o,--out", options.out, "folder for the log and snapshots");
    example.flag("-r,--resume", options.resume, "snapshot to go on from");
    return example.run(argc, argv, [&] { train(example, options); });
}
