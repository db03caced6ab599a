// Orders of work beside a device's own, for libraries of communication, and points in them.
#include "runtime/cuda/borrowed_stream.h"
#include "runtime/cuda/cuda_device.h"

namespace catena::cuda {

namespace {

class Event final : public CodeDevice::Mark {
public:
    Event(const std::string& device, CUstream stream, unsigned flags = CU_EVENT_DISABLE_TIMING)
        : device_(device) {
        check(driver().cuEventCreate(&event_, flags), device_, "cuEventCreate");
        check(driver().cuEventRecord(event_, stream), device_, "cuEventRecord");
    }
    ~Event() override { driver().cuEventDestroy(event_); }
    bool is_reached() override {
        const CUresult result = driver().cuEventQuery(event_);
        if (result == CUDA_ERROR_NOT_READY) return false;
        check(result, device_, "cuEventQuery");
        return true;
    }
    CUevent event() const { return event_; }
    void wait() const { check(driver().cuEventSynchronize(event_), device_, "cuEventSynchronize"); }
    /// The seconds between two events, which were made with CU_EVENT_DEFAULT and are reached.
    double seconds_since(const Event& earlier) const {
        float milliseconds = 0;
        check(driver().elapsed_time(&milliseconds, earlier.event_, event_), device_,
              "cuEventElapsedTime");
        return milliseconds * 1e-3;
    }

private:
    const std::string& device_;
    CUevent event_ = nullptr;
};

class EventTimer final : public CodeDevice::Timer {
public:
    EventTimer(const std::string& device, CUstream stream) : device_(device), stream_(stream) {}
    void mark() override {
        marks_.push_back(std::make_unique<Event>(device_, stream_, CU_EVENT_DEFAULT));
    }
    std::vector<double> seconds() override {
        std::vector<double> all;
        if (!marks_.empty()) marks_.back()->wait();
        for (size_t i = 1; i < marks_.size(); ++i)
            all.push_back(marks_[i]->seconds_since(*marks_[i - 1]));
        return all;
    }

private:
    const std::string& device_;
    CUstream stream_;
    std::vector<std::unique_ptr<Event>> marks_;
};

class OtherStream final : public CodeDevice::Stream {
public:
    /// The context is current.
    OtherStream(const std::string& device, CUcontext context)
        : device_(device), context_(context), stream_(device) {}
    void* handle() override {
        enter();
        return stream_.get();
    }
    void wait_for(const CodeDevice::Mark& mark) override {
        enter();
        check(
            driver().cuStreamWaitEvent(stream_.get(), dynamic_cast<const Event&>(mark).event(), 0),
            device_, "cuStreamWaitEvent");
    }
    std::unique_ptr<CodeDevice::Mark> mark() override {
        enter();
        return std::make_unique<Event>(device_, stream_.get());
    }

private:
    void enter() const { check(driver().cuCtxSetCurrent(context_), device_, "cuCtxSetCurrent"); }

    const std::string& device_;
    CUcontext context_;
    BorrowedStream stream_;
};

}  // namespace

std::unique_ptr<CodeDevice::Mark> CudaDevice::mark() {
    enter();
    return std::make_unique<Event>(name(), stream_);
}

std::unique_ptr<CodeDevice::Timer> CudaDevice::make_timer() {
    enter();
    return std::make_unique<EventTimer>(name(), stream_);
}

std::unique_ptr<CodeDevice::Stream> CudaDevice::make_stream() {
    enter();
    return std::make_unique<OtherStream>(name(), context_);
}

}  // namespace catena::cuda
