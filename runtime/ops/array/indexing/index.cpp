#include "runtime/ops/array/indexing/indexing.h"

namespace catena {

Index::Index(const Index&) = default;
Index& Index::operator=(const Index&) = default;
Index::~Index() = default;

Index::Index(const Place& at, int64_t index) : value_(index), at_(at) {}

Index::Index(const Slice& slice, const Place& at) : value_(slice), at_(at) {}

Index::Index(NewAxis, const Place& at) : value_(NewAxis()), at_(at) {}

Index::Index(Ellipsis, const Place& at) : value_(Ellipsis()), at_(at) {}

Index::Index(const Variable& indices, const Place& at) : value_(indices), at_(at) {}

Index::Index(const Array& indices, const Place& at) : value_(Variable(indices, false)), at_(at) {}

}  // namespace catena
