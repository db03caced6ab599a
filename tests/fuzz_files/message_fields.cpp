#include "tests/fuzz_files/message_fields.h"

#include <string>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "tests/fuzz_files/odd_numbers.h"

namespace catena::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using testing::Random;

class MessageChange {
public:
    MessageChange(Message& message, Random& random) : random_(random) { collect(message); }

    void change() {
        Message& message = *messages_[below(messages_.size())];
        const Reflection& with = *message.GetReflection();
        std::vector<const FieldDescriptor*> set;
        with.ListFields(message, &set);
        const auto& all = *message.GetDescriptor();
        if (all.field_count() == 0) return;
        // Mostly what is there: other parameters of a layer than its own are not read.
        const FieldDescriptor& field = !set.empty() && below(5) > 0
                                           ? *set[below(set.size())]
                                           : *all.field(int(below(uint64_t(all.field_count()))));
        if (field.is_repeated())
            change_list(message, field);
        else if (below(8) == 0)
            with.ClearField(&message, &field);
        else
            set_one(message, field);
    }

private:
    uint64_t below(uint64_t end) { return random_() % end; }

    void collect(Message& message) {
        messages_.push_back(&message);
        const Reflection& with = *message.GetReflection();
        std::vector<const FieldDescriptor*> set;
        with.ListFields(message, &set);
        for (const FieldDescriptor* field : set) {
            const int count = field->is_repeated() ? with.FieldSize(message, field) : 1;
            for (int i = 0; i < count; ++i) collect(message, *field, i);
        }
    }
    void collect(Message& message, const FieldDescriptor& field, int i) {
        const Reflection& with = *message.GetReflection();
        const bool is_list = field.is_repeated();
        if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING)
            texts_.push_back(is_list ? with.GetRepeatedString(message, &field, i)
                                     : with.GetString(message, &field));
        if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
            collect(is_list ? *with.MutableRepeatedMessage(&message, &field, i)
                            : *with.MutableMessage(&message, &field));
    }

    std::string some_text() {
        const char* const odd[] = {"", "x", "no such", "\x1b[2J", "\xff\xfe", "a/b"};
        if (!texts_.empty() && below(4) > 0) return texts_[below(texts_.size())];
        if (below(20) == 0) return std::string(70000, 'n');
        return odd[below(std::size(odd))];
    }
    /// One of the same type, as it is now; null if there is none.
    const Message* another(const FieldDescriptor& field) {
        std::vector<const Message*> alike;
        for (const Message* message : messages_)
            if (message->GetDescriptor() == field.message_type()) alike.push_back(message);
        return alike.empty() ? nullptr : alike[below(alike.size())];
    }
    int some_enumerator(const FieldDescriptor& field) {
        const auto& type = *field.enum_type();
        return below(10) == 0 ? int(below(100)) - 2
                              : type.value(int(below(uint64_t(type.value_count()))))->number();
    }

    void set_one(Message& message, const FieldDescriptor& field) {
        const Reflection& with = *message.GetReflection();
        switch (field.cpp_type()) {
            case FieldDescriptor::CPPTYPE_INT32:
                return with.SetInt32(&message, &field,
                                     int32_t(odd_integer(with.GetInt32(message, &field), random_)));
            case FieldDescriptor::CPPTYPE_INT64:
                return with.SetInt64(&message, &field,
                                     odd_integer(with.GetInt64(message, &field), random_));
            case FieldDescriptor::CPPTYPE_UINT32:
                return with.SetUInt32(
                    &message, &field,
                    uint32_t(odd_integer(with.GetUInt32(message, &field), random_)));
            case FieldDescriptor::CPPTYPE_UINT64:
                return with.SetUInt64(
                    &message, &field,
                    uint64_t(odd_integer(int64_t(with.GetUInt64(message, &field)), random_)));
            case FieldDescriptor::CPPTYPE_FLOAT:
                return with.SetFloat(&message, &field, float(odd_float(random_)));
            case FieldDescriptor::CPPTYPE_DOUBLE:
                return with.SetDouble(&message, &field, odd_float(random_));
            case FieldDescriptor::CPPTYPE_BOOL:
                return with.SetBool(&message, &field, !with.GetBool(message, &field));
            case FieldDescriptor::CPPTYPE_ENUM:
                return with.SetEnumValue(&message, &field, some_enumerator(field));
            case FieldDescriptor::CPPTYPE_STRING:
                return with.SetString(&message, &field, some_text());
            case FieldDescriptor::CPPTYPE_MESSAGE:
                copy(another(field), *with.MutableMessage(&message, &field));
        }
    }

    void change_list(Message& message, const FieldDescriptor& field) {
        const Reflection& with = *message.GetReflection();
        const int size = with.FieldSize(message, &field);
        switch (below(7)) {
            case 0:
                return with.ClearField(&message, &field);
            case 1:
                if (size > 0) with.RemoveLast(&message, &field);
                return;
            case 2:
                return add(message, field);
            case 3:
                for (uint64_t k = below(40); k > 0; --k) add(message, field);
                return;
            case 4:
                if (size > 1) with.SwapElements(&message, &field, 0, int(below(uint64_t(size))));
                return;
            default:  // Another element: the last one, after it changed its place.
                if (size == 0) return;
                with.SwapElements(&message, &field, int(below(uint64_t(size))), size - 1);
                with.RemoveLast(&message, &field);
                return add(message, field);
        }
    }

    void add(Message& message, const FieldDescriptor& field) {
        const Reflection& with = *message.GetReflection();
        const int64_t near = with.FieldSize(message, &field);
        switch (field.cpp_type()) {
            case FieldDescriptor::CPPTYPE_INT32:
                return with.AddInt32(&message, &field, int32_t(odd_integer(near, random_)));
            case FieldDescriptor::CPPTYPE_INT64:
                return with.AddInt64(&message, &field, odd_integer(near, random_));
            case FieldDescriptor::CPPTYPE_UINT32:
                return with.AddUInt32(&message, &field, uint32_t(odd_integer(near, random_)));
            case FieldDescriptor::CPPTYPE_UINT64:
                return with.AddUInt64(&message, &field, uint64_t(odd_integer(near, random_)));
            case FieldDescriptor::CPPTYPE_FLOAT:
                return with.AddFloat(&message, &field, float(odd_float(random_)));
            case FieldDescriptor::CPPTYPE_DOUBLE:
                return with.AddDouble(&message, &field, odd_float(random_));
            case FieldDescriptor::CPPTYPE_BOOL:
                return with.AddBool(&message, &field, below(2) == 0);
            case FieldDescriptor::CPPTYPE_ENUM:
                return with.AddEnumValue(&message, &field, some_enumerator(field));
            case FieldDescriptor::CPPTYPE_STRING:
                return with.AddString(&message, &field, some_text());
            case FieldDescriptor::CPPTYPE_MESSAGE:
                copy(another(field), *with.AddMessage(&message, &field));
        }
    }

    /// Through bytes: `from` may contain `to`.
    static void copy(const Message* from, Message& to) {
        if (!from || from == &to) return;
        to.ParsePartialFromString(from->SerializePartialAsString());
    }

    Random& random_;
    std::vector<Message*> messages_;
    std::vector<std::string> texts_;
};

}  // namespace

void change_message(Message& message, Random& random) {
    for (uint64_t changes = 1 + random() % 3; changes > 0; --changes)
        MessageChange(message, random).change();
}

}  // namespace catena::fuzz
