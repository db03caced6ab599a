// Chainer's compute_mean: the mean of all pictures of a list, which train_imagenet subtracts from
// each.
#include "imagenet/picture_sets.h"
#include "support/example.h"

namespace ct = catena;

int main(int argc, char** argv) {
    PictureOptions options;
    std::string list, output = "mean.npy";
    examples::Example example("Computes the mean of pictures");
    example.argument("dataset", list, "file of lines \"PATH LABEL\"; pictures of equal size");
    example.flag("-R,--root", options.root, "folder of the paths");
    example.flag("-o,--output", output, "file for the mean picture, [3, height, width]");
    return example.run(argc, argv, [&] {
        const ct::Dataset all = pictures(list, options, 0, 0);
        const ct::Array mean = mean_picture(all);
        ct::save_npy(output, mean);
        fmt::print("{}: the mean of {} pictures {}\n", output, all.size(), to_string(mean.shape()));
        example.result("mean", ct::mean(mean).item<double>(), examples::Better::larger);
    });
}
