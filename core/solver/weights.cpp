#include "core/solver/weights.hpp"

#include <cmath>
#include <string_view>
#include <utility>

#include "core/base/error.hpp"

namespace strata {

namespace {

constexpr std::pair<std::string_view, WeightModel> known_models[] = {
    {"unweighted", WeightModel::unweighted},
    {"transmission", WeightModel::transmission},
    {"transmission_root", WeightModel::transmission_root},
    {"emission", WeightModel::emission}};

float weight(WeightModel model, float s) {
  switch (model) {
    case WeightModel::transmission:
      return std::exp(-s);
    case WeightModel::transmission_root:
      return std::exp(-s / 2);
    case WeightModel::emission:
      return 1 / (std::abs(s) + 0.1f);
    case WeightModel::unweighted:
      break;
  }
  return 1;
}

}  // namespace

WeightModel parse_weight_model(std::string const& name) {
  std::string names;
  for (auto const& [known, model] : known_models) {
    if (known == name) return model;
    names += (names.empty() ? "" : ", ") + std::string(known);
  }
  throw InputError(text("weights: the type must be one of ", names, "; found '", name, "'"));
}

void compute_weights(WeightModel model, std::span<float const> sinogram, std::span<float> weights) {
  ensure(sinogram.size() == weights.size(), "compute_weights: ", sinogram.size(), " line integrals for ",
         weights.size(), " weights");
  bool const exponential = model == WeightModel::transmission || model == WeightModel::transmission_root;
  for (std::size_t i = 0; i < sinogram.size(); ++i) {
    float const s = sinogram[i];
    require(std::isfinite(s), "weights: line integrals must be finite, found ", s, " at position ", i);
    require(!exponential || s >= lowest_line_integral, "weights: a transmission model expects line integrals above ",
            lowest_line_integral, ", found ", s, " at position ", i,
            " (is the sinogram really -log of the transmission?)");
    weights[i] = weight(model, s);
  }
}

void WeightCheck::add(std::span<float const> weights) {
  for (float const w : weights) {
    require(std::isfinite(w) && w >= 0, "weights: must be finite and not negative, found ", w, " at position ", count_);
    sum_ += w;
    ++count_;
  }
}

void WeightCheck::finish() const {
  require(count_ > 0, "weights: at least one is needed, there is none");
  require(sum_ > 0, "weights: at least one must be above 0, all ", count_, " are 0");
}

}  // namespace strata
