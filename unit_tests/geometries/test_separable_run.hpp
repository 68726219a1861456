/// Runs projectors that couple slices on plain host arrays, on one or several simulated devices. Everything that a
/// projector must not read is NaN: padded lanes, rows and channels, pixels outside the list.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/model/pixel_list_builder.hpp"
#include "geometries/separable_beam.hpp"
#include "unit_tests/geometries/projector_fixture.hpp"

namespace strata::testing_support {

/// A projector's maker with the shapes it is for.
struct SeparableScan {
  SeparableScan(ConeBeamParams const& params);
  SeparableScan(TranslationParams const& params);
  SeparableScan(MultiAxisParams const& params);
  SinogramShape sinogram;
  ReconShape recon;
  std::function<std::unique_ptr<Projector>(ExecSpace const&, Range, SliceBlocks const&, KernelChoice)> make;
};

/// A whole problem on `num_devices` devices: each owns views, and slices are stored in as many shards.
class SeparableRun {
 public:
  SeparableRun(SeparableScan const& scan, std::vector<int> const& pixels, int num_devices = 1,
               ExecSpace const& exec = ExecSpace(), KernelChoice kernels = KernelChoice::best);
  SeparableRun(SeparableScan const& scan, std::vector<int> const& pixels, KernelChoice kernels, int num_devices = 1)
      : SeparableRun(scan, pixels, num_devices, ExecSpace(), kernels) {}

  struct Device {
    Range views;
    std::unique_ptr<Projector> projector;
  };
  std::vector<Device> const& devices() const { return devices_; }
  ExecSpace const& exec() const { return exec_; }
  PixelList const& pixels() const { return list_; }
  SliceBlocks const& blocks() const { return blocks_; }

  /// [entry][slice] -> [view][row][channel]; the list is handed over in batches of `batch` entries (0: at once).
  Values forward(Values const& entries, Position position = Position::by_pixel, int batch = 0) const;
  /// [view][row][channel] -> [entry][slice], in bands of so many blocks of slices; 0: all at once.
  Values back(Values const& sino, int power = 1, Position position = Position::by_pixel, int band_blocks = 0) const;
  std::vector<double> curvature(Values const& direction, Values const& weights) const;
  /// `measured`: after a call of curvature() for the direction.
  std::pair<Values, Values> descend(Values const& direction, Real alpha, Values const& weights, Values const& error,
                                    bool fused, bool measured = false) const;

  Cylinders empty_cylinders(Position position, int num_blocks) const { return cylinders_.empty(position, num_blocks); }
  Sinogram shard(Device const& device, Values const& all) const;
  CylinderBand band(Values const& entries, Position position) const;

 private:
  void read(Device const& device, Sinogram const& shard, Values& all) const;
  Values join(std::vector<Values> values) const;

  SeparableScan scan_;
  ExecSpace exec_;
  SliceBlocks blocks_;
  ListedCylinders cylinders_;
  PixelList list_;
  std::vector<Device> devices_;
};

/// Runs a test with the kernels of this build and with those of GPUs.
class WithKernels : public testing::TestWithParam<KernelChoice> {};
inline std::string name_of_kernels(testing::TestParamInfo<KernelChoice> const& kernels) {
  return kernels.param == KernelChoice::best ? "best" : "teams";
}
inline auto all_kernels() {
  return testing::Values(KernelChoice::best, KernelChoice::teams);
}

}  // namespace strata::testing_support
