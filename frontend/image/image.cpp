#include "frontend/image/image.h"

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include <jpeglib.h>
#include <png.h>

#include "runtime/file/file.h"
#include "runtime/file/limits.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/core/memory/out_of_memory.h"

namespace catena {
namespace {

/// Checks the size of an image of either kind: both sizes have 32 bits at most.
void check_size(uint64_t width, uint64_t height, size_t file_bytes, const std::string& name) {
    constexpr uint64_t most_channels = 4;
    if (width == 0 || height == 0 || width > ~uint64_t(0) / most_channels / height)
        fail<FileError>("{}: declares an image of {} x {} pixels, which cannot be", name, width,
                        height);
    FileBudget(name, file_bytes)
        .ask(width * height * most_channels,
             fmt::format("an image of {} x {} pixels", width, height));
}

/// [height, width, channels] as [channels, height, width].
Array channels_first(const std::vector<uint8_t>& pixels, int64_t channels, int64_t height,
                     int64_t width) {
    Array image = Array::empty({Dtype::uint8, {channels, height, width}}, cpu_device());
    uint8_t* to = image.to_fill<uint8_t>();
    for (int64_t c = 0; c < channels; ++c)
        for (int64_t i = 0; i < height * width; ++i) *to++ = pixels[size_t(i * channels + c)];
    return image;
}

/// What a PNG is read with. libpng reports errors by a call that must not return; the jumps stay
/// within the two functions below.
struct PngReading {
    std::string_view rest;  ///< The bytes that are still to be read.
    std::jmp_buf target;
    char message[128];
    png_structp png = nullptr;
    png_infop info = nullptr;

    PngReading() = default;
    PngReading(const PngReading&) = delete;
    ~PngReading() { png_destroy_read_struct(&png, &info, nullptr); }

    [[noreturn]] static void jump(png_structp png, png_const_charp message) {
        auto* reading = static_cast<PngReading*>(png_get_error_ptr(png));
        std::snprintf(reading->message, sizeof reading->message, "%s", message);
        std::longjmp(reading->target, 1);
    }
    static void give(png_structp png, png_bytep to, size_t bytes) {
        auto* reading = static_cast<PngReading*>(png_get_io_ptr(png));
        if (bytes > reading->rest.size()) png_error(png, "it ends early");
        std::memcpy(to, reading->rest.data(), bytes);
        reading->rest.remove_prefix(bytes);
    }
};

// Of both formats: the functions that are jumped to return false, with the message in their first
// argument, for an invalid file. No object with a destructor may live across a longjmp: `pixels` is
// the caller's.

/// The sizes, and how pixels are to be given: 8 bits a channel as they are stored (of 16 bits the
/// upper ones), colours instead of a palette, transparency as a channel. Chunks that would change
/// them, as gAMA, are skipped.
bool read_header(PngReading& reading) {
    if (setjmp(reading.target)) return false;
    reading.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, PngReading::jump,
                                         [](png_structp, png_const_charp) {});
    if (reading.png) reading.info = png_create_info_struct(reading.png);
    if (!reading.info) {
        std::snprintf(reading.message, sizeof reading.message, "libpng has no memory");
        return false;
    }
    constexpr int all_that_are_not_needed = -1;
    png_set_keep_unknown_chunks(reading.png, PNG_HANDLE_CHUNK_NEVER, nullptr,
                                all_that_are_not_needed);
    png_set_read_fn(reading.png, &reading, PngReading::give);
    png_read_info(reading.png, reading.info);
    png_set_strip_16(reading.png);
    png_set_palette_to_rgb(reading.png);
    png_set_expand_gray_1_2_4_to_8(reading.png);
    if (png_get_valid(reading.png, reading.info, PNG_INFO_tRNS)) png_set_tRNS_to_alpha(reading.png);
    return true;
}

bool read_pixels(PngReading& reading, std::vector<uint8_t>& pixels) {
    if (setjmp(reading.target)) return false;
    const int passes = png_set_interlace_handling(reading.png);
    png_read_update_info(reading.png, reading.info);
    const size_t row = png_get_rowbytes(reading.png, reading.info);
    const png_uint_32 height = png_get_image_height(reading.png, reading.info);
    pixels.resize(row * height);
    for (int pass = 0; pass < passes; ++pass)
        for (png_uint_32 y = 0; y < height; ++y)
            png_read_row(reading.png, pixels.data() + row * y, nullptr);
    return true;
}

Array decode_png(std::string_view bytes, const std::string& name) {
    PngReading reading;
    reading.rest = bytes;
    std::vector<uint8_t> pixels;
    bool good = read_header(reading);
    if (good) {
        check_size(png_get_image_width(reading.png, reading.info),
                   png_get_image_height(reading.png, reading.info), bytes.size(), name);
        good = read_pixels(reading, pixels);
    }
    if (!good) fail<FileError>("{}: the PNG cannot be read: {}", name, reading.message);
    return channels_first(pixels, png_get_channels(reading.png, reading.info),
                          png_get_image_height(reading.png, reading.info),
                          png_get_image_width(reading.png, reading.info));
}

/// libjpeg reports errors by a call that must not return; the jump stays within decode_jpeg.
struct JpegErrors {
    jpeg_error_mgr manager;
    std::jmp_buf target;
    char message[JMSG_LENGTH_MAX];

    static void jump(j_common_ptr jpeg) {
        auto* errors = reinterpret_cast<JpegErrors*>(jpeg->err);
        errors->manager.format_message(jpeg, errors->message);
        std::longjmp(errors->target, 1);
    }
};

/// Whether a JPEG has CMYK colours, also where they are stored as YCCK.
bool has_inks(const jpeg_decompress_struct& jpeg) {
    return jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK;
}

/// The colours of four inks, by Pillow's formula. Every program stores 255 less the ink, as Adobe
/// does, so that the numbers are lights.
std::vector<uint8_t> colors_of_inks(const std::vector<uint8_t>& pixels) {
    std::vector<uint8_t> colors;
    colors.reserve(pixels.size() / 4 * 3);
    for (size_t at = 0; at < pixels.size(); at += 4) {
        const int light = pixels[at + 3];
        for (size_t c = 0; c < 3; ++c) {
            const int taken = (255 - pixels[at + c]) * light + 128;
            colors.push_back(
                uint8_t(light - ((taken + (taken >> 8)) >> 8)));  // Divided by 255 and rounded.
        }
    }
    return colors;
}

/// Limits the scans of a progressive JPEG: each costs a pass over the image, but only few bytes.
/// Encoders make about ten.
void limit_scans(j_common_ptr jpeg) {
    constexpr int most_scans = 500;
    if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number <= most_scans) return;
    auto* errors = reinterpret_cast<JpegErrors*>(jpeg->err);
    std::snprintf(errors->message, sizeof errors->message, "it has more than %d scans", most_scans);
    std::longjmp(errors->target, 1);
}

bool read_header(std::string_view bytes, JpegErrors& errors, jpeg_decompress_struct& jpeg) {
    if (setjmp(errors.target)) return false;
    jpeg_create_decompress(&jpeg);
    jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(bytes.data()),
                 static_cast<unsigned long>(bytes.size()));
    jpeg_read_header(&jpeg, TRUE);
    return true;
}

bool read_pixels(JpegErrors& errors, jpeg_decompress_struct& jpeg, std::vector<uint8_t>& pixels) {
    if (setjmp(errors.target)) return false;
    jpeg.out_color_space = jpeg.jpeg_color_space == JCS_GRAYSCALE ? JCS_GRAYSCALE
                           : has_inks(jpeg)                       ? JCS_CMYK
                                                                  : JCS_RGB;
    jpeg_start_decompress(&jpeg);
    const size_t row = size_t(jpeg.output_width) * size_t(jpeg.output_components);
    pixels.resize(row * jpeg.output_height);
    while (jpeg.output_scanline < jpeg.output_height) {
        JSAMPROW to = pixels.data() + row * jpeg.output_scanline;
        jpeg_read_scanlines(&jpeg, &to, 1);
    }
    jpeg_finish_decompress(&jpeg);
    if (errors.manager.num_warnings == 0) return true;
    // libjpeg only warns about a truncated file and fills it with grey.
    errors.manager.format_message(reinterpret_cast<j_common_ptr>(&jpeg), errors.message);
    return false;
}

Array decode_jpeg(std::string_view bytes, const std::string& name) {
    JpegErrors errors{};
    jpeg_decompress_struct jpeg{};
    jpeg_progress_mgr progress{};
    jpeg.err = jpeg_std_error(&errors.manager);
    errors.manager.error_exit = JpegErrors::jump;
    errors.manager.output_message = [](j_common_ptr) {};
    progress.progress_monitor = limit_scans;
    const std::unique_ptr<jpeg_decompress_struct, void (*)(j_decompress_ptr)> freed(
        &jpeg, jpeg_destroy_decompress);
    std::vector<uint8_t> pixels;
    bool good = read_header(bytes, errors, jpeg);
    if (good) {
        check_size(jpeg.image_width, jpeg.image_height, bytes.size(), name);
        if (jpeg.jpeg_color_space == JCS_UNKNOWN)
            fail<FileError>(
                "{}: the JPEG has {} channels of unknown colours; grey, RGB, YCbCr, CMYK and YCCK "
                "are read",
                name, jpeg.num_components);
        jpeg.progress = &progress;
        good = read_pixels(errors, jpeg, pixels);
    }
    if (!good) fail<FileError>("{}: the JPEG cannot be read: {}", name, errors.message);
    if (has_inks(jpeg))
        return channels_first(colors_of_inks(pixels), 3, jpeg.output_height, jpeg.output_width);
    return channels_first(pixels, jpeg.output_components, jpeg.output_height, jpeg.output_width);
}

}  // namespace

Array decode_image(std::string_view bytes, const std::string& name) {
    try {
        if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return decode_png(bytes, name);
        if (bytes.starts_with("\xff\xd8\xff")) return decode_jpeg(bytes, name);
    } catch (const std::bad_alloc&) {
        throw OutOfMemory(name, 0, cpu_memory_statistics().bytes_reserved);
    }
    fail<FileError>("{}: is neither a PNG nor a JPEG", name);
}

Array read_image(const std::string& path) {
    return decode_image(FileReader(path).read_all(), path);
}

}  // namespace catena
