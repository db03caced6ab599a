// Chainer's seq2seq: an LSTM network reads a sentence, another writes its translation (Sutskever,
// Vinyals and Le 2014).
#include "seq2seq/translator.h"
#include "support/example.h"

namespace ct = catena;
namespace extensions = catena::extensions;

struct Options {
    LanguageOptions languages;
    std::string out = "result", resume;
    int64_t batch_size = 64, units = 1024, layers = 3;
    double epochs = 20, alpha = 0.001;
};

static void train(examples::Example& example, const Options& options) {
    const auto [from, to, training, test] = load_languages(options.languages);
    const int64_t most_words = options.languages.most_words;
    fmt::print("{} pairs, {} and {} words\n", training.sources.size(), from.words.size(),
               to.words.size());

    Seq2seq model(options.layers, int64_t(from.words.size()), int64_t(to.words.size()),
                  options.units);
    ct::Adam optimizer(options.alpha);
    optimizer.setup(model);
    ct::SerialIterator iterator(dataset_of(training), options.batch_size);
    ct::StandardUpdater updater(iterator, optimizer, model,
                                {.converter = batch_of, .static_graph = true});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    const auto evaluate = [&, &test = test] {
        return bleu(model.translate(test.sources, most_words), test.targets);
    };
    trainer.extend([&](ct::Trainer& t) { t.observation().emplace("validation/bleu", evaluate()); },
                   {.name = "bleu", .trigger = {1, "epoch"}, .priority = ct::priority_writer});
    trainer.extend(extensions::snapshot({.n_retains = 1}));
    trainer.extend(extensions::LogReport());
    trainer.extend(extensions::PrintReport(
        {"epoch", "iteration", "main/loss", "main/accuracy", "validation/bleu", "elapsed_time"}));
    trainer.extend(extensions::ProgressBar());
    if (!options.resume.empty()) ct::load_npz(options.resume, trainer);
    trainer.run();

    const std::vector<Words> some(
        test.sources.begin(),
        test.sources.begin() + std::min<int64_t>(3, int64_t(test.sources.size())));
    const std::vector<Words> translations = model.translate(some, most_words);
    for (size_t i = 0; i < some.size(); ++i)
        fmt::print("source: {}\nresult: {}\nexpect: {}\n", text_of(some[i], from),
                   text_of(translations[i], to), text_of(test.targets[i], to));
    example.result("bleu", evaluate(), examples::Better::larger);
    example.print_times(updater);
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Trains a translator");
    example.flag("--source", options.languages.source,
                 "file of sentences, one a line; else two languages are made up");
    example.flag("--target", options.languages.target, "their translations");
    example.flag("--validation-source", options.languages.validation_source,
                 "sentences for testing");
    example.flag("--validation-target", options.languages.validation_target, "their translations");
    example.flag("-b,--batchsize", options.batch_size, "sentences in a mini-batch");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-u,--unit", options.units, "units of a layer");
    example.flag("-l,--layer", options.layers, "layers of each network");
    example.flag("--max-sentence", options.languages.most_words,
                 "words of a sentence; longer ones are left out");
    example.flag("--vocab-size", options.languages.vocabulary, "words of a language");
    example.flag("--alpha", options.alpha, "step size of Adam");
    example.flag("-o,--out", options.out, "folder for the log and snapshots");
    example.flag("-r,--resume", options.resume, "snapshot to go on from");
    return example.run(argc, argv, [&] { train(example, options); });
}
