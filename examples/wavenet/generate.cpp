// Plays a melody with a network of train_wavenet, as a WAV file.
#include <fstream>
#include <random>

#include "support/example.h"
#include "wavenet/wavenet.h"

namespace ct = catena;

struct Options {
    WaveNetSizes sizes;
    std::string model, output = "result.wav";
    int64_t frames = 8;
};

/// 16 bits, one channel, 8000 samples a second.
static void write_wav(const std::string& path, const std::vector<double>& signal) {
    std::string bytes;
    const auto number = [&](uint32_t value, int size) {
        for (int i = 0; i < size; ++i) bytes += char(value >> (8 * i) & 255);
    };
    constexpr uint32_t rate = 8000;
    const uint32_t size = uint32_t(2 * signal.size());
    bytes += "RIFF", number(36 + size, 4), bytes += "WAVEfmt ";
    number(16, 4), number(1, 2), number(1, 2), number(rate, 4), number(2 * rate, 4), number(2, 2),
        number(16, 2);
    bytes += "data", number(size, 4);
    for (const double x : signal) number(uint32_t(uint16_t(int16_t(32767 * x))), 2);
    std::ofstream file(path, std::ios::binary);
    file << bytes;
    if (!file) ct::fail<ct::FileError>("wavenet: cannot write {}", path);
}

static void generate(const Options& options, uint64_t seed) {
    const WaveNetSizes& sizes = options.sizes;
    WaveNet network(sizes);
    ct::load_npz(options.model, network);
    const auto test_mode = ct::using_config(&ct::Config::train, false);
    const auto no_graph = ct::no_backprop_mode();
    auto probabilities = ct::static_graph(
        [&](const ct::Variable& x, const ct::Variable& frames, const ct::Variable& place) {
            return ct::softmax(ct::take(network(x, frames), place, 2));
        },
        "next_sample");

    // A window of whole frames that holds all that a sample depends on. Within the last frame the
    // samples to come are silent: they do not change the scores of those before.
    const int64_t before = sizes.receptive_field() / sizes.frame + 1,
                  window = (before + 1) * sizes.frame;
    std::mt19937_64 random(seed);
    std::vector<int> notes(size_t(before + options.frames));
    for (int& note : notes) note = int(random() % uint64_t(sizes.conditions));
    const MuLaw law(sizes.a_channels);
    std::vector<int32_t> levels(size_t((before + options.frames) * sizes.frame + 1), law.level(0));
    for (int64_t frame = 0; frame < options.frames; ++frame) {
        const std::vector<int> seen(notes.begin() + frame, notes.begin() + frame + before + 1);
        const ct::Variable frames = ct::expand_dims(described(seen, sizes.conditions), 0);
        for (int64_t i = 0; i < sizes.frame; ++i) {
            const auto first = levels.begin() + frame * sizes.frame;
            const ct::Variable x =
                ct::Array::from(std::vector<int32_t>(first, first + window), {1, window});
            const int64_t place = before * sizes.frame + i;
            const std::vector<double> p =
                probabilities(x, frames, ct::Array::scalar(int32_t(place)))
                    .array()
                    .to_vector<double>();
            first[place + 1] = std::discrete_distribution<int32_t>(p.begin(), p.end())(random);
        }
    }
    std::vector<double> signal;
    for (size_t i = size_t(before * sizes.frame + 1); i < levels.size(); ++i)
        signal.push_back(law.signal(levels[i]));
    write_wav(options.output, signal);
    fmt::print("{}: {} samples\n", options.output, signal.size());
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Plays a melody with a network of train_wavenet");
    example.flag("-m,--model", options.model, "file that train_wavenet wrote");
    example.flag("-o,--output", options.output, "WAV file");
    example.flag("--frames", options.frames, "notes to play");
    example.flag("--n_loop", options.sizes.n_loop, "this and the next as for train_wavenet");
    example.flag("--n_layer", options.sizes.n_layer, "layers");
    example.flag("--a_channels", options.sizes.a_channels, "levels of the signal");
    example.flag("--r_channels", options.sizes.r_channels, "channels in the residual blocks");
    example.flag("--s_channels", options.sizes.s_channels, "channels of their sum");
    return example.run(argc, argv, [&] { generate(options, example.seed); });
}
