#include "runtime/file/npy.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"
#include "runtime/file/bool_elements.h"
#include "runtime/file/unsigned_elements.h"
#include "runtime/graph/call/recorder.h"

namespace catena {
namespace {

constexpr char npy_magic[] = "\x93NUMPY";
constexpr size_t npy_magic_bytes = 6;
constexpr uint32_t largest_header = 1 << 16;  // NumPy's own are under 200 bytes.

static_assert(std::endian::native == std::endian::little);

/// Reader of the header's dictionary, a Python literal such as
/// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
public:
    HeaderParser(const std::string& text, const std::string& file, uint64_t start)
        : text_(text), file_(file), start_(start) {}

    NpyHeader parse() {
        NpyHeader header;
        bool have_descr = false, have_order = false, have_shape = false;
        expect('{');
        while (!accept('}')) {
            std::string key = quoted();
            expect(':');
            if (key == "descr" && !have_descr) {
                header.descr = descr();
                have_descr = true;
            } else if (key == "fortran_order" && !have_order) {
                header.fortran_order = boolean();
                have_order = true;
            } else if (key == "shape" && !have_shape) {
                header.shape = shape();
                have_shape = true;
            } else {
                wrong("one of 'descr', 'fortran_order' and 'shape', each once");
            }
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        skip_space();
        if (at_ != text_.size()) wrong("nothing after the dictionary");
        if (!have_descr || !have_order || !have_shape)
            wrong("the keys 'descr', 'fortran_order' and 'shape'");
        return header;
    }

private:
    [[noreturn]] void wrong(const std::string& expected) const {
        fail<FileError>("{}: the .npy header is wrong at byte {}: expected {}", file_, start_ + at_,
                        expected);
    }
    void skip_space() {
        while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_])) ++at_;
    }
    bool accept(char c) {
        skip_space();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!accept(c)) wrong(fmt::format("'{}'", c));
    }
    std::string quoted() {
        skip_space();
        if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"'))
            wrong("a quoted name");
        char quote = text_[at_++];
        size_t end = text_.find(quote, at_);
        if (end == std::string::npos) wrong("a closing quote");
        std::string value = text_.substr(at_, end - at_);
        at_ = end + 1;
        return value;
    }
    std::string descr() {
        skip_space();
        if (at_ < text_.size() && text_[at_] == '[') wrong("a plain dtype, not a structured one");
        return quoted();
    }
    bool boolean() {
        skip_space();
        for (auto [word, value] : {std::pair{"True", true}, {"False", false}})
            if (text_.compare(at_, std::strlen(word), word) == 0) {
                at_ += std::strlen(word);
                return value;
            }
        wrong("True or False");
    }
    std::vector<uint64_t> shape() {
        std::vector<uint64_t> sizes;
        expect('(');
        while (!accept(')')) {
            sizes.push_back(number());
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return sizes;
    }
    uint64_t number() {
        skip_space();
        size_t first = at_;
        uint64_t value = 0;
        for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
            uint64_t digit = uint64_t(text_[at_] - '0');
            if (value > (uint64_t(std::numeric_limits<int64_t>::max()) - digit) / 10)
                wrong("a size below 2^63");
            value = value * 10 + digit;
        }
        if (at_ == first) wrong("a non-negative size");
        accept('L');  // Python 2 wrote long integers so.
        return value;
    }

    const std::string& text_;
    const std::string& file_;
    uint64_t start_;
    size_t at_ = 0;
};

/// How elements of the file become elements of an array.
struct ElementFormat {
    Dtype dtype;   ///< The dtype of the array.
    size_t bytes;  ///< The size of one element in the file, in bytes.
    bool swapped;  ///< Whether the elements are big-endian.
    bool widened;  ///< Unsigned, read into the next larger signed integer, if there is one.
};

std::optional<ElementFormat> element_format(const std::string& descr) {
    if (descr.size() != 3) return std::nullopt;
    bool swapped = descr[0] == '>';
    if (!swapped && descr[0] != '<' && descr[0] != '|' && descr[0] != '=') return std::nullopt;
    struct Known {
        const char* name;
        Dtype dtype;
        size_t bytes;
        bool widened;
    };
    static constexpr Known known[] = {
        {"b1", Dtype::bool_, 1, false},    {"i1", Dtype::int8, 1, false},
        {"i2", Dtype::int16, 2, false},    {"i4", Dtype::int32, 4, false},
        {"i8", Dtype::int64, 8, false},    {"u1", Dtype::uint8, 1, false},
        {"u2", widened_dtype(2), 2, true}, {"u4", widened_dtype(4), 4, true},
        {"u8", widened_dtype(8), 8, true}, {"f2", Dtype::float16, 2, false},
        {"f4", Dtype::float32, 4, false},  {"f8", Dtype::float64, 8, false},
    };
    for (const Known& k : known)
        if (descr.compare(1, 2, k.name) == 0)
            return ElementFormat{k.dtype, k.bytes, swapped && k.bytes > 1, k.widened};
    return std::nullopt;
}

const char* descr_of(Dtype dtype) {
    switch (dtype) {
        case Dtype::bool_:
            return "|b1";
        case Dtype::int8:
            return "|i1";
        case Dtype::int16:
            return "<i2";
        case Dtype::int32:
            return "<i4";
        case Dtype::int64:
            return "<i8";
        case Dtype::uint8:
            return "|u1";
        case Dtype::float16:
            return "<f2";
        case Dtype::bfloat16:
        case Dtype::float32:
            return "<f4";
        default:
            return "<f8";
    }
}

std::string shape_text(const std::vector<uint64_t>& shape) {
    std::string text = "(";
    for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
    return text + (shape.size() == 1 ? ",)" : ")");
}

/// Bytes that the elements take in the file; FileError when no file can hold them or this one does
/// not.
uint64_t checked_bytes(const NpyHeader& header, size_t element, const ByteSource& source) {
    uint64_t count = 1;
    bool empty = std::find(header.shape.begin(), header.shape.end(), 0u) != header.shape.end();
    if (empty) return 0;
    for (uint64_t size : header.shape)
        if (__builtin_mul_overflow(count, size, &count) ||
            count > uint64_t(std::numeric_limits<int64_t>::max()) / element)
            fail<FileError>(
                "{}: the .npy header declares more elements than fit into memory: shape {}",
                source.name(), shape_text(header.shape));
    uint64_t bytes = count * element;
    if (bytes > source.remaining())
        fail<FileError>(
            "{}: the elements of shape {} and dtype {} take {} bytes from byte {}, at most {} are "
            "left",
            source.name(), shape_text(header.shape), header.descr, bytes, source.offset(),
            source.remaining());
    return bytes;
}

void swap_bytes(char* data, size_t elements, size_t bytes) {
    for (size_t i = 0; i < elements; ++i) std::reverse(data + i * bytes, data + (i + 1) * bytes);
}

void append_utf8(std::string& text, uint32_t point) {
    if (point < 0x80) {
        text += char(point);
        return;
    }
    int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static constexpr uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
    text += char(first[more] | point >> (6 * more));
    for (int i = more - 1; i >= 0; --i) text += char(0x80 | (point >> (6 * i) & 0x3f));
}

/// The code points of UTF-8; invalid bytes are read as Latin 1.
std::u32string code_points(std::string_view utf8) {
    std::u32string points;
    for (size_t i = 0; i < utf8.size();) {
        uint8_t lead = uint8_t(utf8[i]);
        int more = lead < 0xc0 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf8 ? 3 : 0;
        uint32_t point = more == 0 ? lead : lead & (0x3f >> more);
        bool whole = i + size_t(more) < utf8.size();
        for (int k = 1; whole && k <= more; ++k) {
            uint8_t next = uint8_t(utf8[i + size_t(k)]);
            whole = (next & 0xc0) == 0x80;
            point = point << 6 | (next & 0x3f);
        }
        points += char32_t(whole ? point : lead);
        i += whole ? size_t(more) + 1 : 1;
    }
    return points;
}

Array in_row_major_order(const Array& transposed) {
    Shape shape;
    Strides strides;
    for (int axis = transposed.rank() - 1; axis >= 0; --axis) {
        shape.push_back(transposed.dim(axis));
        strides.push_back(transposed.strides()[axis]);
    }
    return transposed.view(shape, strides, 0).as_contiguous();
}

}  // namespace

bool NpyHeader::is_text() const {
    const bool wide = descr.size() >= 3 && descr[1] == 'U', narrow = descr.starts_with("|S");
    return shape.empty() && (wide || narrow) && descr.size() <= 12 &&
           descr.find_first_not_of("0123456789", 2) == std::string::npos;
}

NpyHeader read_npy_header(ByteSource& source) {
    uint64_t start = source.offset();
    char head[npy_magic_bytes + 2];
    source.read(head, sizeof head);
    if (std::memcmp(head, npy_magic, npy_magic_bytes) != 0)
        fail<FileError>("{}: is not .npy data: byte {} should begin \"\\x93NUMPY\"", source.name(),
                        start);
    int major = uint8_t(head[npy_magic_bytes]);
    if (major < 1 || major > 3)
        fail<FileError>("{}: .npy format {} at byte {}; 1, 2 and 3 are known", source.name(), major,
                        start + npy_magic_bytes);
    uint32_t length = 0;
    source.read(&length, major == 1 ? 2 : 4);
    if (length > largest_header)
        fail<FileError>("{}: a .npy header of {} bytes at byte {}; at most {} are allowed",
                        source.name(), length, source.offset(), largest_header);
    uint64_t text_start = source.offset();
    std::string text(length, '\0');
    source.read(text.data(), length);
    return HeaderParser(text, source.name(), text_start).parse();
}

Array read_npy(ByteSource& source) {
    NpyHeader header = read_npy_header(source);
    if (header.is_object()) {
        if (header.shape.empty()) return Array();
        fail<FileError>("{}: an array of Python objects of shape {} cannot be read", source.name(),
                        shape_text(header.shape));
    }
    std::optional<ElementFormat> format = element_format(header.descr);
    if (!format)
        fail<FileError>(
            "{}: dtype '{}' is not supported; bool, int8 to int64, uint8 to uint64 and float16 to "
            "float64 are",
            source.name(), header.descr);
    if (header.shape.size() > size_t(max_rank))
        fail<FileError>("{}: {} dimensions; at most {} are supported", source.name(),
                        header.shape.size(), max_rank);
    uint64_t bytes = checked_bytes(header, format->bytes, source);

    Shape shape;
    for (uint64_t size : header.shape) shape.push_back(int64_t(size));
    if (header.fortran_order) std::reverse(shape.begin(), shape.end());
    RecorderScope paused(nullptr);
    Array array = Array::empty({format->dtype, shape}, cpu_device());
    if (bytes > 0) {
        char* data = static_cast<char*>(array.to_fill());
        source.read(data, bytes);
        if (format->swapped) swap_bytes(data, bytes / format->bytes, format->bytes);
        if (format->widened) widen_unsigned(array, format->bytes, source.name());
        settle_bools(array);
    }
    return header.fortran_order ? in_row_major_order(array) : array;
}

std::string read_npy_text(ByteSource& source) {
    NpyHeader header = read_npy_header(source);
    const bool narrow = header.descr.starts_with("|S"), wide = !narrow;
    if (!header.is_text())
        fail<FileError>("{}: is an array of shape {} and dtype {}, a text is expected",
                        source.name(), shape_text(header.shape), header.descr);
    uint64_t count = std::stoull(header.descr.substr(2)), bytes = count * (wide ? 4 : 1);
    if (bytes != source.remaining())
        fail<FileError>("{}: a text of dtype {} takes {} bytes, {} are there", source.name(),
                        header.descr, bytes, source.remaining());
    std::string content = file_buffer(bytes, source.name());
    source.read(content.data(), bytes);
    if (narrow) return content.substr(0, content.find_last_not_of('\0') + 1);
    if (header.descr[0] == '>') swap_bytes(content.data(), count, 4);
    std::string text;
    for (uint64_t i = 0; i < count; ++i) {
        uint32_t point;
        std::memcpy(&point, content.data() + 4 * i, 4);
        if (point > 0x10ffff)
            fail<FileError>("{}: character {} is not Unicode: {:#x}", source.name(), i, point);
        append_utf8(text, point);
    }
    return text.substr(0, text.find_last_not_of('\0') + 1);  // NumPy fills up with zeros.
}

Array load_npy(const std::string& path) try {
    FileReader file(path);
    FileSource source(file, 0, file.size(), path);
    Array array = read_npy(source);
    if (!array.defined()) fail<FileError>("{}: holds a Python object, not an array", path);
    if (source.remaining() > 0)
        fail<FileError>(
            "{}: is no .npy file of one array: {} bytes follow its last element at byte {}", path,
            source.remaining(), source.offset());
    return array;
} catch (const std::bad_alloc&) {
    throw_out_of_memory("load_npy", path);
}

namespace {

void write_header(const std::string& descr, const Shape* shape, const ByteSink& sink) {
    std::vector<uint64_t> sizes;
    if (shape) sizes.assign(shape->begin(), shape->end());
    std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                   descr, shape_text(sizes));
    size_t before = npy_magic_bytes + 4;
    text.append(63 - (before + text.size()) % 64, ' ');  // Elements then begin at a multiple of 64.
    text += '\n';
    uint8_t version[] = {1, 0};
    uint16_t length = uint16_t(text.size());
    sink(npy_magic, npy_magic_bytes);
    sink(version, 2);
    sink(&length, 2);
    sink(text.data(), text.size());
}

/// What Python's pickle, protocol 3, makes of numpy.array(None): a 0-d array of objects.
constexpr char pickled_none[] =
    "\x80\x03"
    "cnumpy.core.multiarray\n_reconstruct\n"
    "cnumpy\nndarray\n"
    "K\0\x85"
    "C\1b"
    "\x87R"
    "(K\1)"  // Its state: version 1, shape (),
    "cnumpy\ndtype\n"
    "X\2\0\0\0O8"
    "\x89\x88\x87R"  // dtype('O8'),
    "(K\3X\1\0\0\0|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb"
    "\x89]Natb.";  // not in Fortran order, [None].

}  // namespace

void write_npy(const Array& array, const ByteSink& sink) {
    if (!array.defined()) {
        write_header("|O", nullptr, sink);
        sink(pickled_none, sizeof pickled_none - 1);
        return;
    }
    RecorderScope paused(nullptr);
    Array host = array.to(cpu_device()).as_contiguous();
    if (host.dtype() == Dtype::bfloat16) host = host.astype(Dtype::float32);
    write_header(descr_of(host.dtype()), &host.shape(), sink);
    if (host.size() > 0) sink(host.elements(), size_t(host.size()) * size_of(host.dtype()));
}

void write_npy_text(std::string_view utf8, const ByteSink& sink) {
    std::u32string points = code_points(utf8);
    if (points.empty()) points += U'\0';  // NumPy has no text without room.
    write_header(fmt::format("<U{}", points.size()), nullptr, sink);
    sink(points.data(), 4 * points.size());
}

void save_npy(const std::string& path, const Array& array) try {
    AtomicFile file(path);
    write_npy(array, [&](const void* from, size_t bytes) { file.write(from, bytes); });
    file.commit();
} catch (const std::bad_alloc&) {
    throw_out_of_memory("save_npy", path);
}

}  // namespace catena
