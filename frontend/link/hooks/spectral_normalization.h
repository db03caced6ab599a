#pragma once

#include <optional>

#include "frontend/link/hooks/weight.h"

namespace catena::link_hooks {

/// Options of a SpectralNormalization.
struct SpectralNormalizationOptions {
    int n_power_iteration = 1;  ///< Number of power iterations at every call.
    double eps = 1e-6;          ///< A small number added to the lengths of vectors.
    /// Whether W is also multiplied with a learned number, which begins as the largest singular
    /// value.
    bool use_gamma = false;
    std::optional<double> factor = {};  ///< A number by which the singular value is divided.
    /// The name of the weight that is normalized.
    std::string weight_name = "W";
};

/// A hook by which every call uses W / sigma, with sigma the largest singular value of W as a
/// matrix [outputs, rest], found by power iteration (Miyato et al. 2018, arXiv:1802.05957). The
/// left singular vector is the link's persistent "W_u": drawn from N(0, 1), and remembered from
/// call to call in training mode. `gamma` is a parameter of the link. Gradients flow through W and
/// sigma, not through the vectors.
class SpectralNormalization : public WeightHook {
    /// Normalizes the weight that the options name.
public:
    explicit SpectralNormalization(SpectralNormalizationOptions options = {});
    std::string name() const override { return "SpectralNormalization"; }
    void added(Link* link) override;
    std::vector<std::pair<std::string, Parameter*>> params() override;
    std::vector<std::pair<std::string, State*>> persistents() override;
    std::shared_ptr<LinkHook> copied() const override;

    /// The left singular vector, [outputs].
    State u;
    Parameter gamma;  ///< The learned factor; 0-d.

protected:
    Variable weight_for_call(Link& link, Parameter& weight) override;

private:
    void initialize(const Link& link, const Parameter& weight);
    SpectralNormalizationOptions options_;
};

}  // namespace catena::link_hooks
