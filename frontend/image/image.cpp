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
#include "runtime/core/device.h"
#include "runtime/core/error.h"
#include "runtime/core/out_of_memory.h"

namespace catena {
namespace {

/// Of either kind: both sizes have 32 bits at most.
void check_size(uint64_t width, uint64_t height, size_t file_bytes, const std::string& name) {
    constexpr uint64_t most_channels = 4;
    if (width == 0 || height == 0 || width > ~uint64_t(0) / most_channels / height)
        fail<FileError>("{}: an image of {} x {} pixels", name, width, height);
    FileBudget(name, file_bytes).ask(width * height * most_channels, fmt::format("an image of {} x {} pixels", width, height));
}

/// [height, width, channels] as [channels, height, width].
Array channels_first(const std::vector<uint8_t>& pixels, int64_t channels, int64_t height, int64_t width) {
    Array image = Array::empty({Dtype::uint8, {channels, height, width}}, cpu_device());
    uint8_t* to = image.to_fill<uint8_t>();
    for (int64_t c = 0; c < channels; ++c)
        for (int64_t i = 0; i < height * width; ++i) *to++ = pixels[size_t(i * channels + c)];
    return image;
}

Array decode_png(std::string_view bytes, const std::string& name) {
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    std::unique_ptr<png_image, void (*)(png_image*)> freed(&png, png_image_free);
    if (!png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()))
        fail<FileError>("{}: the PNG cannot be read: {}", name, png.message);
    check_size(png.width, png.height, bytes.size(), name);
    png.format &= PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA;  // 8 bits, no palette.
    std::vector<uint8_t> pixels(PNG_IMAGE_SIZE(png));
    const int64_t channels = PNG_IMAGE_PIXEL_CHANNELS(png.format);
    if (!png_image_finish_read(&png, nullptr, pixels.data(), 0, nullptr))
        fail<FileError>("{}: the PNG cannot be read: {}", name, png.message);
    return channels_first(pixels, channels, png.height, png.width);
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

/// Each scan of a progressive JPEG costs a pass over the image, but only few bytes. Encoders make about ten.
void limit_scans(j_common_ptr jpeg) {
    constexpr int most_scans = 500;
    if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number <= most_scans) return;
    auto* errors = reinterpret_cast<JpegErrors*>(jpeg->err);
    std::snprintf(errors->message, sizeof errors->message, "it has more than %d scans", most_scans);
    std::longjmp(errors->target, 1);
}

// Both return false, with the message in `errors`, for an invalid file. No object with a destructor may live across a
// longjmp: `pixels` is the caller's.

bool read_header(std::string_view bytes, JpegErrors& errors, jpeg_decompress_struct& jpeg) {
    if (setjmp(errors.target)) return false;
    jpeg_create_decompress(&jpeg);
    jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<unsigned long>(bytes.size()));
    jpeg_read_header(&jpeg, TRUE);
    return true;
}

bool read_pixels(JpegErrors& errors, jpeg_decompress_struct& jpeg, std::vector<uint8_t>& pixels) {
    if (setjmp(errors.target)) return false;
    jpeg.out_color_space = jpeg.jpeg_color_space == JCS_GRAYSCALE ? JCS_GRAYSCALE : JCS_RGB;
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
    const std::unique_ptr<jpeg_decompress_struct, void (*)(j_decompress_ptr)> freed(&jpeg, jpeg_destroy_decompress);
    std::vector<uint8_t> pixels;
    bool good = read_header(bytes, errors, jpeg);
    if (good) {
        check_size(jpeg.image_width, jpeg.image_height, bytes.size(), name);
        jpeg.progress = &progress;
        good = read_pixels(errors, jpeg, pixels);
    }
    if (!good) fail<FileError>("{}: the JPEG cannot be read: {}", name, errors.message);
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
