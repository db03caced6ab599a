#pragma once

#include <set>
#include <string>
#include <vector>

#include "frontend/c_export/c_export_options.h"
#include "frontend/c_export/c_operations.h"
#include "runtime/program/file/loaded_program.h"

namespace catena {

/// The C text of a program: one call runs its schedule in memory that the caller owns.
class CWriter {
public:
    CWriter(const program::Contents& contents, const CExportOptions& options);

    std::string header() const;
    std::string source() const;
    /// The states, then the constants, each at a multiple of 64 bytes.
    std::string weights() const;
    CExport summary() const;

private:
    struct Argument {
        std::string name;  ///< The name of the C parameter.
        Type type;
    };
    struct Block {
        std::string name;  ///< The name in the file, "l1_W"; empty for a constant.
        const Array* array;
        size_t offset;
    };

    /// The name of an input or output that is not `taken` and means nothing else in the C code.
    std::string parameter_name(const std::string& wanted, std::set<std::string>& taken) const;
    void find_arguments();
    void find_blocks();
    void place_buffers();
    std::string address_of(const program::Contents::Value& value) const;
    Type type_of(const program::Contents::Value& value) const;

    std::string prototype() const;
    std::string declarations() const;
    std::string run_function() const;
    std::string first_copies() const;
    std::string last_copies() const;
    std::string kernel_call(const program::KernelLaunch& kernel) const;
    std::string load_function() const;

    const program::Contents& contents_;
    std::string level_;
    std::string name_, upper_;
    COperations operations_;
    std::vector<int64_t> sizes_;
    program::Schedule schedule_;
    std::vector<double> numbers_;
    std::vector<Argument> inputs_, outputs_;
    std::vector<Block> blocks_;
    std::vector<std::string> calls_;  ///< The statements of each library call of the schedule.
    /// For each buffer, a C expression of type unsigned char*.
    std::vector<std::string> addresses_;
    size_t weight_bytes_ = 0, arena_bytes_ = 0, scratch_offset_ = 0;
};

}  // namespace catena
