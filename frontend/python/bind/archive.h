#pragma once

#include "frontend/python/bind/convert/types.h"
#include "frontend/serializer/archive.h"

namespace catena::python {

/// All values of a file by key: ndarrays of their own, texts, None.
nb::dict read_all(const ArchiveReader& reader);
/// The values of a dict by its keys; TypeError naming the key for what is none of these.
void write_all(ArchiveWriter& writer, nb::dict values);

}  // namespace catena::python
