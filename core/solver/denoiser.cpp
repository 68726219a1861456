#include "core/solver/denoiser.hpp"

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/placement/per_device.hpp"
#include "core/solver/checkerboard.hpp"
#include "core/solver/denoiser_kernels.hpp"
#include "core/solver/slice_totals.hpp"

namespace strata {
namespace {

/// Large enough to keep a device busy, small enough for gradients to stay in a processor's cache.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
constexpr int pixels_per_subset = 1 << 17;
#else
constexpr int pixels_per_subset = 1 << 11;
#endif
constexpr int reference_subsets = 16;

double total(std::vector<double> const& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// True when each of `num_pixels` pixels is in exactly one subset.
bool covers_once(PixelPartition const& partition, Index num_pixels, bool repeats) {
  Index visits = 0;
  for (auto const& subset : partition.subsets) visits += static_cast<Index>(subset.size());
  return !repeats && visits == num_pixels;
}

bool has_repeats(PixelPartition const& partition) {
  return std::ranges::any_of(partition.repeated, [](auto const& list) { return !list.empty(); });
}

}  // namespace

PixelPartition denoiser_partition(std::vector<int> const& pixels, ReconShape const& shape, bool reference_mode,
                                  std::uint32_t seed) {
  if (!reference_mode) return checkerboard_partition(pixels, shape.num_cols, pixels_per_subset);
  LegacyRandom random(seed);
  return reference_partition(pixels, reference_subsets, random);
}

/// What an update needs on each device.
struct Denoiser::Workspace {
  struct PerDevice {
    BandBuffer gradient, curvature;
    BandBuffer direction;   ///< line search only
    SliceSums step_sums;    ///< of a subset: descent, curvature; line search only
    SliceSums change_sums;  ///< of a pass: DenoiseSum; |step|, step^2 with line search
    SliceSums image_sums;   ///< |x|, (v - x)^2, unless they are made on the way
    Array1<double> prior_loss;
  };
  std::vector<PerDevice> devices;
  std::vector<HostSliceTotals> host_step, host_change, host_image;  ///< [device] copies of the sums
  std::vector<Kokkos::View<double*, Kokkos::HostSpace>> host_loss;  ///< [device] of prior_loss

  Workspace(Placement const& slices, Index num_pixels, int max_subset, DenoiserOptions const& options,
            bool sums_with_step) {
    SliceBlocks const& blocks = slices.blocks();
    Index const capacity = Index(max_subset) * blocks.per_shard * blocks.lanes;
    DeviceSet const& set = *slices.devices();
    int const changes = options.reference_mode ? 2 : int(num_denoise_sums);
    host_change = host_copies(set, changes, blocks);
    if (options.reference_mode) host_step = host_copies(set, 2, blocks);
    if (!sums_with_step) host_image = host_copies(set, 2, blocks);
    if (options.compute_prior_loss)
      host_loss =
          make_host_arrays<decltype(host_loss)::value_type>(set, "strata::denoiser::host_loss", blocks.shard_size);
    devices = per_local_device(set, [&](int d) {
      ExecSpace const& exec = set.exec(d);
      PerDevice work;
      work.gradient = BandBuffer(exec, "denoiser::gradient", capacity);
      work.curvature = BandBuffer(exec, "denoiser::curvature", capacity);
      work.change_sums = SliceSums(exec, blocks, changes, max_subset);
      if (options.reference_mode) {
        work.direction = BandBuffer(exec, "denoiser::direction", capacity);
        work.step_sums = SliceSums(exec, blocks, 2, max_subset);
      }
      if (!sums_with_step) work.image_sums = SliceSums(exec, blocks, 2, static_cast<int>(num_pixels));
      if (options.compute_prior_loss)
        work.prior_loss = make_view<Array1<double>>(exec, "strata::denoiser::prior_loss", blocks.shard_size);
      return work;
    });
  }

  static std::vector<HostSliceTotals> host_copies(DeviceSet const& set, int quantities, SliceBlocks const& blocks) {
    return make_host_arrays<HostSliceTotals>(set, "strata::denoiser::host", quantities,
                                             blocks.per_shard * blocks.lanes);
  }
};

Denoiser::Denoiser(Prior const& prior, DenoiserOptions const& options, ReconShape const& shape,
                   ShardedVolume const& image, ShardedVolume const& recon, PixelPartition const& partition)
    : prior_(prior),
      options_(options),
      shape_(shape),
      image_(image),
      recon_(recon),
      plan_(make_subset_plan(*image.placement.devices(), shape.num_cols, partition)),
      repeats_(has_repeats(partition)),
      sums_with_step_(!options.reference_mode && covers_once(partition, shape.num_pixels(), repeats_)),
      halo_(image.placement, shape.num_pixels()),
      work_(
          std::make_unique<Workspace>(image.placement, shape.num_pixels(), plan_.max_size, options, sums_with_step_)) {
  double const largest = 1 / (options.sigma_noise * options.sigma_noise);
  require(options.sigma_noise > 0 && largest > 0 && largest < std::numeric_limits<float>::max(),
          "sigma_noise: expected a number > 0 whose square single precision can hold, got ", options.sigma_noise);
}

Denoiser::~Denoiser() = default;

IterationStats Denoiser::iterate(int iteration) {
  Kokkos::Profiling::ScopedRegion const region("strata::denoiser::iteration");
  auto const start = std::chrono::steady_clock::now();
  IterationStats stats;
  stats.iteration = iteration;
  stats.num_subsets = static_cast<int>(plan_.subsets.size());
  stats.alpha = 1;
  if (prior_.needs_halos()) halo_.exchange(recon_);
  if (options_.reference_mode || repeats_)
    stats.alpha = sweep_with_line_search();
  else
    sweep();
  finish_statistics(stats);
  stats.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return stats;
}

/// Gradient and curvature of the prior at a subset, and with full steps also the step.
void Denoiser::step_on_device(int d, ExecSpace const& exec, SubsetPlan::Subset const& subset) const {
  auto const& work = work_->devices[d];
  SliceBlocks const& blocks = image_.placement.blocks();
  auto const compact = [&](BandBuffer const& buffer) {
    return buffer.cylinders(blocks.per_shard, subset.size(), blocks.lanes);
  };
  auto const data = as_real(1 / (options_.sigma_noise * options_.sigma_noise));
  DenoiseRule const rule{data, options_.reference_mode ? Real(1) : data};
  DenoiseArrays const arrays{subset.pixels[d], compact(work.gradient), compact(work.curvature), image_[d]};
  VolumeShard const volume{shape_, blocks, d, recon_[d], halo_.below(d), halo_.above(d)};
  prior_.gradient_and_curvature(exec, volume, subset.pixels[d], compact(work.gradient), compact(work.curvature));
  if (options_.reference_mode)
    denoise_direction(exec, {blocks, d}, rule, arrays, recon_[d], compact(work.direction), work.step_sums);
  else
    denoise_step(exec, {blocks, d}, rule, arrays, recon_[d], work.change_sums);
}

/// A pass of full steps: devices work through all subsets on their own, since the slices across their ends belong to
/// the same cylinders and so do not change before they are used.
void Denoiser::sweep() {
  image_.placement.devices()->for_each([&](int d, ExecSpace const& exec) {
    Kokkos::deep_copy(exec, work_->devices[d].change_sums.total(), 0.0);
    for (auto const& subset : plan_.subsets) {
      if (options_.interrupt_within_pass) check_interrupt();
      step_on_device(d, exec, subset);
    }
  });
}

/// A pass that visits one subset after the other on all devices. Returns the mean step length.
double Denoiser::sweep_with_line_search() {
  DeviceSet const& devices = *image_.placement.devices();
  devices.for_each(
      [&](int d, ExecSpace const& exec) { Kokkos::deep_copy(exec, work_->devices[d].change_sums.total(), 0.0); });
  double alpha_sum = 0;
  for (auto const& subset : plan_.subsets) {
    if (options_.interrupt_within_pass) check_interrupt();
    if (!subset.repeated.empty() && prior_.needs_halos()) halo_.refresh(recon_, subset.repeated);
    devices.for_each([&](int d, ExecSpace const& exec) { step_on_device(d, exec, subset); });
    alpha_sum += options_.reference_mode ? search_step(subset) : 1;
  }
  return alpha_sum / static_cast<double>(plan_.subsets.size());
}

/// Finds the length of the step along the subset's direction and takes it.
double Denoiser::search_step(SubsetPlan::Subset const& subset) {
  DeviceSet const& devices = *image_.placement.devices();
  SliceBlocks const& blocks = image_.placement.blocks();
  devices.for_each([&](int d, ExecSpace const& exec) {
    Kokkos::deep_copy(exec, work_->host_step[d], work_->devices[d].step_sums.total());
  });
  devices.fence("denoiser: the host reads the sums of the line search");
  auto const sums = collect(devices, work_->host_step);
  double const descent = total(slice_totals(blocks, sums, 0));
  double const curvature = total(slice_totals(blocks, sums, 1));
  constexpr double eps = std::numeric_limits<float>::epsilon();
  double const alpha = std::min(std::max(descent / (curvature + eps), eps), options_.max_alpha);
  devices.for_each([&](int d, ExecSpace const& exec) {
    auto const& work = work_->devices[d];
    auto const direction = work.direction.cylinders(blocks.per_shard, subset.size(), blocks.lanes);
    apply_step(exec, {blocks, d}, subset.pixels[d], as_real(alpha), direction, recon_[d], work.change_sums);
  });
  return alpha;
}

void Denoiser::finish_statistics(IterationStats& stats) {
  DeviceSet const& devices = *image_.placement.devices();
  SliceBlocks const& blocks = image_.placement.blocks();
  if (options_.compute_prior_loss && prior_.needs_halos()) halo_.exchange(recon_);
  devices.for_each([&](int d, ExecSpace const& exec) {
    auto const& work = work_->devices[d];
    Kokkos::deep_copy(exec, work_->host_change[d], work.change_sums.total());
    if (!sums_with_step_) {
      image_sums(exec, {blocks, d}, recon_[d], image_[d], work.image_sums);
      Kokkos::deep_copy(exec, work_->host_image[d], work.image_sums.total());
    }
    if (options_.compute_prior_loss) {
      VolumeShard const volume{shape_, blocks, d, recon_[d], halo_.below(d), halo_.above(d)};
      prior_.loss_per_slice(exec, volume, work.prior_loss);
      Kokkos::deep_copy(exec, work_->host_loss[d], work.prior_loss);
    }
  });
  devices.fence("denoiser: the host reads the statistics");
  auto const changes = collect(devices, work_->host_change);
  auto const images = collect(devices, sums_with_step_ ? work_->host_change : work_->host_image);
  auto const image_total = [&](int with_step, int alone) {
    return total(slice_totals(blocks, images, sums_with_step_ ? with_step : alone));
  };
  double const change = total(slice_totals(blocks, changes, step_magnitude));
  double const magnitude = image_total(recon_magnitude, 0);
  auto const size = static_cast<double>(shape_.size());
  stats.error_sino_rmse = std::sqrt(image_total(error_square, 1) / size);
  stats.fm_rmse = stats.error_sino_rmse / options_.sigma_noise;
  stats.pct_change = magnitude > 0 ? 100 * change / magnitude : 0;
  stats.delta_norm_per_slice = slice_totals(blocks, changes, step_square);
  for (double& norm : stats.delta_norm_per_slice) norm = std::sqrt(norm);
  if (options_.compute_prior_loss) stats.prior_loss = slice_sum(image_.placement, work_->host_loss);
  stats.prior_loss /= size;
}

double Denoiser::objective(IterationStats const& stats) const {
  ensure(options_.compute_prior_loss, "Denoiser::objective: compute_prior_loss was not set");
  return static_cast<double>(shape_.size()) * (0.5 * stats.fm_rmse * stats.fm_rmse + stats.prior_loss);
}

Index Denoiser::bytes_per_device(Placement const& slices, ReconShape const& shape, Index max_subset,
                                 bool reference_mode) {
  SliceBlocks const& blocks = slices.blocks();
  Index const lanes = Index(blocks.per_shard) * blocks.lanes;
  Index const compact = (reference_mode ? 3 : 2) * max_subset * lanes * Index(sizeof(Real));
  Index const lists = 4 * shape.num_pixels() * Index(sizeof(Real));
  Index const sums =
      (reference_mode ? 4 : 4) * num_chunks(static_cast<int>(max_subset)) * lanes * Index(sizeof(double));
  return compact + lists + sums;
}

}  // namespace strata
