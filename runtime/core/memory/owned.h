#pragma once

#include <utility>

namespace catena {

/// A std::unique_ptr that is cheaper to compile, for members of classes that many files include:
/// std::unique_ptr to a class that only a .cpp defines costs each of these files 5 ms. The object
/// is created with new.
template <class T>
class Owned {
public:
    Owned() noexcept = default;
    /// Takes the ownership of this object.
    explicit Owned(T* object) noexcept : object_(object) {}
    Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Owned& operator=(Owned&& other) noexcept {
        Owned moved(std::move(other));
        std::swap(object_, moved.object_);
        return *this;
    }
    ~Owned() { delete object_; }
    /// The object; null when there is none.
    T* get() const noexcept { return object_; }
    /// The object; there must be one.
    T* operator->() const noexcept { return object_; }
    /// The object; there must be one.
    T& operator*() const noexcept { return *object_; }
    /// Whether there is an object.
    explicit operator bool() const noexcept { return object_ != nullptr; }
    /// Deletes the object.
    void reset() noexcept { delete std::exchange(object_, nullptr); }

private:
    T* object_ = nullptr;
};

}  // namespace catena
