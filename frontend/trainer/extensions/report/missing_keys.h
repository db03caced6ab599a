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
    MissingKeys(std::string extension, const std::vector<std::string>& keys);
    bool done() const { return missing_.empty(); }
    void saw(const std::string& key);
    void end_row();
    void end();  ///< Called at the end of the training.

private:
    void warn(const std::string& key) const;

    std::string extension_;
    std::set<std::string> missing_, reported_;
    int rows_ = 0;
};

}  // namespace catena::extensions
