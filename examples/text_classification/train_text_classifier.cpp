// Chainer's train_text_classifier: what is a text about? Networks of words: bag of words, convolutions (Kim 2014), LSTM.
#include <fstream>
#include <random>
#include <sstream>

#include "examples/support/example.h"

namespace ct = catena;
namespace extensions = catena::extensions;

struct Options {
    std::string data, test, model = "cnn", out = "result", resume;
    int64_t batch_size = 64, units = 300, most_words = 40;
    double epochs = 30, dropout = 0.4;
};

struct Text {
    int32_t label;
    std::vector<std::string> words;
};

/// Lines "label<tab>text"; labels are 0, 1, ...
static std::vector<Text> read_texts(const std::string& path) {
    std::ifstream file(path);
    if (!file) ct::fail<ct::FileError>("text_classifier: cannot open {}", path);
    std::vector<Text> texts;
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        std::istringstream words(line);
        Text text;
        if (!(words >> text.label) || text.label < 0)
            ct::fail<ct::FileError>("text_classifier: {}:{}: a line should be a label 0, 1, ... and a text", path, number);
        for (std::string word; words >> word;) text.words.push_back(word);
        texts.push_back(text);
    }
    return texts;
}

/// Reviews for those who have none: 1 if it praises. "not" turns the word behind it around, so that words alone mislead.
static std::vector<Text> made_up_reviews(int64_t count, uint64_t seed) {
    static const std::vector<std::string> good = {"fine", "moving", "clever", "funny", "beautiful"},
                                          bad = {"dull", "slow", "silly", "empty", "loud"},
                                          fill = {"the", "film", "plot", "is", "cast", "and", "music", "a", "very", "this", "story"};
    std::mt19937_64 random(seed);
    const auto any = [&](const std::vector<std::string>& words) { return words[random() % words.size()]; };
    std::vector<Text> texts;
    for (int64_t i = 0; i < count; ++i) {
        Text text{int32_t(random() % 2), {}};
        const size_t length = 6 + random() % 20, place = random() % (length - 2);
        for (size_t word = 0; word < length; ++word) text.words.push_back(any(fill));
        const bool turned = random() % 3 == 0;
        if (turned) text.words[place] = "not";
        text.words[place + 1] = any((text.label == 1) != turned ? good : bad);
        texts.push_back(text);
    }
    return texts;
}

/// Words that occur at least twice, by number; 0 stands for all others.
static std::map<std::string, int32_t> vocabulary_of(const std::vector<Text>& texts) {
    std::map<std::string, int> counts;
    for (const Text& text : texts)
        for (const std::string& word : text.words) ++counts[word];
    std::map<std::string, int32_t> vocabulary;
    for (const auto& [word, count] : counts)
        if (count >= 2) vocabulary.try_emplace(word, int32_t(vocabulary.size()) + 1);
    return vocabulary;
}

/// Tuples of the first words' numbers, filled with -1, and the label.
static ct::Dataset dataset_of(const std::vector<Text>& texts, const std::map<std::string, int32_t>& vocabulary, int64_t most_words) {
    const int64_t n = int64_t(texts.size());
    std::vector<int32_t> words(size_t(n * most_words), -1), labels;
    for (int64_t i = 0; i < n; ++i) {
        const Text& text = texts[size_t(i)];
        for (int64_t k = 0; k < std::min(most_words, int64_t(text.words.size())); ++k) {
            const auto found = vocabulary.find(text.words[size_t(k)]);
            words[size_t(i * most_words + k)] = found == vocabulary.end() ? 0 : found->second;
        }
        labels.push_back(text.label);
    }
    return ct::TupleDataset(ct::Array::from(words, {n, most_words}), ct::Array::from(labels, {n}));
}

/// Words [n, length], filled with -1, to scores of the classes.
struct TextClassifier : ct::Chain {
    std::string kind;
    double dropout;
    ct::EmbedID embed;
    ct::Convolution2D cnn3, cnn4, cnn5;
    ct::LSTM lstm;
    ct::Linear hidden, output;
    TextClassifier(const Options& options, int64_t words, int64_t classes)
        : kind(options.model), dropout(options.dropout),
          embed(words, options.units, {.initialW = ct::initializers::Uniform(0.25), .ignore_label = -1}),
          cnn3(options.units, options.units / 3, {3, 1}, {.pad = {2, 0}}), cnn4(options.units, options.units / 3, {4, 1}, {.pad = {3, 0}}),
          cnn5(options.units, options.units / 3, {5, 1}, {.pad = {4, 0}}), lstm(options.units, options.units),
          hidden(options.units), output(classes) {
        add_children({{"embed", embed}, {"hidden", hidden}, {"output", output}});
        if (kind == "cnn") add_children({{"cnn3", cnn3}, {"cnn4", cnn4}, {"cnn5", cnn5}});
        else leave_out(cnn3), leave_out(cnn4), leave_out(cnn5);
        if (kind == "rnn") add_child("lstm", lstm);
        else leave_out(lstm);
    }
    ct::Variable operator()(const ct::Variable& x) {
        const ct::Variable e = ct::dropout(embed(x), dropout);
        const ct::Variable features = kind == "bow" ? bag(e, x) : kind == "cnn" ? convolved(e) : last_state(e, x);
        return output(ct::dropout(ct::relu(hidden(ct::dropout(features, dropout))), dropout));
    }

private:
    static ct::Variable is_word(const ct::Variable& x) { return ct::cast(x >= 0, ct::Dtype::float32); }
    /// The mean of the words' vectors.
    static ct::Variable bag(const ct::Variable& e, const ct::Variable& x) {
        return ct::sum(e, 1) / ct::maximum(ct::sum(is_word(x), 1, true), 1.0);
    }
    /// What each filter finds at most, in runs of three, four and five words.
    ct::Variable convolved(const ct::Variable& e) {
        const ct::Variable h = ct::expand_dims(ct::transpose(e, {0, 2, 1}), 3);
        return ct::concat({ct::max(ct::relu(cnn3(h)), {2, 3}), ct::max(ct::relu(cnn4(h)), {2, 3}), ct::max(ct::relu(cnn5(h)), {2, 3})}, 1);
    }
    /// The state after the last word: it does not change behind the text's end.
    ct::Variable last_state(const ct::Variable& e, const ct::Variable& x) {
        const ct::Variable there = is_word(x);
        lstm.reset_state();
        ct::Variable h;
        for (int64_t k = 0; k < x.shape()[1]; ++k) {
            const ct::Variable before = h, c = lstm.c(), present = ct::slice_axis(there, 1, k, 1);
            h = lstm(ct::get_item(e, {ct::slice(std::nullopt), k}));
            if (!before.defined()) continue;
            h = present * h + (1.0 - present) * before;
            lstm.set_state(present * lstm.c() + (1.0 - present) * c, h);
        }
        return h;
    }
};

static void train(examples::Example& example, const Options& options) {
    const std::vector<Text> training = options.data.empty() ? made_up_reviews(2000, 1) : read_texts(options.data);
    const std::vector<Text> test = options.test.empty() ? made_up_reviews(300, 2) : read_texts(options.test);
    const auto vocabulary = vocabulary_of(training);
    int32_t last_class = 0;
    for (const Text& text : training) last_class = std::max(last_class, text.label);
    fmt::print("{} texts, {} words, {} classes\n", training.size(), vocabulary.size(), last_class + 1);

    ct::Classifier model(TextClassifier(options, int64_t(vocabulary.size()) + 1, last_class + 1));
    ct::Adam optimizer;
    optimizer.setup(model);
    optimizer.add_hook(ct::WeightDecay(1e-4));
    ct::SerialIterator train_iter(dataset_of(training, vocabulary, options.most_words), options.batch_size);
    ct::SerialIterator test_iter(dataset_of(test, vocabulary, options.most_words), options.batch_size,
                                 {.repeat = false, .shuffle = false});
    ct::Device* device = &ct::current_device();
    ct::StandardUpdater updater(train_iter, optimizer, model, {.device = device, .static_graph = true});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    trainer.extend(extensions::Evaluator(test_iter, model, {.device = device, .static_graph = true}));
    // The best model so far, by its accuracy on the test set.
    trainer.extend(extensions::snapshot_object(model, "best_model.npz"),
                   {.trigger = ct::triggers::MaxValueTrigger("validation/main/accuracy")});
    trainer.extend(extensions::snapshot({.n_retains = 1}));
    trainer.extend(extensions::LogReport());
    trainer.extend(extensions::PrintReport({"epoch", "main/loss", "validation/main/loss", "main/accuracy",
                                            "validation/main/accuracy", "elapsed_time"}));
    trainer.extend(extensions::ProgressBar());
    if (!options.resume.empty()) ct::load_npz(options.resume, trainer);
    trainer.run();

    example.result("test accuracy", trainer.observation().at("validation/main/accuracy").value(), examples::Better::larger);
    example.print_times([&] { updater.update(); });
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Trains a classifier of texts");
    example.flag("--data", options.data, "file of lines \"label text\"; else reviews are made up");
    example.flag("--test-data", options.test, "file of texts for testing");
    example.choice("-m,--model", options.model, {"cnn", "rnn", "bow"}, "convolutions, LSTM, or bag of words");
    example.flag("-b,--batchsize", options.batch_size, "texts in a mini-batch");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-u,--unit", options.units, "length of a word's vector");
    example.flag("--dropout", options.dropout, "share of dropped elements");
    example.flag("--most-words", options.most_words, "of a text; the others are cut off");
    example.flag("-o,--out", options.out, "folder for the log, snapshots and best model");
    example.flag("-r,--resume", options.resume, "snapshot to go on from");
    return example.run(argc, argv, [&] { train(example, options); });
}
