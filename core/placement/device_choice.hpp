/// How many devices a run takes when the user leaves it to the program.
#pragma once

#include <string>
#include <vector>

#include "core/base/types.hpp"

namespace strata {

/// What is known of a run before its devices are chosen.
struct DeviceWork {
  int num_slices = 1;
  int num_views = 1;  ///< 0: a volume alone is denoised, nothing is projected
  Index num_pixels = 1;
  bool couples_slices = false;  ///< as Projector::couples_slices()
  Index bytes = 0;              ///< arrays of all devices together, roughly
};

/// Time of one pass of iterative reconstruction: three sweeps over all views (measure the direction, step, back
/// project) and two transfers of the volume (directions to view owners, partial sums to slice owners), in `visits`
/// visits of subsets. A pass of denoising is one sweep over the volume, for which devices meet once to exchange the
/// slices at the ends of their shares. The numbers are those of the back ends with several physical devices, GPUs; a
/// host is one device. They are estimates from counted instructions and data sheets, docs/scaling.md, to be replaced by
/// measured ones.
struct DeviceCosts {
  double slice_updates = 2.2e12;     ///< voxel-view updates a second of one device, slices that do not couple
  double coupled_updates = 0.65e12;  ///< where slices couple
  double link_bytes = 50e9;          ///< bytes a second that a device receives: the slowest usual link, PCIe 5 x 16
  double launches = 40e-6;           ///< s a visit on any number of devices: eight kernels
  double round = 30e-6;              ///< s a visit more on several devices: three rounds of worker wake-up and fence
  double round_per_device = 5e-6;    ///< s of each round for each device
  int visits = 64;                   ///< subsets a pass
  double voxels = 30e9;              ///< voxels a second that one device denoises
  double worthwhile = 0.05;          ///< a larger count is taken when it saves this part of the time
};

/// Seconds of a pass on `count` devices.
double pass_seconds(int count, DeviceWork const& work, DeviceCosts const& costs);

/// Largest count that leaves no device without slices or, where there are any, without views.
int most_useful_devices(int available, DeviceWork const& work);

struct DeviceChoice {
  int count = 1;
  std::string reason;  ///< why not all, in a few words; empty: all are taken
};

/// The smallest count whose pass takes at most 1 + `worthwhile` times that of the best count, among counts on which the
/// arrays fit. \param free_bytes of each device, of which the first ones are taken
DeviceChoice choose_devices(std::vector<Index> const& free_bytes, DeviceWork const& work,
                            DeviceCosts const& costs = {});

}  // namespace strata
