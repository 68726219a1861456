#include "drivers/support/phantom.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

#include "core/base/error.hpp"
#include "core/solver/random.hpp"

namespace strata {

namespace {

constexpr std::pair<std::string_view, PhantomKind> known_phantoms[] = {
    {"shepp_logan", PhantomKind::shepp_logan},
    {"shepp_logan_reference", PhantomKind::shepp_logan_reference},
    {"cube", PhantomKind::cube},
    {"dots", PhantomKind::dots}};

/// Centre, semi-axes, rotation in the (x, y) plane in degrees, and what is added inside.
struct Ellipsoid {
  double x, y, z;
  double a, b, c;
  double degrees;
  double value;
};

constexpr Ellipsoid low_dynamic_range[] = {
    {0, 0, 0, 0.69, 0.92, 0.9, 0, 1},          {0, 0.0184, 0, 0.6624, 0.874, 0.88, 0, -0.8},
    {0.22, 0, 0, 0.41, 0.16, 0.21, 108, -0.2}, {-0.22, 0, 0, 0.31, 0.11, 0.22, 72, -0.2},
    {0, 0.35, 0, 0.21, 0.25, 0.5, 0, 0.1},     {0, 0.1, 0, 0.046, 0.046, 0.046, 0, 0.1},
    {0, -0.1, 0, 0.046, 0.046, 0.046, 0, 0.1}, {-0.08, -0.605, 0, 0.046, 0.023, 0.02, 0, 0.1},
    {0, -0.605, 0, 0.023, 0.023, 0.02, 0, 0.1}};

constexpr Ellipsoid kak_slaney[] = {{0, 0, 0, 0.69, 0.92, 0.9, 0, 2},
                                    {0, 0, 0, 0.6624, 0.874, 0.88, 0, -0.98},
                                    {-0.22, 0, -0.25, 0.41, 0.16, 0.21, 108, -0.02},
                                    {0.22, 0, -0.25, 0.31, 0.11, 0.22, 72, -0.02},
                                    {0, 0.35, -0.25, 0.21, 0.25, 0.5, 0, 0.02},
                                    {0, 0.1, -0.25, 0.046, 0.046, 0.046, 0, 0.02},
                                    {-0.08, -0.65, -0.25, 0.046, 0.023, 0.02, 0, 0.01},
                                    {0.06, -0.65, -0.25, 0.046, 0.023, 0.02, 90, 0.01},
                                    {0.06, -0.105, 0.625, 0.056, 0.04, 0.1, 90, 0.02},
                                    {0, 0.1, 0.625, 0.056, 0.056, 0.1, 0, -0.02}};

double coordinate(int i, int n) {
  return n == 1 ? 0.0 : -1.0 + 2.0 * i / (n - 1);
}

/// Adds one ellipsoid. x runs along rows, y along columns (from +1 down when `flip_y`).
void add_ellipsoid(Ellipsoid const& e, bool flip_y, ReconShape const& shape, Range slices, std::span<float> out) {
  double const cosine = std::cos(e.degrees * std::numbers::pi / 180);
  double const sine = std::sin(e.degrees * std::numbers::pi / 180);
  std::vector<double> axial;
  for (int k = slices.begin; k < slices.end; ++k) {
    double const z = (coordinate(k, shape.num_slices) - e.z) / e.c;
    axial.push_back(z * z);
  }
  float* cylinder = out.data();
  for (int i = 0; i < shape.num_rows; ++i)
    for (int j = 0; j < shape.num_cols; ++j, cylinder += axial.size()) {
      double const x = coordinate(i, shape.num_rows) - e.x;
      double const y = (flip_y ? -1 : 1) * coordinate(j, shape.num_cols) - e.y;
      double const along = (cosine * x + sine * y) / e.a;
      double const across = (cosine * y - sine * x) / e.b;
      double const radial = along * along + across * across;
      if (radial > 1) continue;
      for (std::size_t k = 0; k < axial.size(); ++k)
        if (radial + axial[k] <= 1) cylinder[k] += static_cast<float>(e.value);
    }
}

}  // namespace

PhantomKind parse_phantom(std::string const& name) {
  std::string names;
  for (auto const& [known, kind] : known_phantoms) {
    if (known == name) return kind;
    names += (names.empty() ? "" : ", ") + std::string(known);
  }
  throw InputError(text("simulate: phantom must be one of ", names, " or a file; found '", name, "'"));
}

Phantom::Phantom(PhantomKind kind, ReconShape shape, double fill_rate, std::uint32_t seed)
    : kind_(kind), shape_(shape) {
  require(shape.num_rows > 0 && shape.num_cols > 0 && shape.num_slices > 0,
          "phantom: recon_shape must be at least 1 along each axis, it is [", shape.num_rows, ", ", shape.num_cols,
          ", ", shape.num_slices, "]");
  if (kind != PhantomKind::dots) return;
  require(fill_rate >= 0 && fill_rate <= 1, "phantom: fill_rate must be in [0, 1], found ", fill_rate);

  // Only filled voxels are kept: a volume may not fit the memory. Selection sampling takes each of the voxels of a row
  // that are still to come with probability wanted / left.
  LegacyRandom random(seed);
  Index const row_size = Index(shape.num_cols) * shape.num_slices;
  auto const num_dots = static_cast<Index>(fill_rate * static_cast<double>(row_size));
  int const margin = shape.num_rows / 6;
  dots_.resize(static_cast<std::size_t>(shape.num_rows));
  for (int row = margin; row < shape.num_rows - margin; ++row) {
    Index wanted = num_dots;
    for (Index voxel = 0; wanted > 0; ++voxel) {
      Index const left = row_size - voxel;
      double const uniform = random.bounded(~std::uint32_t{0}) * 0x1p-32;
      if (uniform * static_cast<double>(left) >= static_cast<double>(wanted)) continue;
      dots_[static_cast<std::size_t>(row)].push_back(voxel);
      --wanted;
    }
  }
}

void Phantom::fill(Range slices, std::span<float> out) const {
  ensure(slices.begin >= 0 && slices.end <= shape_.num_slices && !slices.empty(), "Phantom::fill: slices [",
         slices.begin, ", ", slices.end, ") of ", shape_.num_slices);
  ensure(static_cast<Index>(out.size()) == shape_.num_pixels() * slices.size(), "Phantom::fill: room for ", out.size(),
         " voxels, wanted ", shape_.num_pixels() * slices.size());
  std::ranges::fill(out, 0.0f);
  switch (kind_) {
    case PhantomKind::shepp_logan:
      for (Ellipsoid const& e : low_dynamic_range) add_ellipsoid(e, false, shape_, slices, out);
      break;
    case PhantomKind::shepp_logan_reference:
      for (Ellipsoid const& e : kak_slaney) add_ellipsoid(e, true, shape_, slices, out);
      break;
    case PhantomKind::cube:
      fill_cube(slices, out);
      break;
    case PhantomKind::dots:
      fill_dots(slices, out);
      break;
  }
}

void Phantom::fill_cube(Range slices, std::span<float> out) const {
  int const rows = shape_.num_rows / 4;
  int const cols = shape_.num_cols / 4;
  int const row_begin = (shape_.num_rows - rows) / 2;
  int const col_begin = (shape_.num_cols - cols) / 2;
  float const value = 1.0f / static_cast<float>(std::max({rows, cols, 1}));
  for (int k = slices.begin; k < slices.end; ++k) {
    auto const shift = static_cast<int>(Index(k) * cols / shape_.num_slices);
    for (int row = row_begin; row < row_begin + rows; ++row)
      for (int col = col_begin + shift; col < std::min(col_begin + shift + cols, shape_.num_cols); ++col) {
        Index const pixel = Index(row) * shape_.num_cols + col;
        out[static_cast<std::size_t>(pixel * slices.size() + k - slices.begin)] = value;
      }
  }
}

void Phantom::fill_dots(Range slices, std::span<float> out) const {
  for (int row = 0; row < shape_.num_rows; ++row)
    for (Index const dot : dots_[static_cast<std::size_t>(row)]) {
      Index const pixel = Index(row) * shape_.num_cols + dot / shape_.num_slices;
      auto const k = static_cast<int>(dot % shape_.num_slices);
      if (k >= slices.begin && k < slices.end)
        out[static_cast<std::size_t>(pixel * slices.size() + k - slices.begin)] = 1;
    }
}

double shepp_logan_scale(ReconShape const& shape, double attenuation) {
  double const longest = std::max({0.69 * shape.num_rows, 0.92 * shape.num_cols, 0.9 * shape.num_slices});
  return attenuation / (0.28 * longest);
}

CountingNoise::CountingNoise(double photons, std::uint64_t seed) : photons_(photons), engine_(seed) {
  require(photons > 0 && photons <= 1e15, "simulate: noise.photons must be above 0 and at most 1e15, found ", photons);
}

void CountingNoise::apply(std::span<float> sinogram, std::span<float> weights) {
  ensure(weights.empty() || weights.size() == sinogram.size(), "CountingNoise::apply: ", sinogram.size(),
         " line integrals for ", weights.size(), " weights");
  for (std::size_t i = 0; i < sinogram.size(); ++i) {
    double const mean = photons_ * std::exp(-double(sinogram[i]));
    require(std::isfinite(sinogram[i]) && mean <= 1e15, "simulate: line integrals must be finite and leave at most ",
            "1e15 counts, found ", sinogram[i], " at position ", i);
    double const count = mean > 0 ? static_cast<double>(std::poisson_distribution<std::int64_t>(mean)(engine_)) : 0;
    sinogram[i] = static_cast<float>(-std::log(std::max(count, 0.5) / photons_));
    if (!weights.empty()) weights[i] = static_cast<float>(count / photons_);
  }
}

}  // namespace strata
