#pragma once

#include <catena/catena.h>

#include <optional>
#include <vector>

/// Reads a text from several places at once: windows of some words, and the words that follow each.
/// The next batch continues the windows of the last.
class Windows : public catena::Iterator {
public:
    Windows(const catena::Array& words, int64_t batch_size, int64_t steps, bool repeat)
        : words_(words.to_vector<int32_t>()),
          batch_size_(batch_size),
          steps_(steps),
          repeat_(repeat) {
        if (per_epoch() < 1)
            catena::fail<catena::ValueError>(
                "ptb: {} windows of {} words need a text of more than {}", batch_size, steps,
                words_.size());
    }
    std::optional<std::vector<catena::Example>> next() override {
        if (!repeat_ && count_ == per_epoch()) return std::nullopt;
        const int64_t n = int64_t(words_.size()), first = count_ % per_epoch() * steps_;
        std::vector<catena::Example> windows;
        for (int64_t i = 0; i < batch_size_; ++i) {
            const auto begin = words_.begin() + i * (n - 1) / batch_size_ + first;
            windows.push_back(catena::Example{slice(begin), slice(begin + 1)});
        }
        previous_ = epoch_detail();
        ++count_;
        return windows;
    }
    void reset() override { count_ = 0; }
    int64_t batch_size() const override { return batch_size_; }
    bool repeat() const override { return repeat_; }
    int64_t epoch() const override { return count_ / per_epoch(); }
    bool is_new_epoch() const override { return count_ > 0 && count_ % per_epoch() == 0; }
    double epoch_detail() const override { return double(count_) / double(per_epoch()); }
    std::optional<double> previous_epoch_detail() const override { return previous_; }
    int64_t current_position() const override { return count_ % per_epoch() * steps_; }
    void serialize(const catena::Serializer& s) override {
        s("count", count_);
        s("previous", previous_);
    }

private:
    int64_t per_epoch() const { return (int64_t(words_.size()) - 1) / batch_size_ / steps_; }
    catena::Array slice(std::vector<int32_t>::const_iterator begin) const {
        return catena::Array::from(std::vector<int32_t>(begin, begin + steps_), {steps_});
    }
    std::vector<int32_t> words_;
    int64_t batch_size_, steps_;
    bool repeat_;
    int64_t count_ = 0;
    std::optional<double> previous_;
};
