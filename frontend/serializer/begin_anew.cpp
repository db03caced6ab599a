#include "frontend/serializer/begin_anew.h"

#include <utility>

namespace catena {
namespace {

thread_local const BeginAnewScope* current = nullptr;

}  // namespace

BeginAnewScope::BeginAnewScope(std::function<void(const std::string& text)> note)
    : note_(std::move(note)), before_(std::exchange(current, this)) {}

BeginAnewScope::~BeginAnewScope() { current = before_; }

bool begins_anew() { return current != nullptr; }

void note_beginning(const std::string& text) { current->note_(text); }

}  // namespace catena
