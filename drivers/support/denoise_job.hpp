/// A denoising run: what the deck says.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/io/deck.hpp"
#include "core/model/memory_plan.hpp"
#include "core/solver/pixel_partition.hpp"
#include "drivers/support/image_grid.hpp"
#include "drivers/support/inputs.hpp"
#include "prior/qggmrf.hpp"

namespace strata {

/// Everything that the deck says, read and checked before anything is allocated.
struct DenoiseJob {
  DatasetName image;
  ImageGrid grid;
  std::string units;  ///< of the image's values

  DenoiseJob(DatasetName name, ImageGrid const& image_grid, std::string image_units)
      : image(std::move(name)), grid(image_grid), units(std::move(image_units)) {}

  /// `input.initial_image`: absent (the image itself), a number, or a dataset.
  std::variant<std::monostate, double, DatasetName> initial;
  std::optional<double> sigma_noise, sigma_x;  ///< given: not chosen automatically
  QGGMRFParams prior;                          ///< sigma_x is filled in later
  double sharpness = 0;
  int max_iterations = 15;
  double stop_threshold_change_pct = 0.2;
  bool reference_mode = false;
  std::uint32_t seed = 0;
  std::vector<int> pixels;   ///< that may change, increasing
  PixelPartition partition;  ///< of a pass, in the order of visits
};

/// \throws InputError for anything that is wrong with the deck or the shapes of its files.
DenoiseJob read_denoise_job(Deck const& deck);

/// What the job will allocate on `devices`.
MemoryPlan plan_memory(DenoiseJob const& job, Devices const& devices);

/// Image, shards and subsets, line by line.
std::vector<std::string> describe(DenoiseJob const& job, Placement const& slices);

}  // namespace strata
