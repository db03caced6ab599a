#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace catena {

/// Base of intrusively counted objects. The count is atomic; the object itself is not.
/// A derived class may shadow `destroy()` to control how it is freed.
class RefCounted {
public:
    RefCounted() = default;
    RefCounted(const RefCounted&) = delete;
    RefCounted& operator=(const RefCounted&) = delete;

    /// Adds a reference.
    void retain() const noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
    /// Drops one reference; true when it was the last. A sole owner needs no atomic subtraction: no
    /// other thread can acquire a reference in between.
    bool release() const noexcept {
        return count_.load(std::memory_order_acquire) == 1 ||
               count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
    }
    /// Counts the first reference to an object that no other thread knows yet.
    void retain_first() const noexcept { count_.store(1, std::memory_order_relaxed); }
    /// The number of references now, which other threads may change.
    uint32_t use_count() const noexcept { return count_.load(std::memory_order_relaxed); }

protected:
    ~RefCounted() = default;

private:
    mutable std::atomic<uint32_t> count_{0};
};

/// Owning handle to a RefCounted object, cheap to copy; null by default.
template <class T>
class Ref {
public:
    Ref() noexcept = default;
    /// A handle without an object.
    Ref(std::nullptr_t) noexcept {}
    /// Adds a reference to the object.
    explicit Ref(T* object) noexcept : object_(object) {
        if (object_) object_->retain();
    }
    Ref(const Ref& other) noexcept : Ref(other.object_) {}
    Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    template <class U>
    Ref(const Ref<U>& other) noexcept : Ref(other.get()) {}
    ~Ref() { drop(); }

    Ref& operator=(const Ref& other) noexcept {
        Ref copy(other);
        std::swap(object_, copy.object_);
        return *this;
    }
    Ref& operator=(Ref&& other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }

    /// The object; null when there is none.
    T* get() const noexcept { return object_; }
    /// The object; there must be one.
    T* operator->() const noexcept { return object_; }
    /// The object; there must be one.
    T& operator*() const noexcept { return *object_; }
    /// Whether there is an object.
    explicit operator bool() const noexcept { return object_ != nullptr; }
    /// Drops the reference.
    void reset() noexcept { Ref().swap(*this); }
    /// Exchanges the objects of two handles.
    void swap(Ref& other) noexcept { std::swap(object_, other.object_); }
    friend bool operator==(const Ref& a, const Ref& b) noexcept { return a.object_ == b.object_; }

    /// Takes ownership of a newly created object.
    static Ref first(T* object) noexcept {
        Ref ref;
        ref.object_ = object;
        object->retain_first();
        return ref;
    }

    /// A handle of an object that others keep alive. It counts no reference, so it must not be
    /// destroyed (uncounted.h).
    static Ref uncounted(T* object) noexcept {
        Ref ref;
        ref.object_ = object;
        return ref;
    }

private:
    void drop() noexcept {
        if (object_ && object_->release()) T::destroy(object_);
    }
    T* object_ = nullptr;
};

/// A new object in a Ref. Without arguments, members without an initialiser are left uninitialised.
template <class T, class... Args>
Ref<T> make_ref(Args&&... args) {
    if constexpr (sizeof...(Args) == 0)
        return Ref<T>::first(new T);
    else
        return Ref<T>::first(new T(std::forward<Args>(args)...));
}

}  // namespace catena
