#include "runtime/program/stream/link_visitor.h"
#include "runtime/program/stream/number_visitor.h"
#include "runtime/program/stream/schedule_numbers.h"
#include "runtime/program/stream/schedule_stream.h"

namespace catena::program {

/// Reads what Writer has written. After anything unexpected it reads nothing more.
class ScheduleStream::Reader {
public:
    Reader(const ScheduleStream& like, const NumberStream& tokens, std::span<const size_t> source)
        : like_(like), tokens_(tokens), source_(source) {}

    std::optional<Copied> read() {
        made_.info = like_.schedule_.info;
        for (int64_t i = count(); i > 0 && is_sound_; --i) read_input();
        for (int64_t i = count(); i > 0 && is_sound_; --i) read_launch();
        for (int64_t i = count(); i > 0 && is_sound_; --i) read_result();
        for (int64_t i = count(); i > 0 && is_sound_; --i) read_buffer();
        read_links(made_.cut);
        read_links(made_.info);
        number();  // The end.
        if (!is_sound_ || at_ != tokens_.size() || !settle_numbers(made_, bytes_before_))
            return std::nullopt;
        made_.buffers.shrink_to_fit();
        made_.kernels.shrink_to_fit();
        made_.library_calls.shrink_to_fit();
        made_.launches.shrink_to_fit();
        made_.info.steps = int(made_.launches.size());
        made_.info.library_calls = int(made_.library_calls.size());
        made_.info.bytes = bytes_of(made_);  // They share the machine code.
        copied_.schedule = std::move(made_);
        return std::move(copied_);
    }

    // Called by the visitors.
    void number(int& value) { value = integer(); }
    template <class T>
    void count(std::vector<T>& list) {
        list = std::vector<T>(size_t(count()));
    }
    void buffer(int& b) { b = read_buffer(); }

private:
    using Kind = Part::Kind;

    int64_t number() {
        if (at_ >= tokens_.size()) is_sound_ = false;
        return is_sound_ ? tokens_[at_++].number : 0;
    }
    int integer() { return int(number()); }
    /// How often something follows, which takes a token at least.
    int64_t count() {
        const int64_t count = number();
        is_sound_ = is_sound_ && count >= 0 && size_t(count) <= tokens_.size();
        return is_sound_ ? count : 0;
    }
    /// The part of the compiled schedule that begins where this token was taken from.
    Part part() {
        if (!is_sound_ || at_ >= tokens_.size()) return is_sound_ = false, Part{};
        return like_.parts_[source_[at_]];
    }
    Part part(Kind kind) {
        const Part part = this->part();
        is_sound_ = is_sound_ && part.kind == kind;
        return part;
    }

    template <class T>
    void read_links(T& part) {
        visit_fields(LinkVisitor(*this), part);
    }
    /// The sizes of a part, but not those of its lists.
    template <class T>
    void read_sizes(T& part, bool combines = false, int64_t blocks = 1) {
        auto read = [this](int64_t& value) { value = number(); };
        NumberVisitor visitor(read, combines, blocks);
        visit_fields(
            [&]<class Field>(Field field, auto& value) {
                if constexpr (Field::role != Role::list) visitor(field, value);
            },
            part);
    }

    void read_input() {
        const Part part = this->part(Kind::input);
        if (!is_sound_) return;
        Type type = like_.schedule_.input_types[size_t(part.index)];
        number();  // The rank.
        read_sizes(type);
        made_.input_types.push_back(type);
    }

    void read_launch() {
        const Part part = this->part(Kind::launch);
        if (!is_sound_) return;
        Launch launch;
        if (const int call = like_.schedule_.launches[size_t(part.index)].library_call; call >= 0) {
            launch.library_call = int(made_.library_calls.size());
            copied_.calls.push_back(call);
            read_call(like_.schedule_.library_calls[size_t(call)]);
        } else {
            for (int64_t i = count(); i > 0 && is_sound_; --i) {
                launch.kernels.push_back(int(made_.kernels.size()));
                read_kernel();
            }
        }
        made_.launches.push_back(std::move(launch));
    }

    void read_call(LibraryCall call) {
        const ChannelsLast orders = orders_wanted(call);
        visit_fields(CountVisitor(*this), call);
        read_links(call);
        read_sizes(call);
        for (View& view : call.inputs) view = read_view();
        for (View& view : call.outputs) view = read_view();
        is_sound_ = is_sound_ && orders_wanted(call) == orders;
        made_.library_calls.push_back(std::move(call));
    }

    View read_view() {
        const Part part = this->part(Kind::view);
        if (!is_sound_) return {};
        const LibraryCall& call = like_.schedule_.library_calls[size_t(part.index)];
        return read_view(part.place >= 0 ? call.inputs[size_t(part.place)]
                                         : call.outputs[size_t(-1 - part.place)]);
    }

    View read_view(View view) {
        number();  // The rank.
        read_links(view);
        read_sizes(view);
        return view;
    }

    void read_kernel() {
        const Part part = this->part(Kind::kernel);
        if (!is_sound_) return;
        KernelLaunch kernel = like_.schedule_.kernels[size_t(part.index)];
        const size_t scalars = kernel.scalars.size();
        visit_fields(CountVisitor(*this), kernel);
        is_sound_ = is_sound_ && kernel.scalars.size() == scalars;
        read_links(kernel);
        read_sizes(kernel, like_.combines_[size_t(part.index)]);
        made_.kernels.push_back(std::move(kernel));
        copied_.kernels.push_back(part.index);
    }

    /// The number of the buffer that stands here.
    int read_buffer() {
        const Part part = this->part();
        const int b = integer(), known = int(made_.buffers.size());
        if (part.kind == Kind::known_buffer)
            is_sound_ = is_sound_ && b >= 0 && b < known;
        else
            is_sound_ = is_sound_ && part.kind == Kind::new_buffer && b == known;
        if (!is_sound_) return 0;
        if (part.kind == Kind::known_buffer) return b;
        Buffer buffer = like_.schedule_.buffers[size_t(part.index)];
        bytes_before_.push_back(buffer.bytes);
        read_sizes(buffer, false, like_.blocks_of_buffer_[size_t(part.index)]);
        read_links(buffer);
        is_sound_ = is_sound_ && buffer.over < known;
        made_.buffers.push_back(buffer);
        return b;
    }

    void read_result() {
        const Part part = this->part(Kind::result);
        if (!is_sound_) return;
        Result result = like_.schedule_.results[size_t(part.index)];
        if (result.input >= 0)
            result.input = integer();
        else
            result.view = read_view(result.view);
        made_.results.push_back(std::move(result));
        copied_.results.push_back(part.index);
    }

    const ScheduleStream& like_;
    const NumberStream& tokens_;
    const std::span<const size_t> source_;
    size_t at_ = 0;
    bool is_sound_ = true;
    Schedule made_;
    Copied copied_;                     ///< What is copied besides the schedule.
    std::vector<size_t> bytes_before_;  ///< The bytes of each buffer in the compiled schedule.
};

std::optional<Copied> ScheduleStream::schedule_of(const NumberStream& tokens,
                                                  std::span<const size_t> source) const {
    return Reader(*this, tokens, source).read();
}

}  // namespace catena::program
