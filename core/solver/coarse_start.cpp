#include "core/solver/coarse_start.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/solver/coarse_levels.hpp"
#include "core/solver/coarse_sinogram.hpp"
#include "core/solver/objective.hpp"
#include "core/solver/resample_image.hpp"
#include "core/solver/subspace_kernels.hpp"
#include "core/solver/vcd_reconstruction.hpp"

namespace strata {
namespace {

/// An image and the factor of its grid.
struct LevelImage {
  ShardedVolume volume;
  int factor;
};

/// Pitch of `to` over that of `from`, along row, col and slice.
std::array<double, 3> pitch_ratio(Geometry const& from, Geometry const& to) {
  auto const& a = from.params();
  auto const& b = to.params();
  double const plane = b.delta_voxel / a.delta_voxel;
  double const slices = b.delta_det_row == a.delta_det_row ? 1 : plane;
  return {plane, plane, slices};
}

/// target, on the grid of `model`, becomes the image `source` on the grid of `from`.
void resample(ShardedVolume const& source, Geometry const& from, TomographyModel const& model,
              ShardedVolume const& target) {
  resample_image(rows_of(source, from.params().recon), pitch_ratio(from, model.geometry()), model.recon_shape(),
                 target);
  // Interpolation reaches beyond the region of reconstruction, where no pass ever looks again.
  model.clear_outside(target);
  model.devices().fence("coarse start: the image is read next");
}

VCDSchedule level_schedule(TomographyModel const& model, CoarseLevel const& level, std::uint32_t seed) {
  auto pixels = model.masked_pixels().host;
  std::sort(pixels.begin(), pixels.end());
  int const subsets = std::min(level.subsets, static_cast<int>(pixels.size()));
  ScheduleParams params;
  params.granularity.assign(CoarseLevel::partitions, subsets);
  for (int pass = 0; pass < level.passes; ++pass) params.partition_sequence.push_back(pass % CoarseLevel::partitions);
  params.max_iterations = level.passes;
  params.seed = seed;
  return make_schedule(params, pixels);
}

/// Passes on the grid of `level`, from `start` or, on the coarsest, from the direct reconstruction.
LevelImage run_level(PreparedScan const& scan, CoarseLevel const& level, CoarseStartOptions const& options,
                     std::optional<LevelImage> const& start) {
  TomographyModel const& fine = scan.model();
  auto const geometry = fine.geometry().coarsened(level.factor);
  TomographyModel const model(fine.device_set(), geometry,
                              coarse_mask(fine.mask(), fine.recon_shape(), geometry->params().recon, level.factor));
  PreparedScan coarse = coarse_scan(scan, model, level.factor);
  auto const ratio = pitch_ratio(fine.geometry(), *geometry);
  CoarsePrior const prior =
      options.make_prior({fine.geometry(), model, level.factor, static_cast<int>(std::lround(ratio[2]))});
  VCDOptions vcd = coarse_options(options.vcd);
  vcd.sigma_y *= std::sqrt(prior.weight);
  VCDReconstruction reconstruction(coarse, *prior.prior, vcd, level_schedule(model, level, options.seed),
                                   VCDReconstruction::Sinogram::used_up);
  if (start) {
    resample(start->volume, *fine.geometry().coarsened(start->factor), model, reconstruction.image());
    reconstruction.start_given();
  } else {
    reconstruction.start_direct(options.direct);
  }
  reconstruction.iterate();
  return {reconstruction.image(), level.factor};
}

/// detail becomes direct - what of it the coarse grid holds; `direct` is left alone.
void keep_detail(TomographyModel const& model, int factor, ShardedVolume const& direct, ShardedVolume const& detail) {
  auto const geometry = model.geometry().coarsened(factor);
  auto const ratio = pitch_ratio(model.geometry(), *geometry);
  ReconShape const& shape = geometry->params().recon;
  ShardedVolume const coarse =
      make_volume(Placement::of_slices(model.device_set(), shape.num_slices), shape.num_pixels(), "coarse::direct");
  resample_image(rows_of(direct, model.recon_shape()), ratio, shape, coarse);
  resample(coarse, *geometry, model, detail);
  model.devices().for_each([&](int d, ExecSpace const& exec) {
    replace_by_difference(exec, static_cast<Index>(detail[d].size()), direct[d].data(), detail[d].data());
  });
  model.devices().fence("coarse start: the detail is projected next");
}

}  // namespace

ShardedVolume resampled_onto(CoarseGrid const& grid, ShardedVolume const& image) {
  ShardedVolume target = grid.model.make_volume("coarse::resampled");
  resample(image, grid.fine, grid.model, target);
  return target;
}

std::string lack_of_direct_image(Geometry const& geometry) {
  auto const& sinogram = geometry.params().sinogram;
  if (3 * sinogram.num_views < sinogram.num_det_channels) return "few views";
  if (geometry.type() != "parallel") return geometry.type() + " geometry";
  auto const angles = geometry.ray_fan().angles;
  if (angles.size() < 2) return "";
  auto const [low, high] = std::minmax_element(angles.begin(), angles.end());
  double const span = (*high - *low) * static_cast<double>(angles.size()) / static_cast<double>(angles.size() - 1);
  return span < 0.99 * std::numbers::pi ? "limited angle" : "";
}

std::string reason_for_coarse_start(Geometry const& geometry) {
  return coarse_factors(geometry).empty() ? "" : lack_of_direct_image(geometry);
}

std::vector<int> coarse_factors(Geometry const& geometry) {
  constexpr int fewest = 8;
  auto const& params = geometry.params();
  std::vector<int> factors;
  for (auto const& level : coarse_levels) {
    int const smallest = std::min({params.recon.num_rows, params.recon.num_cols, params.sinogram.num_det_channels});
    if (smallest >= fewest * level.factor && geometry.coarsened(level.factor)) factors.push_back(level.factor);
  }
  return factors;
}

CoarseStartResult coarse_start(PreparedScan& scan, Prior const& prior, CoarseStartOptions const& options,
                               ShardedVolume const& image) {
  TomographyModel const& model = scan.model();
  auto const factors = coarse_factors(model.geometry());
  ensure(!factors.empty(), "coarse_start: the scan has no coarser grid");
  std::optional<LevelImage> found;
  for (auto const& level : coarse_levels)
    if (std::find(factors.begin(), factors.end(), level.factor) != factors.end())
      found = run_level(scan, level, options, found);
  int const finest = factors.back();
  resample(found->volume, *model.geometry().coarsened(finest), model, image);
  found.reset();

  bool const positivity = options.vcd.positivity_flag;
  ShardedVolume const direct = model.make_volume("coarse::direct");
  ProjectedDirection const detail{model.make_volume("coarse::detail"), model.make_sinogram("coarse::projection")};
  ShardedSinogram const error = model.make_sinogram("coarse::error");
  start_from(model, InitialImage::direct, positivity,
             {scan.sinogram(), scan.weights(), detail.projection, direct, error}, options.direct);
  ObjectiveSums sums(model, prior, options.vcd.sigma_y, 1);
  double const direct_objective = sums.measure(direct, error, scan.weights()).value;
  keep_detail(model, finest, direct, detail.volume);
  start_from(model, InitialImage::given, positivity,
             {scan.sinogram(), scan.weights(), detail.projection, image, error});
  model.forward_project(detail.volume, detail.projection);
  weighted_residual(detail.projection, Real(0), detail.projection, scan.weights(), detail.projection);
  ProjectedDirection const* const along[] = {&detail};
  ObjectiveModel const objective = sums.measure(image, error, scan.weights(), along);
  auto const factor = minimise(objective, 0);
  CoarseStartResult const result{factor[0], objective.value - promised_decrease(objective, factor), direct_objective};
  if (!result.better()) {
    copy(direct, image);
    return result;
  }
  model.devices().for_each([&](int d, ExecSpace const& exec) {
    FlatShards shards;
    shards.size = static_cast<Index>(image[d].size());
    shards.x = image[d].data();
    shards.directions[0] = detail.volume[d].data();
    shards.newest = direct[d].data();
    advance(exec, 1, factor, Real(1), shards);
  });
  model.devices().fence("coarse start: the image is projected next");
  return result;
}

}  // namespace strata
