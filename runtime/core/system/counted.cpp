#include "runtime/core/system/counted.h"

namespace catena {

std::string counted(int64_t number, std::string_view what) {
    std::string text = std::to_string(number) + " " + std::string(what);
    if (number == 1) return text;
    const bool hisses =
        what.ends_with("s") || what.ends_with("x") || what.ends_with("ch") || what.ends_with("sh");
    return text + (hisses ? "es" : "s");
}

}  // namespace catena
