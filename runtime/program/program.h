#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/array.h"

namespace catena {

/// Where a program is to run.
struct ProgramOptions {
    std::string device = "cpu";  ///< Or "cuda:0", if it was saved with code for such devices.
};

/// A compiled program from a file: what StaticGraph::save() wrote, with its parameters and other states. Needs no compiler.
/// A Program is a handle; calls from several threads wait for each other.
class Program {
public:
    /// An input or output. Sizes that the caller chooses have names: {"batch", "784"}.
    struct Port {
        std::string name;
        Dtype dtype{};
        std::vector<std::string> sizes;
    };
    /// A hyperparameter, read anew at every call.
    struct Number {
        std::string name;  ///< "alpha", or empty for a plain number of the user's code.
        double value = 0;
    };

    /// FileError naming file and entry when it is damaged, of a newer version, or has no code for this processor or device;
    /// then it says what it has code for.
    static Program load(const std::string& path);
    static Program load(const std::string& path, const ProgramOptions& options);
    static Program load(const std::string& path, Device& device);
    /// To look at: code for no device is loaded, and run() is a ValueError.
    static Program open(const std::string& path);

    const std::string& name() const;
    const std::vector<Port>& inputs() const;
    const std::vector<Port>& outputs() const;
    const std::string& code_level() const;  ///< "avx2", "sm_90": of the code that runs.
    /// What there is code for: "x86_64 avx2", "sm_90", and "compute_90" for PTX.
    std::vector<std::string> targets() const;
    Device& device() const;

    /// Runs the program; its states become what it made them. ValueError, DtypeError, ShapeError or DeviceError naming the
    /// input when the arrays are not what it takes; they lie on device(), and so do results and states.
    std::vector<Array> run(std::span<const Array> inputs);
    std::vector<Array> run(std::initializer_list<Array> inputs) { return run(std::span(inputs.begin(), inputs.size())); }

    /// Checks all of the file but its machine code, which is not loaded: of an open()ed program nothing of the file is
    /// ever executed. FileError naming file and place otherwise.
    void verify() const;

    std::vector<std::string> state_names() const;
    /// Present content. ValueError listing the names when there is no such state.
    Array state(const std::string& name) const;
    void set_state(const std::string& name, const Array& array);  ///< Same type, else ShapeError or DtypeError.

    std::vector<Number> numbers() const;
    /// All of that name; ValueError listing the names when there is none.
    void set_number(const std::string& name, double value);

    /// The file again, with the present states and numbers.
    void save(const std::string& path) const;

    /// Forms that the program had on its way to code: "import.mlir", "fused.mlir", "avx2.ll", ... as it was saved with.
    std::vector<std::string> stages() const;
    std::string stage(const std::string& name) const;

    struct Implementation;

private:
    explicit Program(std::shared_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
    std::shared_ptr<Implementation> implementation_;
};

}  // namespace catena
