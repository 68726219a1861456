/// Test objects and counting noise for simulations.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/base/types.hpp"
#include "core/model/shapes.hpp"

namespace strata {

enum class PhantomKind {
  shepp_logan,            ///< 9 ellipsoids, values 0 to 1
  shepp_logan_reference,  ///< 10 ellipsoids of Kak and Slaney, values 0 to 2
  cube,                   ///< a block of a quarter of the rows and columns that moves along the columns with the slices
  dots                    ///< random voxels of value 1
};

/// \throws InputError that lists the known names.
PhantomKind parse_phantom(std::string const& name);

/// Volumes fill [-1, 1]^3 from the centre of the first voxel to that of the last; an axis with one voxel has it at 0.
/// Values are per voxel centre, 1/ALU. Source: solver specification 6.
class Phantom {
 public:
  /// \throws InputError for a shape with an axis below 1 voxel, or a fill rate outside [0, 1].
  ///   fill_rate  dots only: part of the voxels of a filled row that are 1
  Phantom(PhantomKind kind, ReconShape shape, double fill_rate = 0.05, std::uint32_t seed = 42);

  /// Slices [slices.begin, slices.end), overwritten: out [row][col][slice - slices.begin].
  void fill(Range slices, std::span<float> out) const;

 private:
  void fill_cube(Range slices, std::span<float> out) const;
  void fill_dots(Range slices, std::span<float> out) const;

  PhantomKind kind_;
  ReconShape shape_;
  std::vector<std::vector<Index>> dots_;  ///< [row] col * num_slices + slice
};

/// Factor for which a ray through shepp_logan has about `attenuation` as its largest line integral (voxels of 1 ALU).
double shepp_logan_scale(ReconShape const& shape, double attenuation);

/// Counting noise, one stream of random numbers for consecutive parts of a sinogram.
class CountingNoise {
 public:
  /// \throws InputError unless photons (the mean count of the open beam) is above 0.
  CountingNoise(double photons, std::uint64_t seed);

  /// Replaces line integrals s by -log(n / photons), n Poisson with mean photons * exp(-s); n = 0 counts as 1/2.
  ///   weights  n / photons, or empty when not wanted
  /// \throws InputError for a line integral that is not finite, or a mean above 1e15 counts.
  void apply(std::span<float> sinogram, std::span<float> weights);

 private:
  double photons_;
  std::mt19937_64 engine_;
};

}  // namespace strata
