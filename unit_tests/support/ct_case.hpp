/// A golden `ct` case: its geometry as a model on any number of devices, and its arrays as shards.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/io/hdf5_file.hpp"
#include "core/model/tomography_model.hpp"

namespace strata::test {

class CtCase {
 public:
  /// `name` without folder and ending.
  explicit CtCase(std::string const& name);

  Hdf5File const& file() const { return file_; }
  std::shared_ptr<Geometry const> geometry() const { return geometry_; }
  std::vector<bool> const& mask() const { return mask_; }
  std::vector<int> masked_indices() const;
  double number(std::string const& attribute) const { return file_.number_attribute("parameters", attribute); }

  std::unique_ptr<TomographyModel> model(int num_devices) const;

  ShardedSinogram sinogram(TomographyModel const& model, std::string const& dataset) const;
  ShardedVolume volume(TomographyModel const& model, std::string const& dataset) const;

 private:
  Hdf5File file_;
  std::shared_ptr<Geometry const> geometry_;
  std::vector<bool> mask_;
};

/// File order [row][col][slice] and [view][row][channel].
std::vector<float> to_host(TomographyModel const& model, ShardedVolume const& volume);
std::vector<float> to_host(TomographyModel const& model, ShardedSinogram const& sinogram);
void from_host(TomographyModel const& model, std::vector<float> const& values, ShardedVolume const& volume);
void from_host(TomographyModel const& model, std::vector<float> const& values, ShardedSinogram const& sinogram);

/// Fills every entry that is padding (lanes, channels, views) with `value`.
void poison(TomographyModel const& model, ShardedVolume const& volume, float value);
void poison(TomographyModel const& model, ShardedSinogram const& sinogram, float value);

/// What the operators of a model give, as to_host().
struct OperatorResults {
  std::vector<float> forward, back, hessian;
  bool operator==(OperatorResults const&) const = default;
};

/// A x, A'y and (A o A)'y for x = `volume` and y = `sinogram`, both and the results with `padding` in their padding;
/// 0: with what is there.
OperatorResults run_operators(TomographyModel const& model, ShardedVolume const& volume,
                              ShardedSinogram const& sinogram, float padding);

/// |a - b|_2 / |b|_2 and max |a - b| / max |b|.
double nrmse(std::vector<float> const& a, std::vector<float> const& b);
double max_relative(std::vector<float> const& a, std::vector<float> const& b);

}  // namespace strata::test
