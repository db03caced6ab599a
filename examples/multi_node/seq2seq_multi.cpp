// ChainerMN's seq2seq and seq2seq_mp1: examples/seq2seq on several ranks. With --how data each rank
// has a part of the sentences; with --how model the first of two ranks has the encoder, and sends
// what it has read to the decoder on the second.
#include "multi_node/ranked_training.h"
#include "seq2seq/translator.h"
#include "support/ranked_example.h"

namespace ct = catena;
namespace extensions = catena::extensions;
namespace parallel = catena::parallel;

struct Options {
    LanguageOptions languages;
    std::string how = "data", out = "result";
    int64_t batch_size = 64, units = 1024, layers = 3;
    double epochs = 20, alpha = 0.001;
    bool resume = false;
};

using Comm = std::shared_ptr<ct::Communicator>;

static const std::vector<std::string> columns = {"epoch", "iteration", "main/loss", "main/accuracy",
                                                 "elapsed_time"};

static void train_copies(examples::RankedExample& example, const Options& options,
                         const Languages& languages, const Comm& comm) {
    Seq2seq model(options.layers, int64_t(languages.from.words.size()),
                  int64_t(languages.to.words.size()), options.units);
    ct::Adam optimizer(options.alpha);
    optimizer.setup(model);
    ct::create_multi_node_optimizer(optimizer, comm);
    ct::SerialIterator iterator(
        examples::part_of(dataset_of(languages.training), *comm, example.seed), options.batch_size);
    ct::StandardUpdater updater(iterator, optimizer, model,
                                {.converter = batch_of, .static_graph = true});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    examples::extend_on_ranks(trainer, comm, options.resume, columns);
    trainer.run();

    const Pairs& test = languages.test;
    const double found =
        comm->rank() > 0
            ? 0
            : bleu(model.translate(test.sources, options.languages.most_words), test.targets);
    example.result(comm, "bleu", found, examples::Better::larger);
    example.print_times(comm, updater);
}

/// The encoder's state in one message, and back.
static ct::Variable packed(const ct::NStepRows& state) {
    return ct::stack({state.hy, state.cy}, 0);
}
static ct::NStepRows unpacked(const ct::Variable& message) {
    const ct::Variables parts = ct::separate(message, 0);
    return {parts[0], parts[1], {}};
}

/// The half of the network that this rank has; the other half is on the other one.
struct Half {
    Comm comm;
    Encoder encoder;
    Decoder decoder;
    bool writes() const { return comm->rank() == 1; }
    ct::Link& link() { return writes() ? static_cast<ct::Link&>(decoder) : encoder; }

    /// Both ranks are called with the same batch. The reading one's result has no value, only the
    /// gradient of what it sent.
    ct::Variable loss(const ct::Variable& source, const ct::Variable& lengths,
                      const ct::Variable& given, const ct::Variable& given_lengths,
                      const ct::Variable& said) {
        if (!writes()) return parallel::send(*comm, packed(encoder(source, lengths)), 1);
        const ct::NStepRows state = unpacked(parallel::recv(*comm, 0));
        const examples::Scores scores = decoder(state.hy, state.cy, given, given_lengths, said);
        ct::report({{"loss", scores.loss}, {"accuracy", scores.accuracy}}, decoder);
        return scores.loss;
    }
    /// BLEU of the translations; 0 on the reading rank.
    double evaluate(const Pairs& test, int64_t most_words) {
        const auto test_mode = ct::using_config(&ct::Config::train, false);
        const auto no_graph = ct::no_backprop_mode();
        if (!writes()) {
            comm->send(packed(encoder.read(test.sources)).array(), 1);
            return 0;
        }
        const ct::NStepRows state = unpacked(comm->recv(0));
        return bleu(decoder.write(state, int64_t(test.sources.size()), most_words), test.targets);
    }
};

static void train_halves(examples::RankedExample& example, const Options& options,
                         const Languages& languages, const Comm& comm) {
    if (comm->size() != 2)
        ct::fail<ct::ValueError>("--how model needs two ranks, not {}", comm->size());
    ct::SerialIterator iterator(
        dataset_of(languages.training),
        options.batch_size);  // the same order on both: made from the same seed
    Half half{comm, Encoder(options.layers, int64_t(languages.from.words.size()), options.units),
              Decoder(options.layers, int64_t(languages.to.words.size()), options.units)};
    ct::Adam optimizer(options.alpha);
    optimizer.setup(half.link());
    const auto loss = [&](const ct::Variable& source, const ct::Variable& lengths,
                          const ct::Variable& given, const ct::Variable& given_lengths,
                          const ct::Variable& said) {
        return half.loss(source, lengths, given, given_lengths, said);
    };
    ct::StandardUpdater updater(iterator, optimizer, loss,
                                {.converter = batch_of, .static_graph = true});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    if (half.writes()) {
        trainer.extend(extensions::LogReport());
        trainer.extend(extensions::PrintReport(columns));
    }
    trainer.run();
    example.result(comm, "bleu", half.evaluate(languages.test, options.languages.most_words),
                   examples::Better::larger, 1);
    example.print_times(comm, updater);
}

int main(int argc, char** argv) {
    Options options;
    examples::RankedExample example("Trains a translator with several ranks");
    example.choice("--how", options.how, {"data", "model"},
                   "what is divided: the sentences, or the network");
    example.flag("--source", options.languages.source,
                 "file of sentences, one a line; else two languages are made up");
    example.flag("--target", options.languages.target, "their translations");
    example.flag("--validation-source", options.languages.validation_source,
                 "sentences for testing");
    example.flag("--validation-target", options.languages.validation_target, "their translations");
    example.flag("-b,--batchsize", options.batch_size, "sentences in a mini-batch of each rank");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-u,--unit", options.units, "units of a layer");
    example.flag("-l,--layer", options.layers, "layers of each network");
    example.flag("--max-sentence", options.languages.most_words,
                 "words of a sentence; longer ones are left out");
    example.flag("--vocab-size", options.languages.vocabulary, "words of a language");
    example.flag("--alpha", options.alpha, "step size of Adam");
    example.flag("-o,--out", options.out, "folder for the log and, with --how data, snapshots");
    example.flag("-r,--resume", options.resume,
                 "go on from the newest snapshot in --out, with --how data");
    return example.run(argc, argv, [&](const Comm& comm) {
        const Languages languages = load_languages(options.languages);
        if (options.how == "data")
            train_copies(example, options, languages, comm);
        else
            train_halves(example, options, languages, comm);
    });
}
