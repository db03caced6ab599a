// Chainer's image_captioning/train: a network looks at a picture, another says what it has seen.
#include <fmt/ranges.h>

#include "image_captioning/caption_model.h"
#include "support/example.h"

namespace ct = catena;
namespace extensions = catena::extensions;

struct Options {
    std::string root, vgg, out = "result", resume;
    int64_t batch_size = 128, units = 512, max_length = 30, least = 5, made_up = 2000;
    double epochs = 10, dropout = 0.5, alpha = 0.001;
};

/// One example for each caption: the prepared picture, and the words from <bos> to <eos>, filled
/// with -1.
class Captions : public ct::DatasetMixin {
public:
    Captions(std::vector<Captioned> all, std::shared_ptr<const CaptionModel> model,
             const std::map<std::string, int32_t>& vocabulary, int64_t max_length)
        : all_(std::move(all)),
          model_(std::move(model)),
          vocabulary_(vocabulary),
          length_(max_length + 2) {
        for (size_t picture = 0; picture < all_.size(); ++picture)
            for (size_t caption = 0; caption < all_[picture].captions.size(); ++caption)
                pairs_.push_back({picture, caption});
    }
    int64_t size() const override { return int64_t(pairs_.size()); }
    ct::Example get_example(int64_t i) const override {
        const auto [picture, caption] = pairs_[size_t(i)];
        return {model_->prepared(all_[picture].picture()),
                encoded(all_[picture].captions[caption])};
    }

private:
    ct::Array encoded(const std::vector<std::string>& caption) const {
        std::vector<int32_t> numbers(size_t(length_), -1);
        size_t k = 0;
        numbers[k++] = begin_of_caption;
        for (const std::string& word : caption) {
            if (int64_t(k) + 1 == length_) break;
            const auto found = vocabulary_.find(word);
            numbers[k++] = found == vocabulary_.end() ? unknown_word : found->second;
        }
        numbers[k] = end_of_caption;
        return ct::Array::from(numbers, {length_});
    }
    std::vector<Captioned> all_;
    std::shared_ptr<const CaptionModel> model_;
    std::map<std::string, int32_t> vocabulary_;
    int64_t length_;
    std::vector<std::pair<size_t, size_t>> pairs_;
};

static std::vector<Captioned> load(const Options& options, const std::string& part, int64_t made_up,
                                   uint64_t seed) {
    if (options.root.empty()) return made_up_captions(made_up, seed);
    return read_mscoco(fmt::format("{}/annotations/captions_{}2014.json", options.root, part),
                       fmt::format("{}/{}2014", options.root, part));
}

/// The share of pictures that are told word by word as in one of their captions; shows some.
static double share_of_right(CaptionModel& model, const std::vector<Captioned>& all,
                             const std::vector<std::string>& words, int64_t most_words) {
    const size_t n = std::min<size_t>(all.size(), 100);
    std::vector<ct::Example> pictures;
    for (size_t i = 0; i < n; ++i) pictures.push_back({model.prepared(all[i].picture())});
    const auto told = model.captions(
        ct::concat_examples(pictures, {.device = &ct::current_device()})[0], most_words);
    double right = 0;
    for (size_t i = 0; i < n; ++i) {
        const std::string caption = caption_of(told[i], words);
        bool is_one = false;
        for (const auto& expected : all[i].captions)
            is_one = is_one || words_of(caption) == expected;
        right += is_one;
        if (i < 3)
            fmt::print("told: {}\nsaid of it: {}\n", caption, fmt::join(all[i].captions[0], " "));
    }
    return right / double(n);
}

static void save(const Options& options, const CaptionModel& model,
                 const std::map<std::string, int32_t>& vocabulary) {
    ct::save_npz(options.out + "/model.npz", model);
    examples::Setup setup;
    setup.set("units", options.units);
    setup.set("max_length", options.max_length);
    setup.set("vgg", options.vgg.empty() ? "none" : options.vgg);
    setup.set_words(vocabulary);
    setup.save(options.out + "/model.npz.txt");
}

static void train(examples::Example& example, const Options& options) {
    const std::vector<Captioned> training = load(options, "train", options.made_up, 1),
                                 test = load(options, "val", 100, 2);
    const auto vocabulary = vocabulary_of(training, options.least);
    const auto model = std::make_shared<CaptionModel>(options.vgg, int64_t(vocabulary.size()),
                                                      options.units, options.dropout);
    const ct::Dataset train_set = Captions(training, model, vocabulary, options.max_length);
    const ct::Dataset test_set = Captions(test, model, vocabulary, options.max_length);
    fmt::print("{} captions of {} pictures, {} words\n", train_set.size(), training.size(),
               vocabulary.size());
    ct::Adam optimizer(options.alpha);
    optimizer.setup(*model);

    ct::MultithreadIterator train_iter(train_set, options.batch_size, {}, 2);
    ct::MultithreadIterator test_iter(test_set, options.batch_size,
                                      {.repeat = false, .shuffle = false}, 2);
    ct::Device* device = &ct::current_device();
    ct::StandardUpdater updater(train_iter, optimizer, *model,
                                {.device = device, .static_graph = true});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    trainer.extend(extensions::Evaluator(test_iter, *model, {.device = device}));
    trainer.extend(extensions::snapshot({.n_retains = 1}));
    trainer.extend(extensions::LogReport());
    trainer.extend(
        extensions::PrintReport({"epoch", "iteration", "main/loss", "validation/main/loss",
                                 "main/accuracy", "validation/main/accuracy", "elapsed_time"}));
    trainer.extend(extensions::ProgressBar());
    trainer.extend(extensions::StopOnSignal());
    if (!options.resume.empty()) ct::load_npz(options.resume, trainer);
    trainer.run();

    save(options, *model, vocabulary);
    examples::Setup words;
    words.set_words(vocabulary);
    example.result("share of right captions",
                   share_of_right(*model, test, words.words(), options.max_length),
                   examples::Better::larger);
    example.print_times(updater);
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Trains a teller of pictures");
    example.flag("--mscoco-root", options.root,
                 "folder with annotations/captions_train2014.json, train2014, and the same for "
                 "val; else shapes are made up");
    example.flag("--vgg", options.vgg,
                 "VGG_ILSVRC_16_layers.npz: look at pictures by VGG-16; else by a small network");
    example.flag("--pictures", options.made_up, "how many to make up");
    example.flag("-b,--batch-size", options.batch_size, "captions in a mini-batch");
    example.flag("-e,--epoch", options.epochs, "sweeps over the captions");
    example.flag("-u,--unit", options.units, "units of the LSTM layer");
    example.flag("--dropout-ratio", options.dropout, "share of dropped elements");
    example.flag("--max-caption-length", options.max_length,
                 "words of a caption; others are cut off");
    example.flag("--least", options.least, "how often a word must occur");
    example.flag("--alpha", options.alpha, "step size of Adam");
    example.flag("-o,--out", options.out,
                 "folder for the log, snapshots and model.npz with its words, model.npz.txt");
    example.flag("-r,--resume", options.resume, "snapshot to go on from");
    return example.run(argc, argv, [&] { train(example, options); });
}
