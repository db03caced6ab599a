#include "frontend/capture/planned/trace_numbers.h"
#include "frontend/capture/planned/trace_stream.h"

namespace catena::capture {
namespace {

/// Reads what Writer of trace_stream.cpp writes.
class Reader {
public:
    Reader(const program::NumberStream& tokens, std::span<const size_t> source, const Trace& like)
        : tokens_(tokens), source_(source), like_(like), taken_(like.values.size()) {
        like_tokens_ = stream_of(like, &parts_).size();
    }

    std::optional<Trace> read() {
        trace_.name = like_.name;
        const int64_t steps = next();
        for (int64_t i = 0; i < steps && is_right_; ++i) read_step();
        const int64_t scalars = next();
        is_right_ = is_right_ && scalars >= int64_t(trace_.scalars.size()) &&
                    scalars <= int64_t(tokens_.size());
        if (is_right_) trace_.scalars.resize(size_t(scalars));
        read_values(trace_.inputs);
        read_values(trace_.outputs);
        const int64_t assigns = next();
        for (int64_t i = 0; i < assigns && is_right_; ++i) {
            const int target = read_value();
            trace_.assigns.push_back({target, read_value()});
        }
        next();  // What ends it.
        if (!is_right_ || at_ != tokens_.size() || !type_rules_hold(trace_)) return std::nullopt;
        return std::move(trace_);
    }

private:
    /// The part that the next token begins; -1 if there is none.
    int part(const std::vector<int>& parts) {
        const int found =
            at_ < source_.size() && source_[at_] < like_tokens_ ? parts[source_[at_]] : -1;
        is_right_ = is_right_ && found >= 0;
        return found;
    }

    int64_t next() {
        is_right_ = is_right_ && at_ < tokens_.size();
        return is_right_ ? tokens_[at_++].number : 0;
    }

    void read_step() {
        const int number = part(parts_.steps);
        if (!is_right_) return;
        const Trace::Step& like = like_.steps[size_t(number)];
        Trace::Step step{like.op, {}, {}, {}, {}, like.location, like.function};
        std::vector<Attributes::Entry> entries(like.attributes.entries().begin(),
                                               like.attributes.entries().end());
        for (Attributes::Entry& entry : entries) {
            if (int64_t* integer = std::get_if<int64_t>(&entry.value)) *integer = next();
            if (Dims* dims = std::get_if<Dims>(&entry.value))
                for (int64_t& size : *dims) size = next();
        }
        step.attributes = Attributes(std::move(entries));
        read_values(step.inputs);
        const int64_t scalars = next();
        for (int64_t i = 0; i < scalars && is_right_; ++i) step.scalars.push_back(read_scalar());
        read_values(step.outputs);
        trace_.steps.push_back(std::move(step));
    }

    int read_scalar() {
        const int like = part(parts_.scalars);
        const int64_t number = next();
        is_right_ = is_right_ && number >= 0 && number < int64_t(tokens_.size());
        if (!is_right_) return -1;
        if (number >= int64_t(trace_.scalars.size())) trace_.scalars.resize(size_t(number) + 1);
        trace_.scalars[size_t(number)] = {like_.scalars[size_t(like)].value, {}};
        return int(number);
    }

    void read_values(std::vector<int>& values) {
        const int64_t count = next();
        for (int64_t i = 0; i < count && is_right_; ++i) values.push_back(read_value());
    }

    int read_value() {
        const int like = part(parts_.values);
        const bool is_first = is_right_ && parts_.is_first[source_[at_]];
        const int64_t number = next(), known = int64_t(trace_.values.size());
        is_right_ = is_right_ && number >= 0 && (is_first ? number == known : number < known);
        if (is_right_ && is_first) describe_value(size_t(like));
        return int(number);
    }

    void describe_value(size_t number) {
        const Trace::Value& like = like_.values[number];
        // A turn more has no states of its own.
        is_right_ = is_right_ && !(taken_[number] && (like.role == Trace::Role::state ||
                                                      like.role == Trace::Role::gradient));
        taken_[number] = true;
        trace_.values.push_back({like.type, like.role, like.name, {}, {}});
        next();  // Which input it is: those are listed at the end.
        for (int64_t& size : trace_.values.back().type.shape) size = next();
    }

    const program::NumberStream& tokens_;
    const std::span<const size_t> source_;
    const Trace& like_;
    TraceParts parts_;
    size_t like_tokens_ = 0, at_ = 0;
    bool is_right_ = true;
    /// For each value of `like`, whether one like it has been described.
    std::vector<char> taken_;
    Trace trace_;
};

}  // namespace

std::optional<Trace> trace_of(const program::NumberStream& tokens, std::span<const size_t> source,
                              const Trace& trace) {
    return Reader(tokens, source, trace).read();
}

}  // namespace catena::capture
