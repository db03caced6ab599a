// Chainer's serialization: writes a perceptron as NPZ and as HDF5, and reads both again.
#include <filesystem>

#include "support/example.h"

namespace ct = catena;

/// Two layers, and a number that is kept with them although it is not learned.
struct MLP : ct::Chain {
    ct::Linear l1{784, 100}, l2{100, 10};
    ct::State seen{ct::Array::scalar(int64_t(0))};
    MLP() {
        add_children({{"l1", l1}, {"l2", l2}});
        add_persistent("seen", seen);
    }
    ct::Variable operator()(const ct::Variable& x) { return l2(ct::relu(l1(x))); }
};

static double distance(MLP& a, MLP& b, const ct::Variable& x) {
    return ct::mean_absolute_error(a(x), b(x)).item<double>();
}

static void save_and_load(examples::Example& example, const std::string& folder) {
    const auto no_graph = ct::no_backprop_mode();
    const ct::Variable x = ct::random_normal({5, 784});
    MLP saved;
    saved.seen = ct::State(ct::Array::scalar(int64_t(5)));
    std::filesystem::create_directories(folder);
    const std::string npz = folder + "/mlp.npz", hdf5 = folder + "/mlp.h5";

    double largest = 0;
    const auto check = [&](const std::string& path, MLP& loaded) {
        const double d = distance(saved, loaded, x);
        fmt::print("{}: {} bytes, distance of the results {}, {} seen\n", path,
                   std::filesystem::file_size(path), d, loaded.seen.item<int64_t>());
        largest = std::max({largest, d, double(loaded.seen.item<int64_t>() != 5)});
    };
    ct::save_npz(npz, saved);
    MLP from_npz;
    ct::load_npz(npz, from_npz);
    check(npz, from_npz);
    try {
        ct::save_hdf5(hdf5, saved);
        MLP from_hdf5;
        ct::load_hdf5(hdf5, from_hdf5);
        check(hdf5, from_hdf5);
    } catch (const ct::FileError& error) {
        fmt::print("{}\n", error.what());  // built without HDF5
    }
    example.result("largest distance", largest, examples::Better::smaller);
}

int main(int argc, char** argv) {
    std::string folder = "result";
    examples::Example example("Saves and loads a model");
    example.flag("-o,--out", folder, "folder for the files");
    return example.run(argc, argv, [&] { save_and_load(example, folder); });
}
