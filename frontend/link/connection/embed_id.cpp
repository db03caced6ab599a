#include "frontend/link/connection/embed_id.h"

#include "frontend/link/lazy.h"
#include "runtime/ops/array/indexing/indexing.h"

namespace catena {
namespace {

Shape checked(int64_t in_size, int64_t out_size) {
    if (in_size <= 0 || out_size <= 0)
        fail<ValueError>("EmbedID: in_size and out_size must be positive, not {} and {}", in_size,
                         out_size);
    return {in_size, out_size};
}

}  // namespace

EmbedID::EmbedID(int64_t in_size, int64_t out_size, const EmbedIDOptions& options)
    : W(options.initialW, checked(in_size, out_size)), ignore_label_(options.ignore_label) {
    add_param("W", W);
}

EmbedID EmbedID::from_params(const Array& W, std::optional<int64_t> ignore_label) {
    if (!W.defined() || W.rank() != 2)
        fail<ShapeError>("EmbedID: W should be [in_size, out_size], it is {}",
                         W.defined() ? to_string(W.type()) : "undefined");
    return EmbedID(W.shape()[0], W.shape()[1], {.initialW = W, .ignore_label = ignore_label});
}

Variable EmbedID::operator()(const Operand& x) {
    LocationScope scope(x.location());
    return called(x, [&] { return embed_id(x, W, ignore_label_); });
}

std::vector<std::pair<std::string, std::string>> EmbedID::printable_specs() const {
    return {{"in_size", size_text(W.shape()[0])},
            {"out_size", size_text(W.shape()[1])},
            {"ignore_label", size_text(ignore_label_)}};
}

}  // namespace catena
