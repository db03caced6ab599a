// Chainer's train_memnn: a memory network answers questions about stories.
#include "memnn/babi.h"
#include "memnn/memory_network.h"
#include "memnn/story_arrays.h"
#include "support/example.h"
#include "support/setup.h"

namespace ct = catena;
namespace extensions = catena::extensions;

struct Options {
    std::string train_data, test_data, sentence_repr = "bow", out = "result", model = "model.npz";
    int64_t batch_size = 100, units = 20, hops = 3, max_memory = 50;
    double epochs = 100, alpha = 0.001;
};

static void train(examples::Example& example, const Options& options) {
    examples::require_together(
        {{"--train-data", options.train_data}, {"--test-data", options.test_data}});
    Vocabulary vocabulary;
    const auto load = [&](const std::string& path, int64_t count, uint64_t seed) {
        if (!path.empty()) return read_stories(path, vocabulary);
        std::istringstream text(made_up_stories(count, seed));
        return parse_stories(text, vocabulary);
    };
    const std::vector<Query> training = load(options.train_data, 1000, 1),
                             test = load(options.test_data, 200, 2);
    const int64_t length = std::max(longest_sentence(training), longest_sentence(test));
    size_t memory = 0;
    for (const auto& queries : {training, test})
        for (const Query& query : queries) memory = std::max(memory, query.sentences.size());
    const int64_t max_memory = std::min(options.max_memory, int64_t(memory));

    ct::Device* device = &ct::current_device();
    MemoryNetwork network(int64_t(vocabulary.size()), options.units, options.hops, max_memory,
                          options.sentence_repr == "pe");
    Answering model(network);
    ct::Adam optimizer(options.alpha);
    optimizer.setup(network);

    ct::SerialIterator train_iter(dataset_of(training, max_memory, length), options.batch_size);
    ct::SerialIterator test_iter(dataset_of(test, max_memory, length), options.batch_size,
                                 {.repeat = false, .shuffle = false});
    ct::StandardUpdater updater(train_iter, optimizer, model,
                                {.device = device, .static_graph = true});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    const auto evaluate = [&](const ct::Variable& s, const ct::Variable& q, const ct::Variable& a) {
        model(s, q, a);
    };
    trainer.extend(extensions::Evaluator(test_iter, network, evaluate,
                                         {.device = device, .static_graph = true}));
    trainer.extend(extensions::snapshot({.n_retains = 1}));
    trainer.extend(extensions::LogReport());
    trainer.extend(
        extensions::PrintReport({"epoch", "main/loss", "validation/main/loss", "main/accuracy",
                                 "validation/main/accuracy", "elapsed_time"}));
    trainer.extend(extensions::ProgressBar());
    trainer.run();

    ct::save_npz(options.out + "/" + options.model, network);
    examples::Setup setup;
    for (const auto& [name, value] : {std::pair("units", options.units),
                                      {"hops", options.hops},
                                      {"memory", max_memory},
                                      {"length", length}})
        setup.set(name, value);
    setup.set("sentence_repr", options.sentence_repr);
    setup.set_words(vocabulary);
    setup.save(options.out + "/" + options.model + ".txt");
    example.result("test accuracy", examples::observed(trainer, "validation/main/accuracy"),
                   examples::Better::larger);
    example.print_times(updater);
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Trains a memory network to answer questions");
    example.flag("--train-data", options.train_data,
                 "stories in the format of the bAbI tasks; else stories are made up");
    example.flag("--test-data", options.test_data, "stories for testing");
    example.flag("-b,--batchsize", options.batch_size, "questions in a mini-batch");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-u,--unit", options.units, "length of a word's vector");
    example.flag("-H,--hop", options.hops, "readings of the memory");
    example.flag("--max-memory", options.max_memory, "sentences that are remembered");
    example.choice("--sentence-repr", options.sentence_repr, {"bow", "pe"},
                   "bag of words, or weighted by position");
    example.flag("--alpha", options.alpha, "step size of Adam");
    example.flag("-o,--out", options.out, "folder for the log, snapshots and model");
    example.flag("-m,--model", options.model,
                 "file in --out for test_memnn, beside its words, MODEL.txt");
    return example.run(argc, argv, [&] { train(example, options); });
}
