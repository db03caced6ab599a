// Chainer's train_text_classifier: what is a text about? Networks of words: bag of words,
// convolutions (Kim 2014), LSTM.
#include <filesystem>

#include "support/example.h"
#include "support/setup.h"
#include "text_classification/text_classifier.h"
#include "text_classification/texts.h"

namespace ct = catena;
namespace extensions = catena::extensions;

struct Options {
    std::string data, test, model = "cnn", out = "result", resume;
    int64_t batch_size = 64, units = 300, most_words = 40;
    double epochs = 30, dropout = 0.4;
};

/// What run_text_classifier must know.
static void save_setup(const Options& options, const std::map<std::string, int32_t>& vocabulary,
                       int64_t classes) {
    examples::Setup setup;
    setup.set("model", options.model);
    for (const auto& [name, value] : {std::pair("units", options.units),
                                      {"most_words", options.most_words},
                                      {"classes", classes}})
        setup.set(name, value);
    std::map<std::string, int32_t> words = vocabulary;
    words[unknown_word] = 0;
    setup.set_words(words);
    std::filesystem::create_directories(options.out);
    setup.save(options.out + "/setup.txt");
}

static void train(examples::Example& example, const Options& options) {
    examples::require_together({{"--data", options.data}, {"--test-data", options.test}});
    const std::vector<Text> training =
        options.data.empty() ? made_up_reviews(2000, 1) : read_texts(options.data);
    const std::vector<Text> test =
        options.test.empty() ? made_up_reviews(300, 2) : read_texts(options.test);
    const auto vocabulary = vocabulary_of(training);
    int32_t last_class = 0;
    for (const Text& text : training) last_class = std::max(last_class, text.label);
    fmt::print("{} texts, {} words, {} classes\n", training.size(), vocabulary.size(),
               last_class + 1);

    save_setup(options, vocabulary, last_class + 1);
    ct::Classifier model(TextClassifier(options.model, options.units, options.dropout,
                                        int64_t(vocabulary.size()) + 1, last_class + 1));
    ct::Adam optimizer;
    optimizer.setup(model);
    optimizer.add_hook(ct::WeightDecay(1e-4));
    ct::SerialIterator train_iter(dataset_of(training, vocabulary, options.most_words),
                                  options.batch_size);
    ct::SerialIterator test_iter(dataset_of(test, vocabulary, options.most_words),
                                 options.batch_size, {.repeat = false, .shuffle = false});
    ct::Device* device = &ct::current_device();
    ct::StandardUpdater updater(train_iter, optimizer, model,
                                {.device = device, .static_graph = true});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    trainer.extend(
        extensions::Evaluator(test_iter, model, {.device = device, .static_graph = true}));
    // The best model so far, by its accuracy on the test set.
    trainer.extend(extensions::snapshot_object(model.predictor, "best_model.npz"),
                   {.trigger = ct::triggers::MaxValueTrigger("validation/main/accuracy")});
    trainer.extend(extensions::snapshot({.n_retains = 1}));
    trainer.extend(extensions::LogReport());
    trainer.extend(
        extensions::PrintReport({"epoch", "main/loss", "validation/main/loss", "main/accuracy",
                                 "validation/main/accuracy", "elapsed_time"}));
    trainer.extend(extensions::ProgressBar());
    if (!options.resume.empty()) ct::load_npz(options.resume, trainer);
    trainer.run();

    example.result("test accuracy", examples::observed(trainer, "validation/main/accuracy"),
                   examples::Better::larger);
    example.print_times(updater);
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Trains a classifier of texts");
    example.flag("--data", options.data, "file of lines \"label text\"; else reviews are made up");
    example.flag("--test-data", options.test, "file of texts for testing");
    example.choice("-m,--model", options.model, {"cnn", "rnn", "bow"},
                   "convolutions, LSTM, or bag of words");
    example.flag("-b,--batchsize", options.batch_size, "texts in a mini-batch");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-u,--unit", options.units, "length of a word's vector");
    example.flag("--dropout", options.dropout, "share of dropped elements");
    example.flag("--most-words", options.most_words, "of a text; the others are cut off");
    example.flag("-o,--out", options.out,
                 "folder for the log, snapshots, best_model.npz and setup.txt");
    example.flag("-r,--resume", options.resume, "snapshot to go on from");
    return example.run(argc, argv, [&] { train(example, options); });
}
