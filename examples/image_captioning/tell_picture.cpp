// Chainer's image_captioning/predict: says what is on pictures, with a model of train_captions.
#include <algorithm>
#include <filesystem>

#include "image_captioning/caption_model.h"
#include "support/example.h"
#include <catena/frontend/image/image.h>

namespace ct = catena;
namespace fs = std::filesystem;

/// The file, or the files of the folder in the order of their names.
static std::vector<std::string> files_of(const std::string& picture, const std::string& folder) {
    std::vector<std::string> files;
    if (!picture.empty()) files.push_back(picture);
    if (folder.empty()) return files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        files.push_back(entry.path().string());
    if (error)
        ct::fail<ct::FileError>("tell_picture: cannot read the folder {}: {}", folder,
                                error.message());
    std::sort(files.begin(), files.end());
    return files;
}

static void tell(examples::Example& example, const std::string& path,
                 const std::vector<std::string>& files) {
    const examples::Setup setup(path + ".txt");
    const std::string vgg = setup.text("vgg") == "none" ? "" : setup.text("vgg");
    CaptionModel model(vgg, int64_t(setup.words().size()), setup.number("units"), 0);
    std::vector<Captioned> pictures =
        files.empty() ? made_up_captions(3, 3) : std::vector<Captioned>();
    for (const std::string& file : files)
        pictures.push_back(
            {[file] { return ct::read_image(file).astype(ct::Dtype::float32); }, {}});
    const auto prepared = [&](const Captioned& picture) {
        return ct::Variable(
            ct::expand_dims(model.prepared(picture.picture()), 0).array().to(ct::current_device()));
    };
    model.captions(prepared(pictures.at(0)), 1);  // creates the parameters
    ct::load_npz(path, model);
    for (size_t i = 0; i < pictures.size(); ++i) {
        const auto told = model.captions(prepared(pictures[i]), setup.number("max_length"));
        fmt::print("{}: {}\n", files.empty() ? "made up" : files[i],
                   caption_of(told[0], setup.words()));
    }
    example.result("pictures", double(pictures.size()), examples::Better::larger);
}

int main(int argc, char** argv) {
    std::string model = "result/model.npz", picture, folder;
    examples::Example example("Tells what is on pictures");
    example.flag("-m,--model", model, "file of train_captions, beside its words, MODEL.txt");
    example.flag("--img", picture, "PNG or JPEG file");
    example.flag("--img-dir", folder, "folder of such files; without either, shapes are made up");
    return example.run(argc, argv, [&] { tell(example, model, files_of(picture, folder)); });
}
