#include "runtime/ops/element_text.h"

#include <map>

namespace catena {

namespace {

std::map<const OpDef*, std::string>& texts() {
    static auto& instance = *new std::map<const OpDef*, std::string>;
    return instance;
}

}  // namespace

bool set_element_text(const OpDef& op, std::string text) {
    texts()[&op] = std::move(text);
    return true;
}

const std::string& element_text_of(const OpDef& op) {
    static const std::string& none = *new std::string;
    const auto found = texts().find(&op);
    return found == texts().end() ? none : found->second;
}

}  // namespace catena
