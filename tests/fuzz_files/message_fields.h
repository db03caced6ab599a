#pragma once

#include "tests/support/mutator.h"

namespace google::protobuf {
class Message;
}

namespace catena::fuzz {

/// Changes some fields of a message of any type, those of the messages in it, too: numbers become
/// odd ones, texts those of other fields, lists longer, shorter or empty, and messages are added,
/// taken out and copied. It stays a message of protobuf.
void change_message(google::protobuf::Message& message, testing::Random& random);

}  // namespace catena::fuzz
