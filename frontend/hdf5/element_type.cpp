#include "frontend/hdf5/element_type.h"

#include <array>

#include <fmt/format.h>

#include "runtime/core/system/error.h"

namespace catena::hdf5 {
namespace {

enum Class : uint64_t { integers = 0, floats = 1, texts = 3, enumeration = 8, lists = 9 };

/// The fields that all types begin with.
struct Begin {
    uint64_t kind, version, bits, bytes;
};

Begin begin_of(Numbers& content) {
    const uint64_t first = content.next(1), bits = content.next(3), bytes = content.next(4);
    return {first & 15, first >> 4, bits, bytes};
}

constexpr uint64_t big_endian = 1, paddings = 6, with_sign = 8;

std::optional<Dtype> integer_dtype(uint64_t bytes, bool is_unsigned) {
    switch (bytes) {
        case 1:
            return is_unsigned ? Dtype::uint8 : Dtype::int8;
        case 2:
            return is_unsigned ? Dtype::int32 : Dtype::int16;
        case 4:
            return is_unsigned ? Dtype::int64 : Dtype::int32;
        case 8:
            return Dtype::int64;
        default:
            return std::nullopt;
    }
}

void read_integers(const Begin& begin, Numbers& content, ElementType& type) {
    const uint64_t offset = content.next(2), precision = content.next(2);
    type.is_unsigned = !(begin.bits & with_sign);
    type.is_big_endian = begin.bits & big_endian;
    type.description += fmt::format(" ({} bits from bit {})", precision, offset);
    if (offset == 0 && precision == 8 * begin.bytes &&
        !(begin.bits & ~uint64_t(big_endian | with_sign)))
        type.dtype = integer_dtype(begin.bytes, type.is_unsigned);
}

void read_floats(const Begin& begin, Numbers& content, ElementType& type) {
    struct Form {
        uint64_t offset, precision, exponent, exponent_bits, mantissa, mantissa_bits, bias;
        bool operator==(const Form&) const = default;
    };
    Form form{};
    for (const auto& [member, bytes] : {std::pair(&Form::offset, 2),
                                        {&Form::precision, 2},
                                        {&Form::exponent, 1},
                                        {&Form::exponent_bits, 1},
                                        {&Form::mantissa, 1},
                                        {&Form::mantissa_bits, 1},
                                        {&Form::bias, 4}})
        form.*member = content.next(size_t(bytes));
    type.is_big_endian = begin.bits & big_endian;
    type.description += fmt::format(" ({} bits of exponent with bias {}, {} of mantissa)",
                                    form.exponent_bits, form.bias, form.mantissa_bits);
    const struct {
        Dtype dtype;
        uint64_t bytes, sign;
        Form form;
    } known[] = {{Dtype::float16, 2, 15, {0, 16, 10, 5, 0, 10, 15}},
                 {Dtype::float32, 4, 31, {0, 32, 23, 8, 0, 23, 127}},
                 {Dtype::float64, 8, 63, {0, 64, 52, 11, 0, 52, 1023}}};
    constexpr uint64_t leading_one = 2 << 4;
    for (const auto& [dtype, bytes, sign, standard] : known)
        if (begin.bytes == bytes && form == standard &&
            (begin.bits & ~uint64_t(big_endian)) == (leading_one | sign << 8))
            type.dtype = dtype;
}

/// FALSE and TRUE of int8, as h5py writes bool.
bool is_bool(const FileNumbers& file, const Begin& begin, Numbers content) {
    if ((begin.bits & 0xffff) != 2 || begin.bytes != 1) return false;
    const Begin base = begin_of(content);
    ElementType elements;
    if (base.kind != integers) return false;
    read_integers(base, content, elements);
    if (elements.dtype != Dtype::int8) return false;
    std::array<std::string, 2> names;
    for (std::string& name : names) {
        const std::string_view rest = content.rest();
        const size_t end = rest.find('\0');
        if (end == rest.npos) file.damaged(content.place(), "a type without names");
        name = content.take(end);
        constexpr uint64_t filled_up = 8;
        content.skip(begin.version < 3 ? filled_up - end % filled_up : 1);
    }
    const uint64_t first = content.next(1), second = content.next(1);
    return (names[0] == "FALSE" && first == 0 && names[1] == "TRUE" && second == 1) ||
           (names[0] == "TRUE" && first == 1 && names[1] == "FALSE" && second == 0);
}

Numbers shared_type(const FileNumbers& file, Numbers content) {
    const uint64_t version = content.next(1), kind = content.next(1);
    if (version == 1) content.skip(6);
    if (version == 3 && kind != 2)
        file.damaged(content.place(), "a type that is kept in another way than is supported,");
    const uint64_t at = file.address(content);
    const std::vector<Message> messages = messages_at(file, at);
    const Message* const message = find_message(messages, Message::datatype);
    if (!message || message->is_shared) file.damaged(at, "no type");
    return message->content;
}

}  // namespace

ElementType type_from(const FileNumbers& file, const Message& message) {
    static constexpr std::array names{
        "integers",  "floats",     "times",      "texts",        "bits",
        "raw bytes", "structures", "references", "enumerations", "lists of any length",
        "arrays"};
    Numbers content = message.is_shared ? shared_type(file, message.content) : message.content;
    const uint64_t at = content.place();
    const Begin begin = begin_of(content);
    ElementType type{.bytes = begin.bytes};
    type.description = fmt::format(
        "{} of {} bytes",
        begin.kind < names.size() ? names[size_t(begin.kind)] : "unknown elements", begin.bytes);
    if (begin.bytes == 0) file.damaged(at, "a type of 0 bytes");
    if (begin.kind == integers) read_integers(begin, content, type);
    if (begin.kind == floats) read_floats(begin, content, type);
    type.is_text = begin.kind == texts;
    if (begin.kind == enumeration && is_bool(file, begin, content)) type.dtype = Dtype::bool_;
    return type;
}

}  // namespace catena::hdf5
