// Chainer at a glance, in Catena: which mushrooms are edible? A perceptron, a Trainer and its
// extensions.
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "support/example.h"

namespace ct = catena;
namespace extensions = catena::extensions;

static constexpr int attributes = 22;

/// Letters, one for the class and one for each attribute of a mushroom: "e,x,s,...".
using Row = std::vector<std::string>;

static std::vector<Row> read_csv(const std::string& path) {
    std::ifstream file(path);
    if (!file) ct::fail<ct::FileError>("glance: cannot open {}", path);
    std::vector<Row> rows;
    for (std::string line; std::getline(file, line);) {
        Row row;
        std::istringstream cells(line);
        for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
        if (row.size() != attributes + 1)
            ct::fail<ct::FileError>(
                "glance: {}: a line has {} cells, a class and {} attributes are expected", path,
                row.size(), attributes);
        if (row[0] == "e" || row[0] == "p") rows.push_back(row);  // not the header
    }
    if (rows.empty()) ct::fail<ct::FileError>("glance: {} has no mushroom", path);
    return rows;
}

/// Mushrooms of our own, for those who have no file: two attributes decide, and the others are
/// noise.
static std::vector<Row> made_up(uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Row> rows(4000, Row(attributes + 1));
    for (Row& row : rows) {
        for (int i = 1; i <= attributes; ++i) row[i] = std::string(1, char('a' + random() % 3));
        const bool smells = row[5] == "c", ringed = row[9] == "a";
        row[0] = smells || ringed ? "p" : "e";
    }
    return rows;
}

/// Attributes as numbers, in the order in which their letters appear, and 1 for edible.
static ct::Dataset encoded(const std::vector<Row>& rows) {
    std::vector<std::map<std::string, int>> codes(attributes);
    std::vector<float> x;
    std::vector<int32_t> t;
    for (const Row& row : rows) {
        for (int i = 0; i < attributes; ++i)
            x.push_back(
                float(codes[i].try_emplace(row[i + 1], int(codes[i].size())).first->second));
        t.push_back(row[0] == "e");
    }
    const int64_t n = int64_t(rows.size());
    return ct::TupleDataset(ct::Array::from(x, {n, attributes}), ct::Array::from(t, {n, 1}));
}

static ct::Sequential mlp(int64_t units) {
    ct::Sequential layer{ct::Linear{units}, ct::relu};
    ct::Sequential model = ct::repeat(layer, 2);
    model.append(ct::Linear{1});
    return model;
}

struct Options {
    std::string data, out = "result";
    int64_t batch_size = 64, units = 44;
    double epochs = 50;
};

static void train(examples::Example& example, const Options& options) {
    const ct::Dataset all =
        encoded(options.data.empty() ? made_up(example.seed) : read_csv(options.data));
    const auto [training, test] = ct::split_dataset_random(all, all.size() * 7 / 10, 0);
    ct::SerialIterator train_iter(training, options.batch_size);
    ct::SerialIterator test_iter(test, options.batch_size, {.repeat = false, .shuffle = false});

    ct::Classifier model(
        mlp(options.units),
        [](const ct::Variable& y, const ct::Variable& t) {
            return ct::sigmoid_cross_entropy(y, t);
        },
        [](const ct::Variable& y, const ct::Variable& t) { return ct::binary_accuracy(y, t); });
    ct::SGD optimizer(0.05);
    optimizer.setup(model);

    ct::Device* device = &ct::current_device();
    ct::StandardUpdater updater(train_iter, optimizer, model,
                                {.device = device, .static_graph = true});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    trainer.extend(
        extensions::Evaluator(test_iter, model, {.device = device, .static_graph = true}));
    trainer.extend(extensions::DumpGraph("main/loss"));
    trainer.extend(extensions::snapshot({.n_retains = 1}), {.trigger = {20, "epoch"}});
    trainer.extend(extensions::LogReport());
    trainer.extend(extensions::PlotReport({"main/loss", "validation/main/loss"},
                                          {.x_key = "epoch", .filename = "loss.png"}));
    trainer.extend(extensions::PlotReport({"main/accuracy", "validation/main/accuracy"},
                                          {.x_key = "epoch", .filename = "accuracy.png"}));
    trainer.extend(
        extensions::PrintReport({"epoch", "main/loss", "validation/main/loss", "main/accuracy",
                                 "validation/main/accuracy", "elapsed_time"}));
    trainer.run();

    example.result("test accuracy", examples::observed(trainer, "validation/main/accuracy"),
                   examples::Better::larger);
    example.print_times(updater);
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Tells edible from poisonous mushrooms");
    example.flag("--data", options.data, "mushrooms.csv; else mushrooms are made up");
    example.flag("-b,--batchsize", options.batch_size, "mushrooms in a mini-batch");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-u,--unit", options.units, "hidden units of a layer");
    example.flag("-o,--out", options.out, "folder for the log, plots and snapshots");
    return example.run(argc, argv, [&] { train(example, options); });
}
