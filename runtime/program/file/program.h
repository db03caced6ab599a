#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/array/array.h"
#include "runtime/program/file/program_port.h"
#include "runtime/program/schedule/executable.h"

namespace catena {

/// The device on which a program runs.
struct ProgramOptions {
    /// The device, "cpu", or "cuda:0" if it was saved with code for such devices.
    std::string device = "cpu";
};

/// A compiled program from a file written by StaticGraph::save(), with its parameters and other
/// states. Needs no compiler. A Program is a handle; concurrent calls are serialised.
class Program {
public:
    using Port = ProgramPort;
    /// A hyperparameter, read at every call.
    struct Number {
        std::string name;  ///< "alpha", or empty for a plain number of the user's code.
        /// The present value.
        double value = 0;
    };

    /// FileError naming file and entry when it is damaged, of a newer version, or has no code for
    /// this processor or device (then it lists the available code).
    static Program load(const std::string& path);
    static Program load(const std::string& path, const ProgramOptions& options);
    static Program load(const std::string& path, Device& device);
    /// Opens a program for inspection: loads no code, and run() is a ValueError.
    static Program open(const std::string& path);

    /// The name of the region that was saved.
    const std::string& name() const;
    /// The inputs, in order.
    const std::vector<Port>& inputs() const;
    /// The outputs, in order.
    const std::vector<Port>& outputs() const;
    /// "avx2", "sm_90": the level of the code in use.
    const std::string& code_level() const;
    /// The targets that the package has code for: "x86_64 avx2", "sm_90", and "compute_90" for PTX.
    std::vector<std::string> targets() const;
    /// The device on which it runs.
    Device& device() const;

    /// Runs the program and updates its states. ValueError, DtypeError, ShapeError or DeviceError
    /// naming the input that does not match; inputs must be on device(), where results and states
    /// are, too.
    std::vector<Array> run(std::span<const Array> inputs);
    std::vector<Array> run(std::initializer_list<Array> inputs);

    /// Checks the whole file except its machine code, which is not loaded: after open() nothing of
    /// the file is ever executed. FileError naming file and place.
    void verify() const;

    /// The program's launches: as at the latest call, else at open sizes of 1.
    std::vector<LaunchReport> launches() const;

    /// The names of the states.
    std::vector<std::string> state_names() const;
    /// Present content. ValueError listing the names when there is no such state.
    Array state(const std::string& name) const;
    /// Replaces a state by an array of its type, else ShapeError or DtypeError.
    void set_state(const std::string& name, const Array& array);

    /// The hyperparameters with their values.
    std::vector<Number> numbers() const;
    /// Sets all numbers of that name; ValueError listing the names when there is none.
    void set_number(const std::string& name, double value);

    /// Writes the package with the present states and numbers.
    void save(const std::string& path) const;

    /// Names of the stored compilation stages: "import.mlir", "fused.mlir", "avx2.ll", ...
    std::vector<std::string> stages() const;
    /// The text of a compilation stage. ValueError, which lists the names, when there is none.
    std::string stage(const std::string& name) const;

    struct Implementation;

private:
    explicit Program(std::shared_ptr<Implementation> implementation)
        : implementation_(std::move(implementation)) {}
    /// ValueError for one that was moved from.
    Implementation& there() const;
    std::shared_ptr<Implementation> implementation_;
};

}  // namespace catena
