#include "runtime/ops/declare/moved_rows.h"

namespace catena {
namespace {

constexpr DeclarationKind<MovedRowsRule> rows_kind("moves_rows");

}  // namespace

Declaration moves_rows(MovedRowsRule addition) { return rows_kind(std::move(addition)); }

std::optional<RowAddition> addition_of_moved_rows(const TypeCall& call, const Shape& sums) {
    const MovedRowsRule* const addition = rows_kind.in(call.op.declared);
    return addition ? (*addition)(call, sums) : std::nullopt;
}

}  // namespace catena
