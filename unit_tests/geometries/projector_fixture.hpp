/// Runs projectors on plain host arrays, on one or several simulated devices. Everything that a projector must not read
/// is NaN: padded lanes and channels, pixels outside the list.
#pragma once

#include <memory>
#include <random>
#include <vector>

#include "core/model/pixel_list_builder.hpp"
#include "geometries/parallel_beam.hpp"

namespace strata::testing_support {

using Values = std::vector<float>;

/// Numbers in [-1, 1).
Values random_values(Index size, unsigned seed);
std::vector<double> in_double(Values const& values);
/// Largest difference relative to the largest reference value.
double max_relative(Values const& values, std::vector<double> const& reference);
double dot(Values const& a, Values const& b);
/// Views that a device owns, as Placement deals them out.
Range views_of_device(int num_views, int num_devices, int device);
/// Every pixel, or every `step`-th, of the plane, in Z order.
std::vector<int> pixels_of(ReconShape const& shape, int step = 1);
/// `views` angles over half a turn, the first of them 0.1 rad.
std::vector<double> half_turn(int views);

/// Sums node values [node of all devices][entry][slice] in the tree over the views.
Values joined(std::vector<TreeNode> const& nodes, int num_views, std::vector<Values> values);

/// Cylinders of listed pixels, from and to [entry][slice].
class ListedCylinders {
 public:
  ListedCylinders(ReconShape const& recon, SliceBlocks const& blocks, std::vector<int> const& pixels,
                  ExecSpace const& exec)
      : recon_(recon), blocks_(blocks), indices_(pixels), exec_(exec) {}

  /// NaN everywhere.
  Cylinders empty(Position position, int num_blocks) const;
  /// Compact or whole cylinders of blocks `range`.
  Cylinders filled(Values const& entries, Position position, Range range) const;
  /// Reads blocks `range`; checks that pixels outside the list are still NaN.
  void read(Cylinders const& array, Position position, Range range, Values& entries) const;

 private:
  std::size_t place(std::size_t entry, Position position) const {
    return position == Position::by_entry ? entry : static_cast<std::size_t>(indices_[entry]);
  }

  ReconShape recon_;
  SliceBlocks blocks_;
  std::vector<int> indices_;
  ExecSpace exec_;
};

/// One device's projector with its arrays.
class DeviceProjector {
 public:
  DeviceProjector(ParallelBeamParams const& params, std::vector<int> const& pixels, int num_devices, int device,
                  KernelChoice kernels, ExecSpace const& exec = ExecSpace());

  Projector const& projector() const { return *projector_; }
  SliceBlocks const& blocks() const { return blocks_; }
  PixelList const& pixels() const { return pixels_; }
  ExecSpace const& exec() const { return exec_; }
  Range views() const { return views_; }

  /// [entry][slice] -> compact or whole cylinders of blocks `range`.
  Cylinders cylinders(Values const& entries, Position position, Range range) const {
    return cylinders_.filled(entries, position, range);
  }
  /// NaN everywhere.
  Cylinders empty_cylinders(Position position, int num_blocks) const { return cylinders_.empty(position, num_blocks); }
  /// [view][row][channel] of all views -> this device's shard.
  Sinogram sinogram(Values const& all) const;
  CylinderBand band(Values const& entries, Position position) const;
  void read(Cylinders const& array, Position position, Range range, Values& entries) const {
    cylinders_.read(array, position, range, entries);
  }
  /// Reads this device's views into [view][row][channel]; checks that padded channels are NaN or 0.
  void read(Sinogram const& shard, Values& all) const;
  std::vector<double> read(Array1<double> const& array) const;

 private:
  ParallelBeamParams params_;
  ExecSpace exec_;
  Range views_;
  SliceBlocks blocks_;
  ListedCylinders cylinders_;
  PixelList pixels_;
  std::unique_ptr<Projector> projector_;
};

/// A whole problem on `num_devices` devices; results are joined as the model joins them.
class ProjectorRun {
 public:
  ProjectorRun(ParallelBeamParams const& params, std::vector<int> const& pixels, int num_devices = 1,
               KernelChoice kernels = KernelChoice::best, ExecSpace const& exec = ExecSpace());
  std::vector<DeviceProjector> const& devices() const { return devices_; }
  Values forward(Values const& entries, Position position = Position::by_pixel) const;
  Values back(Values const& sino, int power = 1, Position position = Position::by_pixel) const;
  /// [view] sums of w q^2.
  std::vector<double> curvature(Values const& direction, Values const& weights) const;
  /// Error after the step, then A' of it at the pixels; `fused` by one call, else by two.
  std::pair<Values, Values> descend(Values const& direction, Real alpha, Values const& weights, Values const& error,
                                    bool fused) const;

 private:
  /// See joined().
  Values join(std::vector<Values> values) const;
  ParallelBeamParams params_;
  std::vector<int> pixels_;
  std::vector<DeviceProjector> devices_;
};

}  // namespace strata::testing_support
