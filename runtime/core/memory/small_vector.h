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
    using value_type = T;

    SmallVector() noexcept : data_(inline_data()) {}
    explicit SmallVector(size_t n) : SmallVector() { resize(n); }
    SmallVector(std::initializer_list<T> values) : SmallVector() {
        append(values.begin(), values.end());
    }
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

    size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    T* begin() noexcept { return data_; }
    T* end() noexcept { return data_ + size_; }
    const T* begin() const noexcept { return data_; }
    const T* end() const noexcept { return data_ + size_; }
    T& operator[](size_t i) noexcept { return data_[i]; }
    const T& operator[](size_t i) const noexcept { return data_[i]; }
    T& back() noexcept { return data_[size_ - 1]; }
    const T& back() const noexcept { return data_[size_ - 1]; }
    operator std::span<const T>() const noexcept { return {data_, size_}; }
    operator std::span<T>() noexcept { return {data_, size_}; }

    void push_back(T value) { emplace_back(std::move(value)); }
    template <class... Args>
    T& emplace_back(Args&&... args) {
        if (size_ == capacity_) grow(capacity_ * 2);
        T* const made = new (data_ + size_) T(std::forward<Args>(args)...);
        ++size_;  // Not before: what could not be made is not destroyed.
        return *made;
    }
    void pop_back() { data_[--size_].~T(); }
    void clear() noexcept {
        std::destroy_n(data_, size_);
        size_ = 0;
    }
    void reserve(size_t n) {
        if (n > capacity_) grow(n);
    }
    void resize(size_t n) {
        reserve(n);
        while (size_ < n) emplace_back();
        while (size_ > n) pop_back();
    }
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
