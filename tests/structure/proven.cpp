#include "tests/structure/proven.h"

#include <fstream>
#include <utility>

#include "runtime/core/system/hash.h"

namespace catena::structure {

Proven::Proven(std::filesystem::path file) : file_(std::move(file)) {
    std::ifstream stream(file_);
    for (uint64_t hash; stream >> hash;) before_.insert(hash);
}

Proven::~Proven() {
    if (now_ == before_) return;
    std::ofstream stream(file_);
    for (const uint64_t hash : now_) stream << hash << "\n";
}

bool Proven::has(const std::string& facts) {
    const uint64_t hash = fnv1a(facts);
    const std::lock_guard lock(mutex_);
    if (before_.contains(hash)) now_.insert(hash);
    return now_.contains(hash);
}

void Proven::add(const std::string& facts) {
    const uint64_t hash = fnv1a(facts);
    const std::lock_guard lock(mutex_);
    now_.insert(hash);
}

}  // namespace catena::structure
