/// What operators work on, and where their answers go.
#pragma once

#include <vector>

#include "bench/suite/row.hpp"
#include "core/model/tomography_model.hpp"

namespace strata::bench {

/// Devices and model of a row.
struct Bench {
  explicit Bench(Row const& row);

  Devices devices;
  TomographyModel model;
};

/// `count` devices: real ones where the machine has them, else virtual ones.
Devices make_devices(int count);

/// Random numbers in [0, 1).
std::vector<float> random_values(Index count, unsigned seed);

/// volume = values [pixel][slice], sinogram = values [view][row][channel].
void put(TomographyModel const& model, std::vector<float> const& values, ShardedVolume const& volume);
void put(TomographyModel const& model, std::vector<float> const& values, ShardedSinogram const& sinogram);
/// `pixels` cylinders of a volume, [pixel][slice]; the sinogram, [view][row][channel].
std::vector<float> values_of(TomographyModel const& model, ShardedVolume const& volume, int pixels);
std::vector<float> values_of(TomographyModel const& model, ShardedSinogram const& sinogram);

ShardedVolume random_volume(TomographyModel const& model);
ShardedSinogram random_sinogram(TomographyModel const& model);

/// One random pixel in `parts`, increasing.
std::vector<int> random_pixels(ReconShape const& shape, int parts);

/// Writes a row's arrays into its group of the file, when there is one.
class Answers {
 public:
  Answers(Row const& row, RunOptions const& options);

  explicit operator bool() const { return writer_ != nullptr; }
  void write(TomographyModel const& model, std::string const& name, ShardedVolume const& volume) const;
  /// Compact cylinders [entry][slice].
  void write(TomographyModel const& model, std::string const& name, ShardedVolume const& cylinders, int entries) const;
  void write(TomographyModel const& model, std::string const& name, ShardedSinogram const& sinogram) const;
  void write(std::string const& name, std::vector<int> const& values) const;
  void attribute(std::string const& name, double value) const;

 private:
  /// [view] or [view][column].
  void write_views(NamedParameter const& parameter) const;

  AtomicHdf5Writer* writer_;
  std::string group_;
};

/// Starts the row's result: work, unit and useful multiply-adds of a projector.
RowResult projector_result(Row const& row, TomographyModel const& model, Index pixels);
/// Fills in times and peaks of memory; what was allocated before and still is counts.
void measure_row(Bench const& bench, RunOptions const& options, Measured const& measured, RowResult& result);

}  // namespace strata::bench
