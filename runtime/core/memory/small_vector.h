#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace catena {

/// A vector whose first N elements need no allocation.
template <class T, size_t N>
class SmallVector {
public:
    /// The type of an element.
    using value_type = T;

    /// A list without elements.
    SmallVector() noexcept : data_(inline_data()) {}
    /// `n` elements as T() makes them.
    explicit SmallVector(size_t n) : SmallVector() { resize(n); }
    /// A list of these elements.
    SmallVector(std::initializer_list<T> values) : SmallVector() {
        append(values.begin(), values.end());
    }
    /// Copies of these elements.
    explicit SmallVector(std::span<const T> values) : SmallVector() {
        append(values.begin(), values.end());
    }
    SmallVector(const SmallVector& other) : SmallVector() { append(other.begin(), other.end()); }
    SmallVector(SmallVector&& other) noexcept : SmallVector() { take(std::move(other)); }
    ~SmallVector() {
        clear();
        free_heap();
    }
    SmallVector& operator=(const SmallVector& other) {
        if (this != &other) {
            clear();
            append(other.begin(), other.end());
        }
        return *this;
    }
    SmallVector& operator=(SmallVector&& other) noexcept {
        if (this != &other) {
            clear();
            free_heap();
            data_ = inline_data();
            capacity_ = N;
            take(std::move(other));
        }
        return *this;
    }

    /// The number of elements.
    size_t size() const noexcept { return size_; }
    /// Whether there is no element.
    bool empty() const noexcept { return size_ == 0; }
    /// A pointer to the first element.
    T* data() noexcept { return data_; }
    /// A pointer to the first element.
    const T* data() const noexcept { return data_; }
    /// A pointer to the first element.
    T* begin() noexcept { return data_; }
    /// A pointer behind the last element.
    T* end() noexcept { return data_ + size_; }
    /// A pointer to the first element.
    const T* begin() const noexcept { return data_; }
    /// A pointer behind the last element.
    const T* end() const noexcept { return data_ + size_; }
    /// The element at this position, which is not checked.
    T& operator[](size_t i) noexcept { return data_[i]; }
    const T& operator[](size_t i) const noexcept { return data_[i]; }
    /// The last element; there must be one.
    T& back() noexcept { return data_[size_ - 1]; }
    const T& back() const noexcept { return data_[size_ - 1]; }
    /// The elements, until the list changes.
    operator std::span<const T>() const noexcept { return {data_, size_}; }
    /// The elements, until the list changes.
    operator std::span<T>() noexcept { return {data_, size_}; }

    /// Appends an element.
    void push_back(T value) { emplace_back(std::move(value)); }
    /// Makes an element at the end.
    template <class... Args>
    T& emplace_back(Args&&... args) {
        if (size_ == capacity_) grow(capacity_ * 2);
        T* const made = new (data_ + size_) T(std::forward<Args>(args)...);
        ++size_;  // Not before: what could not be made is not destroyed.
        return *made;
    }
    /// Removes the last element; there must be one.
    void pop_back() { data_[--size_].~T(); }
    /// Removes all elements.
    void clear() noexcept {
        std::destroy_n(data_, size_);
        size_ = 0;
    }
    /// Makes room for `n` elements.
    void reserve(size_t n) {
        if (n > capacity_) grow(n);
    }
    /// Has `n` elements from now on; new ones are as T() makes them.
    void resize(size_t n) {
        reserve(n);
        while (size_ < n) emplace_back();
        while (size_ > n) pop_back();
    }
    /// Appends the elements of a range.
    template <class It>
    void append(It first, It last) {
        for (; first != last; ++first) push_back(*first);
    }

private:
    T* inline_data() noexcept { return reinterpret_cast<T*>(storage_); }
    bool on_heap() noexcept { return data_ != inline_data(); }
    void free_heap() noexcept {
        if (on_heap()) ::operator delete(data_, std::align_val_t(alignof(T)));
    }
    void grow(size_t capacity) {
        T* bigger =
            static_cast<T*>(::operator new(capacity * sizeof(T), std::align_val_t(alignof(T))));
        std::uninitialized_move_n(data_, size_, bigger);
        std::destroy_n(data_, size_);
        free_heap();
        data_ = bigger;
        capacity_ = capacity;
    }
    void take(SmallVector&& other) noexcept {
        if (other.on_heap()) {
            data_ = std::exchange(other.data_, other.inline_data());
            size_ = std::exchange(other.size_, 0);
            capacity_ = std::exchange(other.capacity_, N);
        } else {
            std::uninitialized_move_n(other.data_, other.size_, data_);
            size_ = other.size_;
            other.clear();
        }
    }

    T* data_;
    size_t size_ = 0;
    size_t capacity_ = N;
    alignas(T) unsigned char storage_[N * sizeof(T)];
};

}  // namespace catena
