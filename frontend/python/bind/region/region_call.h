#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/python/bind/convert/types.h"
#include "frontend/static_graph/static_graph.h"

namespace catena::python {

/// An object that a region keeps for later: the nesting of its first call's arguments, and of
/// results. Its reference can be given back from any thread.
struct KeptObject {
    explicit KeptObject(nb::object object) : object(std::move(object)) {}
    ~KeptObject();
    KeptObject(const KeptObject&) = delete;
    nb::object object;
};

class PythonRegion;

/// The arguments of one call as the interpreter passes them, or a kept copy of them.
struct PythonArguments {
    PyObject* const* list = nullptr;  ///< The arguments by position, then those by keyword.
    size_t by_position = 0, count = 0;
    PyObject* keywords = nullptr;  ///< A tuple of names; null: none.
    PythonRegion* region = nullptr;
    std::shared_ptr<KeptObject> kept;  ///< (the list as a tuple, keywords or None)
    bool is_emptied = false;           ///< Whether the Variables were taken out of the kept list.
    bool is_eager = false;  ///< Whether the function is run eagerly, as if it had no region.
    /// The state of this thread while the interpreter's lock is released; null while it is held.
    mutable PyThreadState* released = nullptr;
};

/// A static region whose code is a Python function.
class PythonRegion : public StaticRegion {
public:
    PythonRegion(StaticGraphOptions options, const SourceLoc& at);

    /// Calls the function, or does what it would do. Throws python_error for its exceptions.
    nb::object call(PyObject* function, PyObject* const* arguments, size_t count,
                    PyObject* keywords);
    void save(const std::string& path, const PackageOptions& options, PyObject* function);

    bool may_skip_code() const { return may_skip_code_; }
    std::shared_ptr<KeptObject> keep(nb::object object);
    /// Gives back what the core keeps no longer.
    void drop_unused();
    /// Shows Python's collector the objects that only this region keeps.
    int traverse(visitproc visit, void* argument);
    void drop_kept();

private:
    const bool may_skip_code_;
    std::vector<std::shared_ptr<KeptObject>> kept_;  ///< Guarded by the interpreter's lock.
};

}  // namespace catena::python
