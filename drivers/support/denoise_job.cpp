#include "drivers/support/denoise_job.hpp"

#include <algorithm>
#include <limits>

#include "core/base/error.hpp"
#include "core/io/hdf5_file.hpp"
#include "core/solver/denoiser.hpp"
#include "core/solver/regularisation.hpp"
#include "drivers/support/prior_settings.hpp"

namespace strata {
namespace {

/// Shape and voxel size of the image.
ImageGrid grid_of(DatasetName const& name) {
  Hdf5File const file(name.file);
  file.require_shape(name.dataset, {-1, -1, -1}, "rows, cols, slices");
  auto const shape = file.shape(name.dataset);
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  for (auto const size : shape)
    require(size >= 1 && size <= most && shape[0] * std::min(shape[1], most) <= most, name.file, ": dataset ",
            name.dataset, ": expected at least one row, col and slice, and fewer than 2^31 pixels, found ",
            shape_text(shape));
  ImageGrid grid({int(shape[0]), int(shape[1]), int(shape[2])}, {1, 1, 1});
  if (file.has_attribute(name.dataset, "delta_voxel")) {
    auto const pitch = file.numbers_attribute(name.dataset, "delta_voxel");
    require(pitch.size() == 3 && std::ranges::all_of(pitch, [](double p) { return p > 0; }), name.file, ": dataset ",
            name.dataset, ": attribute delta_voxel: expected three numbers > 0, found ", joined(pitch));
    std::ranges::copy(pitch, grid.pitch.begin());
  }
  return grid;
}

std::string units_of(DatasetName const& name) {
  Hdf5File const file(name.file);
  return file.has_attribute(name.dataset, "units") ? file.string_attribute(name.dataset, "units") : "1/ALU";
}

std::optional<double> read_sigma(DeckSection const& section, char const* key) {
  auto const given = section.find<double>(key);
  if (given && !(*given > 0)) section.fail(key, text("expected a number > 0, got ", *given));
  return given;
}

void read_settings(DeckSection const& section, DenoiseJob& job) {
  job.sigma_noise = read_sigma(section, "sigma_noise");
  job.sigma_x = read_sigma(section, "sigma_x");
  job.prior = read_qggmrf(section);
  job.sharpness = section.get("sharpness", 0.0);
  job.reference_mode = section.get("reference_mode", false);
  job.max_iterations = section.get("max_iterations", 15);
  if (job.max_iterations < 0) section.fail("max_iterations", text("expected a number >= 0, got ", job.max_iterations));
  job.stop_threshold_change_pct = section.get("stop_threshold_change_pct", 0.2);
  if (!(job.stop_threshold_change_pct >= 0))
    section.fail("stop_threshold_change_pct", text("expected a number >= 0, got ", job.stop_threshold_change_pct));
  int const seed = section.get("seed", 0);
  if (seed < 0) section.fail("seed", text("expected a number >= 0, got ", seed));
  job.seed = static_cast<std::uint32_t>(seed);
}

/// Subsets [subset][entry] of a file.
PixelPartition recorded_partition(DatasetName const& name, Index num_pixels) {
  Hdf5File const file(name.file);
  file.require_shape(name.dataset, {-1, -1}, "subsets, pixels");
  auto const shape = file.shape(name.dataset);
  auto const values = file.read<int>(name.dataset);
  std::vector<std::vector<int>> subsets;
  for (std::int64_t s = 0; s < shape[0]; ++s)
    subsets.emplace_back(values.begin() + s * shape[1], values.begin() + (s + 1) * shape[1]);
  try {
    return given_partition(std::move(subsets), static_cast<int>(num_pixels));
  } catch (InputError const& error) {
    throw InputError(text("denoise.partition (", name.file, ", dataset ", name.dataset, "): ", error.what()));
  }
}

}  // namespace

DenoiseJob read_denoise_job(Deck const& deck) {
  DeckSection const input = deck.section("input");
  auto const image = require_dataset(input, "image", "/recon");
  DenoiseJob job(image, grid_of(image), units_of(image));
  if (input.has("initial_image")) {
    if (input.kind("initial_image") == DeckSection::Kind::number)
      job.initial = input.require<double>("initial_image");
    else
      job.initial = require_dataset(input, "initial_image", "/recon");
  }
  if (auto const* given = std::get_if<DatasetName>(&job.initial)) require_image(*given, job.grid.shape);
  DeckSection const section = deck.section("denoise");
  read_settings(section, job);
  auto const mask = read_region_mask(section, job.grid.shape, false);
  for (std::size_t p = 0; p < mask.size(); ++p)
    if (mask[p]) job.pixels.push_back(static_cast<int>(p));
  if (auto const recorded = find_dataset(section, "partition", "/partition"))
    job.partition = recorded_partition(*recorded, job.grid.shape.num_pixels());
  else
    job.partition = denoiser_partition(job.pixels, job.grid.shape, job.reference_mode, job.seed);
  return job;
}

MemoryPlan plan_memory(DenoiseJob const& job, Devices const& devices) {
  Placement const slices = Placement::of_slices(devices, job.grid.shape.num_slices);
  MemoryPlan plan(slices, Placement::of_views(devices, 1), {SliceBlocks::single(1), 1}, job.grid.shape);
  Index largest = 0;
  for (auto const& subset : job.partition.subsets) largest = std::max(largest, static_cast<Index>(subset.size()));
  plan.add_volume("image and denoised image", 2);
  plan.add_on_each("subset gradient and curvature, pixel lists, sums",
                   Denoiser::bytes_per_device(slices, job.grid.shape, largest, job.reference_mode));
  plan.begin_stage("reading or writing");
  plan.add_volume_staging();
  plan.begin_stage("choosing sigma_noise and sigma_x");
  Index const rows = static_cast<Index>(regularisation_views(job.grid.shape.num_rows).size());
  plan.add_host("sample of the image",
                Index(sizeof(float)) * rows * job.grid.shape.num_cols * job.grid.shape.num_slices);
  plan.end_stage();
  return plan;
}

std::vector<std::string> describe(DenoiseJob const& job, Placement const& slices) {
  auto const& [shape, pitch] = job.grid;
  std::vector<std::string> lines{
      text("image: ", shape.num_rows, " rows x ", shape.num_cols, " cols x ", shape.num_slices, " slices, voxel ",
           pitch[0], " x ", pitch[1], " x ", pitch[2], " ALU, ", job.pixels.size(), " of ", shape.num_pixels(),
           " pixels in the region"),
      text("passes: at most ", job.max_iterations, " over ", job.partition.num_subsets(), " subsets"),
      text("prior: p ", job.prior.p, ", q ", job.prior.q, ", T ", job.prior.T, ", weights of neighbours ",
           job.prior.nbr_wts.row, ", ", job.prior.nbr_wts.col, ", ", job.prior.nbr_wts.slice, " (row, col, slice)"),
      text("devices: ", slices.devices()->summary())};
  for (int d = 0; d < slices.num_devices(); ++d) {
    Range const own = slices.owned(d);
    lines.push_back(text("  device ", d, ": slices [", own.begin, ", ", own.end, ") in ", slices.blocks().per_shard,
                         " blocks of ", slices.blocks().lanes));
  }
  return lines;
}

}  // namespace strata
