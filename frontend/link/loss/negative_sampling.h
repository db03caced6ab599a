#pragma once

#include <vector>

#include "frontend/link/link.h"
#include "runtime/ops/loss/sampled.h"
#include "runtime/ops/noise/walker_alias.h"

namespace catena {

/// negative_sampling with weights W [words, in_size], which begin as zeros. Samples are drawn in
/// proportion to counts[word] ^ power.
class NegativeSampling : public Link {
public:
    /// A loss for rows of in_size elements and as many words as counts; `sample_size` words are
    /// drawn for each row.
    NegativeSampling(int64_t in_size, const std::vector<double>& counts, int64_t sample_size,
                     double power = 0.75);

    /// The loss for x [N, in_size] and t, integers [N]; rows with t = -1 are left out.
    Variable operator()(const Operand& x, const Operand& t, const std::string& reduce = "sum");
    /// The loss and the samples, int32 [N, sample_size + 1], whose first column is t.
    NegativeSamplingResult with_samples(const Operand& x, const Operand& t,
                                        const std::string& reduce = "sum");
    /// What draws the words.
    const WalkerAlias& sampler() const { return sampler_; }

    /// The weights, [words, in_size].
    Parameter W;

protected:
    void move_states(Device& device) override { sampler_.move(device); }

private:
    int64_t sample_size_;
    WalkerAlias sampler_;
};

/// black_out with weights W [words, in_size]; samples are drawn in proportion to counts. The result
/// is the mean over the rows.
class BlackOut : public Link {
public:
    /// A loss for rows of in_size elements and as many words as counts; `sample_size` words are
    /// drawn for each row.
    BlackOut(int64_t in_size, const std::vector<double>& counts, int64_t sample_size);

    /// x [N, in_size] and the words t, integers [N], give the mean loss, 0-d.
    Variable operator()(const Operand& x, const Operand& t);
    /// The loss with these samples, integers [N, S].
    Variable operator()(const Operand& x, const Operand& t, const Operand& samples);

    /// The weights, [words, in_size].
    Parameter W;

protected:
    void move_states(Device& device) override { sampler_.move(device); }

private:
    int64_t sample_size_;
    WalkerAlias sampler_;
};

}  // namespace catena
