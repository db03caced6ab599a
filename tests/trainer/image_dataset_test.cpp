#include "frontend/image/image_dataset.h"

#include <cstdio>
#include <cstring>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jpeglib.h>
#include <png.h>
#include <sys/stat.h>

#include "frontend/dataset/concat_examples.h"
#include "frontend/image/image.h"
#include "runtime/file/zip_writer.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

class ImageTest : public testing::FolderTest {
protected:
    /// Pixel (y, x, c) is 10 y + x + 100 c.
    std::string png(const std::string& name, int channels, int height = 3, int width = 2) {
        std::vector<uint8_t> pixels;
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
                for (int c = 0; c < channels; ++c)
                    pixels.push_back(uint8_t(10 * y + x + (c == 3 ? 200 : 50 * c)));
        png_image image{};
        image.version = PNG_IMAGE_VERSION;
        image.width = png_uint_32(width);
        image.height = png_uint_32(height);
        image.format = channels == 1   ? PNG_FORMAT_GRAY
                       : channels == 3 ? PNG_FORMAT_RGB
                                       : PNG_FORMAT_RGBA;
        EXPECT_TRUE(
            png_image_write_to_file(&image, path(name).c_str(), 0, pixels.data(), 0, nullptr))
            << image.message;
        return path(name);
    }
    /// `rows` as bytes of the file; `more` adds chunks.
    std::string stored_png(const std::string& name, int color, int depth, int width,
                           std::vector<std::string> rows,
                           const std::function<void(png_structp, png_infop)>& more = {},
                           int interlace = PNG_INTERLACE_NONE) {
        std::FILE* file = std::fopen(path(name).c_str(), "wb");
        png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
        png_infop info = png_create_info_struct(png);
        png_init_io(png, file);
        png_set_IHDR(png, info, png_uint_32(width), png_uint_32(rows.size()), depth, color,
                     interlace, PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
        if (color == PNG_COLOR_TYPE_PALETTE) {
            const png_color colors[3] = {{0, 16, 64}, {128, 192, 255}, {1, 2, 3}};
            png_set_PLTE(png, info, colors, 3);
        }
        if (more) more(png, info);
        png_write_info(png, info);
        std::vector<png_bytep> pointers;
        for (std::string& row : rows) pointers.push_back(reinterpret_cast<png_bytep>(row.data()));
        png_write_image(png, pointers.data());
        png_write_end(png, nullptr);
        png_destroy_write_struct(&png, &info);
        std::fclose(file);
        return path(name);
    }
    std::string jpeg(const std::string& name, int channels, uint8_t value, bool progressive = false,
                     bool ycck = false) {
        std::FILE* file = std::fopen(path(name).c_str(), "wb");
        jpeg_error_mgr errors;
        jpeg_compress_struct out{};
        out.err = jpeg_std_error(&errors);
        jpeg_create_compress(&out);
        jpeg_stdio_dest(&out, file);
        out.image_width = 16;
        out.image_height = 8;
        out.input_components = channels;
        out.in_color_space = channels == 1   ? JCS_GRAYSCALE
                             : channels == 3 ? JCS_RGB
                             : channels == 4 ? JCS_CMYK
                                             : JCS_UNKNOWN;
        jpeg_set_defaults(&out);
        if (ycck) jpeg_set_colorspace(&out, JCS_YCCK);
        jpeg_set_quality(&out, 100, TRUE);
        if (progressive) jpeg_simple_progression(&out);
        jpeg_start_compress(&out, TRUE);
        std::vector<uint8_t> line(size_t(16 * channels), value);
        for (size_t i = 3; channels == 4 && i < line.size(); i += 4)
            line[i] = 204;  // A fifth of the black ink.
        for (int y = 0; y < 8; ++y) {
            JSAMPROW row = line.data();
            jpeg_write_scanlines(&out, &row, 1);
        }
        jpeg_finish_compress(&out);
        jpeg_destroy_compress(&out);
        std::fclose(file);
        return path(name);
    }
};

TEST_F(ImageTest, png_channels_come_first) {
    Array grey = read_image(png("grey.png", 1)), color = read_image(png("rgb.png", 3)),
          alpha = read_image(png("a.png", 4));
    EXPECT_EQ(grey.type(), (Type{Dtype::uint8, {1, 3, 2}}));
    EXPECT_EQ(grey.to_vector<int>(), (std::vector<int>{0, 1, 10, 11, 20, 21}));
    EXPECT_EQ(color.shape(), (Shape{3, 3, 2}));
    EXPECT_EQ(color.to_vector<int>()[6 + 3], 61);
    EXPECT_EQ(alpha.shape(), (Shape{4, 3, 2}));
    EXPECT_EQ(alpha.to_vector<int>()[18 + 5], 221);
}

const std::string sixteen_bits("\x00\x00\x10\x00\x40\x00\x80\x00\xC0\x00\xFF\xFF", 12),
    eight_bits("\x00\x10\x40\x80\xC0\xFF", 6);

TEST_F(ImageTest, png_of_16_bits_gives_the_upper_8_as_pillow_does) {
    EXPECT_EQ(read_image(stored_png("rgb.png", PNG_COLOR_TYPE_RGB, 16, 2, {sixteen_bits}))
                  .to_vector<int>(),
              (std::vector<int>{0, 128, 16, 192, 64, 255}));
    EXPECT_EQ(read_image(stored_png("grey.png", PNG_COLOR_TYPE_GRAY, 16, 6, {sixteen_bits}))
                  .to_vector<int>(),
              (std::vector<int>{0, 16, 64, 128, 192, 255}));
    EXPECT_EQ(read_image(stored_png("ga.png", PNG_COLOR_TYPE_GRAY_ALPHA, 16, 3, {sixteen_bits}))
                  .to_vector<int>(),
              (std::vector<int>{0, 64, 192, 16, 128, 255}));
}

TEST_F(ImageTest, png_pixels_are_those_stored_whatever_gamma_the_file_has) {
    const std::vector<int> grey{0, 16, 64, 128, 192, 255}, colors{0, 128, 16, 192, 64, 255};
    for (double gamma : {1.0, 1 / 1.8, 1 / 2.2}) {
        auto with_gamma = [gamma](png_structp png, png_infop info) {
            png_set_gAMA(png, info, gamma);
        };
        EXPECT_EQ(
            read_image(stored_png("8.png", PNG_COLOR_TYPE_GRAY, 8, 6, {eight_bits}, with_gamma))
                .to_vector<int>(),
            grey)
            << gamma;
        EXPECT_EQ(
            read_image(stored_png("16.png", PNG_COLOR_TYPE_RGB, 16, 2, {sixteen_bits}, with_gamma))
                .to_vector<int>(),
            colors)
            << gamma;
        EXPECT_EQ(read_image(stored_png("p.png", PNG_COLOR_TYPE_PALETTE, 8, 2,
                                        {std::string("\0\1", 2)}, with_gamma))
                      .to_vector<int>(),
                  colors)
            << gamma;
    }
}

TEST_F(ImageTest, png_of_few_bits_and_of_transparent_colours_is_expanded) {
    EXPECT_EQ(read_image(stored_png("1.png", PNG_COLOR_TYPE_GRAY, 1, 8, {"\xb2"})).to_vector<int>(),
              (std::vector<int>{255, 0, 255, 255, 0, 0, 255, 0}));
    EXPECT_EQ(read_image(stored_png("4.png", PNG_COLOR_TYPE_GRAY, 4, 2, {"\x3c"})).to_vector<int>(),
              (std::vector<int>{51, 204}));
    const Array palette = read_image(stored_png("p.png", PNG_COLOR_TYPE_PALETTE, 4, 3, {"\x02\x10"},
                                                [](png_structp png, png_infop info) {
                                                    const png_byte alphas[2] = {0, 100};
                                                    png_set_tRNS(png, info, alphas, 2, nullptr);
                                                }));
    EXPECT_EQ(palette.shape(), (Shape{4, 1, 3}));
    EXPECT_EQ(palette.to_vector<int>(),
              (std::vector<int>{0, 1, 128, 16, 2, 192, 64, 3, 255, 0, 255, 100}));
    const Array grey = read_image(stored_png("g.png", PNG_COLOR_TYPE_GRAY, 8, 6, {eight_bits},
                                             [](png_structp png, png_infop info) {
                                                 png_color_16 transparent{};
                                                 transparent.gray = 64;
                                                 png_set_tRNS(png, info, nullptr, 0, &transparent);
                                             }));
    EXPECT_EQ(grey.to_vector<int>(),
              (std::vector<int>{0, 16, 64, 128, 192, 255, 255, 255, 0, 255, 255, 255}));
}

TEST_F(ImageTest, an_interlaced_png_gives_the_same_picture) {
    std::vector<std::string> rows(11);
    for (size_t y = 0; y < rows.size(); ++y)
        for (size_t x = 0; x < 3 * 13; ++x) rows[y] += char(y * 39 + x * 7);
    EXPECT_EQ(
        read_image(stored_png("i.png", PNG_COLOR_TYPE_RGB, 8, 13, rows, {}, PNG_INTERLACE_ADAM7))
            .to_vector<int>(),
        read_image(stored_png("p.png", PNG_COLOR_TYPE_RGB, 8, 13, rows)).to_vector<int>());
}

TEST_F(ImageTest, jpeg_is_decoded) {
    Array grey = read_image(jpeg("g.jpg", 1, 77)), color = read_image(jpeg("c.jpg", 3, 130));
    EXPECT_EQ(grey.shape(), (Shape{1, 8, 16}));
    for (int v : grey.to_vector<int>()) EXPECT_NEAR(v, 77, 2);
    EXPECT_EQ(color.shape(), (Shape{3, 8, 16}));
    for (int v : color.to_vector<int>()) EXPECT_NEAR(v, 130, 2);
}

TEST_F(ImageTest, jpeg_of_four_inks_gives_colours_as_pillow_does) {
    for (bool ycck : {false, true}) {
        const Array image = read_image(jpeg("inks.jpg", 4, 100, false, ycck));
        EXPECT_EQ(image.shape(), (Shape{3, 8, 16}));
        for (int v : image.to_vector<int>()) EXPECT_NEAR(v, 204 * 100 / 255, 2) << ycck;
    }
    EXPECT_THAT(message_of<FileError>([&] { read_image(jpeg("two.jpg", 2, 100)); }),
                HasSubstr("two.jpg: the JPEG has 2 channels of unknown colours; grey, RGB, YCbCr, "
                          "CMYK and YCCK are read"));
}

TEST_F(ImageTest, damaged_files_are_errors_that_name_the_file) {
    for (const std::string& name : {png("p.png", 3, 40, 40), jpeg("j.jpg", 3, 9)}) {
        const std::string base = std::filesystem::path(name).filename().string(),
                          whole = content(base);
        const std::vector<int> pixels = read_image(name).to_vector<int>();
        for (size_t length = 0; length < whole.size(); length += 7) {
            write(base, whole.substr(0, length));
            try {  // What ends behind the last pixel is whole.
                EXPECT_EQ(read_image(name).to_vector<int>(), pixels) << length;
                EXPECT_GT(length + 16, whole.size());
            } catch (const FileError& error) {
                EXPECT_THAT(error.what(), HasSubstr(base)) << length;
            }
        }
        for (size_t at = 8; at < whole.size();
             at += 5) {  // Damage is an error or another picture, never more.
            std::string damaged = whole;
            damaged[at] = char(damaged[at] ^ 0x5a);
            write(base, damaged);
            try {
                read_image(name);
            } catch (const FileError&) {
            }
        }
    }
    write("text.png", "no picture");
    EXPECT_THAT(message_of<FileError>([&] { read_image(path("text.png")); }),
                HasSubstr("neither a PNG nor a JPEG"));
}

TEST_F(ImageTest, datasets_give_pictures_with_labels) {
    png("one.png", 3);
    png("two words.png", 3);
    write("pairs", "one.png 7\ntwo words.png  -1\n\n");
    LabeledImageDataset labeled(path("pairs"), {.root = path()});
    ASSERT_EQ(labeled.size(), 2);
    Example example = Dataset(labeled)[1];
    EXPECT_EQ(example[0].type(), (Type{Dtype::float32, {3, 3, 2}}));
    EXPECT_EQ(example[1].type(), (Type{Dtype::int32, {}}));
    EXPECT_EQ(example[1].item<int>(), -1);
    ImageDataset images({"one.png", path("two words.png")},
                        {.root = path(), .dtype = Dtype::uint8});
    Batch batch = concat_examples(std::vector{images.get_example(0), images.get_example(1)});
    EXPECT_EQ(batch[0].type(), (Type{Dtype::uint8, {2, 3, 3, 2}}));
    write("wrong", "one.png 7\none.png seven\n");
    EXPECT_THAT(message_of<FileError>([&] { LabeledImageDataset{path("wrong")}; }),
                HasSubstr("line 2"));
    EXPECT_THAT(message_of<FileError>([&] { ImageDataset({"none.png"}).get_example(0); }),
                HasSubstr("none.png"));
}

TEST_F(ImageTest, zipped_pictures_are_read_in_the_order_of_their_names) {
    png("g.png", 1);
    jpeg("j.jpg", 3, 40);
    ZipWriter zip(path("all.zip"));
    for (const char* name : {"z/j.jpg", "readme.txt", "g.png"}) {
        const std::string bytes =
            name[0] == 'r' ? "text" : content(std::filesystem::path(name).filename().string());
        zip.begin(name, true);
        zip.write(bytes.data(), bytes.size());
        zip.end();
    }
    zip.finish();
    ZippedImageDataset images(path("all.zip"), Dtype::uint8);
    ASSERT_EQ(images.size(), 2);
    EXPECT_EQ(images.get_example(0)[0].shape(), (Shape{1, 3, 2}));
    EXPECT_EQ(images.get_example(1)[0].shape(), (Shape{3, 8, 16}));
    EXPECT_EQ(ZippedImageDataset(std::vector{path("all.zip"), path("all.zip")}).size(), 4);
    write("labels", "z/j.jpg 4\n");
    LabeledZippedImageDataset labeled(path("all.zip"), path("labels"));
    ASSERT_EQ(labeled.size(), 1);
    EXPECT_EQ(labeled.get_example(0)[1].item<int>(), 4);
    write("labels", "none.jpg 4\n");
    EXPECT_THAT(
        message_of<FileError>([&] { LabeledZippedImageDataset(path("all.zip"), path("labels")); }),
        HasSubstr("none.jpg"));
}

TEST_F(ImageTest, pictures_that_announce_too_much_are_refused) {
    jpeg("a.jpg", 3, 100);
    std::string bytes = content("a.jpg");
    const size_t frame = bytes.find("\xff\xc0");
    ASSERT_NE(frame, bytes.npos);
    for (size_t i = 5; i < 9; ++i) bytes[frame + i] = char(i % 2 ? 0xff : 0);
    const std::string message = message_of<FileError>([&] { decode_image(bytes, "a.jpg"); });
    EXPECT_THAT(message,
                HasSubstr("a.jpg: an image of 65280 x 65280 pixels declares 17045913600 bytes"));
    EXPECT_THAT(message, HasSubstr("set CATENA_FILE_LIMIT_MB"));
}

TEST_F(ImageTest, a_progressive_picture_of_endless_scans_is_refused) {
    jpeg("a.jpg", 1, 100, /*progressive=*/true);
    const std::string bytes = content("a.jpg");
    const size_t scan = bytes.rfind("\xff\xda"), end = bytes.rfind("\xff\xd9");
    ASSERT_TRUE(scan != bytes.npos && end != bytes.npos);
    std::string all = bytes.substr(0, scan);
    for (int i = 0; i < 5000; ++i) all += bytes.substr(scan, end - scan);
    EXPECT_THAT(message_of<FileError>([&] { decode_image(all + "\xff\xd9", "a.jpg"); }),
                HasSubstr("a.jpg: the JPEG cannot be read: it has more than 500 scans"));
}

TEST_F(ImageTest, a_pipe_is_refused_unopened) {
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    EXPECT_THAT(message_of<FileError>([&] { read_image(path("pipe")); }),
                HasSubstr("is not a regular file"));
    EXPECT_THAT(message_of<FileError>([&] { ImageDataset(path("pipe"), {}); }),
                HasSubstr("is not a regular file"));
}

}  // namespace
}  // namespace catena
