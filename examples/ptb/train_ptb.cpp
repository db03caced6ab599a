// Chainer's train_ptb: a recurrent language model, trained by truncated back-propagation through
// time.
#include <cmath>

#include "ptb/language_model.h"
#include "ptb/windows.h"
#include "support/example.h"

namespace ct = catena;
namespace extensions = catena::extensions;

struct Options {
    std::string data, out = "result", resume, model = "model.npz";
    int64_t batch_size = 20, steps = 35, units = 650;
    double epochs = 39, clip = 5;
};

static void add_perplexity(ct::extensions::LogEntry& entry) {
    for (const auto& [loss, name] : {std::pair("main/loss", "perplexity"),
                                     std::pair("validation/main/loss", "val_perplexity")})
        if (const auto value = entry.find(loss)) entry.values[name] = std::exp(*value);
}

static void train(examples::Example& example, const Options& options) {
    const Corpus corpus = load_corpus(options.data);
    RNNForLM model(int64_t(corpus.vocabulary.size()), options.units);
    ct::SGD optimizer(1.0);
    optimizer.setup(model);
    optimizer.add_hook(ct::GradientClipping(options.clip));

    Windows train_iter(corpus.train, options.batch_size, options.steps, true);
    Windows valid_iter(corpus.valid, 5, 10, false), test_iter(corpus.test, 5, 10, false);
    ct::Device* device = &ct::current_device();
    ct::TrainingStep step([&](const ct::Variable& x, const ct::Variable& t) {
        const ct::Variable loss = model.loss(x, t);
        model.cleargrads();
        (loss * double(options.steps))
            .backward();          // of the sum over the window, as the learning rate expects
        loss.unchain_backward();  // The gradient does not go beyond the window.
        optimizer.update();
        return loss;
    });
    ct::StandardUpdater updater(train_iter, optimizer, step,
                                {.device = device, .static_graph = true});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);

    RNNForLM eval_model = model;  // has a state of its own
    auto evaluate = [&](const ct::Variable& x, const ct::Variable& t) {
        ct::report({{"loss", eval_model.loss(x, t)}}, eval_model);
    };
    auto begin_evaluation = [&](extensions::Evaluator&) {
        eval_model.copyparams(model);
        eval_model.reset_state();
    };
    trainer.extend(extensions::Evaluator(valid_iter, eval_model, evaluate,
                                         {.device = device, .eval_hook = begin_evaluation}));
    trainer.extend(extensions::LogReport({.postprocess = add_perplexity}));
    trainer.extend(extensions::PrintReport(
        {"epoch", "iteration", "perplexity", "val_perplexity", "elapsed_time"}));
    trainer.extend(extensions::ProgressBar());
    trainer.extend(extensions::snapshot({.n_retains = 1}));
    trainer.extend(
        extensions::snapshot_object(model, "model_iter_{.updater.iteration}", {.n_retains = 1}));
    if (!options.resume.empty()) ct::load_npz(options.resume, trainer);
    trainer.run();

    extensions::Evaluator test(test_iter, eval_model, evaluate,
                               {.device = device, .eval_hook = begin_evaluation});
    example.result("test perplexity", std::exp(test.evaluate().at("main/loss")),
                   examples::Better::smaller);
    ct::save_npz(options.out + "/" + options.model, model);
    example.print_times(updater);
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Trains a recurrent language model");
    example.flag(
        "--data", options.data,
        "folder of ptb.train.txt, ptb.valid.txt and ptb.test.txt; else sentences are made up");
    example.flag("-b,--batchsize", options.batch_size, "windows in a mini-batch");
    example.flag("-l,--bproplen", options.steps, "words of a window");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training text");
    example.flag("-c,--gradclip", options.clip, "largest norm of the gradients");
    example.flag("-o,--out", options.out, "folder for the log, snapshots and model");
    example.flag("-r,--resume", options.resume, "snapshot to go on from");
    example.flag("-u,--unit", options.units, "units of a layer");
    example.flag("-m,--model", options.model, "file in --out for gentxt");
    return example.run(argc, argv, [&] { train(example, options); });
}
