#pragma once

#include <set>
#include <string>
#include <vector>

namespace catena::extensions {

/// Finds keys that an extension was asked for and that nothing reports, and warns once of each,
/// with the nearest key that is reported. It warns after the first row if a reported key is so near
/// that this one seems misspelt, else after ten rows or at the end, because some values come late:
/// an Evaluator may run every tenth epoch.
class MissingKeys {
public:
    /// These keys, which the extension of that name was asked for, none seen yet.
    MissingKeys(std::string extension, const std::vector<std::string>& keys);
    /// Whether every key has been seen.
    bool done() const { return missing_.empty(); }
    /// Notes that a key is reported.
    void saw(const std::string& key);
    /// Notes that a row is complete; may warn.
    void end_row();
    /// Called at the end of the training.
    void end();

private:
    void warn(const std::string& key) const;

    std::string extension_;
    std::set<std::string> missing_, reported_;
    int rows_ = 0;
};

}  // namespace catena::extensions
