// Chainer's train_ptb_custom_loop: the training of train_ptb.cpp without a Trainer, the loop
// written out.
#include <cmath>
#include <filesystem>

#include "ptb/language_model.h"
#include "ptb/windows.h"
#include "support/example.h"

namespace ct = catena;

struct Options {
    std::string data, out = "result", resume;
    int64_t batch_size = 20, steps = 35, units = 650, epochs = 39;
    double clip = 5;
};

/// How many words the model hesitates between, over a whole text.
static double perplexity(const RNNForLM& trained, const ct::Array& text) {
    RNNForLM model = trained;  // with a state of its own
    model.reset_state();
    const auto test_mode = ct::using_config(&ct::Config::train, false);
    const auto no_graph = ct::no_backprop_mode();
    Windows windows(text, 5, 10, false);
    double sum = 0;
    int64_t count = 0;
    for (; auto batch = windows.next_batch(&ct::current_device()); ++count)
        sum += model.loss((*batch)[0], (*batch)[1]).item<double>();
    return std::exp(sum / double(count));
}

static void train(examples::Example& example, const Options& options) {
    const Corpus corpus = load_corpus(options.data);
    RNNForLM model(int64_t(corpus.vocabulary.size()), options.units);
    ct::SGD optimizer(1.0);
    optimizer.setup(model);
    optimizer.add_hook(ct::GradientClipping(options.clip));
    if (!options.resume.empty()) {
        ct::load_npz(options.resume + "/rnnlm.model", model);
        ct::load_npz(options.resume + "/rnnlm.state", optimizer);
    }
    auto step = ct::static_graph(
        [&](const ct::Variable& x, const ct::Variable& t) {
            const ct::Variable loss = model.loss(x, t);
            model.cleargrads();
            (loss * double(options.steps))
                .backward();          // of the sum over the window, as the learning rate expects
            loss.unchain_backward();  // The gradient does not go beyond the window.
            optimizer.update();
            return loss;
        },
        "ptb_step");

    std::filesystem::create_directories(options.out);
    Windows windows(corpus.train, options.batch_size, options.steps, true);
    for (int64_t epoch = optimizer.epoch() + 1; epoch <= options.epochs; ++epoch) {
        double sum = 0;
        int64_t count = 0;
        do {
            const ct::Batch batch = *windows.next_batch(&ct::current_device());
            sum += step(batch[0], batch[1]).item<double>();
            ++count;
        } while (!windows.is_new_epoch());
        fmt::print("epoch {}: perplexity {:.3f}, validation {:.3f}\n", epoch,
                   std::exp(sum / double(count)), perplexity(model, corpus.valid));
        std::fflush(stdout);
        optimizer.new_epoch();
        ct::save_npz(options.out + "/rnnlm.model", model);
        ct::save_npz(options.out + "/rnnlm.state", optimizer);
    }
    example.result("test perplexity", perplexity(model, corpus.test), examples::Better::smaller);
    const ct::Batch batch = *windows.next_batch(&ct::current_device());
    example.print_times([&] { step(batch[0], batch[1]); });
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Trains a recurrent language model, by a loop of its own");
    example.flag(
        "--data", options.data,
        "folder of ptb.train.txt, ptb.valid.txt and ptb.test.txt; else sentences are made up");
    example.flag("-b,--batchsize", options.batch_size, "windows in a mini-batch");
    example.flag("-l,--bproplen", options.steps, "words of a window");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training text");
    example.flag("-c,--gradclip", options.clip, "largest norm of the gradients");
    example.flag("-o,--out", options.out,
                 "folder for rnnlm.model, which gentxt reads, and rnnlm.state");
    example.flag("-r,--resume", options.resume,
                 "folder of rnnlm.model and rnnlm.state to go on from");
    example.flag("-u,--unit", options.units, "units of a layer");
    return example.run(argc, argv, [&] { train(example, options); });
}
