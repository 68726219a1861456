#include "prior/proximal.hpp"

#include "core/base/error.hpp"
#include "prior/sweep_access.hpp"

namespace strata {
namespace {

void proximal_gradient(ExecSpace const& exec, ConstCylinders const& recon, ConstCylinders const& input,
                       SliceBlocks const& blocks, int first_block, Array1<int const> const& pixels,
                       Real curvature_value, Cylinders const& gradient, Cylinders const& curvature) {
  int const entries = pixels.extent_int(0);
  Kokkos::parallel_for(
      "strata::proximal_gradient",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>(exec, 0, Index(blocks.per_shard) * entries),
      KOKKOS_LAMBDA(Index item) {
        int const t = static_cast<int>(item % entries);
        int const block = static_cast<int>(item / entries);
        int const real = blocks.slices(first_block + block).size();
        for (int lane = 0; lane < blocks.lanes; ++lane) {
          Real const difference = recon(block, pixels(t), lane) - input(block, pixels(t), lane);
          gradient(block, t, lane) = lane < real ? curvature_value * difference : Real(0);
          curvature(block, t, lane) = curvature_value;
        }
      });
}

void proximal_loss(ExecSpace const& exec, ConstCylinders const& recon, ConstCylinders const& input,
                   SliceBlocks const& blocks, int shard, double half_curvature, Array1<double> const& per_slice) {
  int const first = shard * blocks.shard_size;
  int const last = first + blocks.shard_size < blocks.num_slices ? first + blocks.shard_size : blocks.num_slices;
  int const pixels = recon.extent_int(1);
  if (last <= first) return;
  Kokkos::parallel_for(
      "strata::proximal_loss", Kokkos::RangePolicy<ExecSpace>(exec, first, last), KOKKOS_LAMBDA(int slice) {
        int const block = blocks.block_of(slice) - shard * blocks.per_shard;
        int const lane = blocks.lane_of(slice);
        double sum = 0;
        for (int p = 0; p < pixels; ++p) {
          double const difference = double(recon(block, p, lane)) - double(input(block, p, lane));
          sum += difference * difference;
        }
        per_slice(slice - first) = half_curvature * sum;
      });
}

/// The prior is its own quadratic. One item a slice and part of the plane.
void proximal_surrogate(ExecSpace const& exec, SweepVolume const& recon, ConstCylinders const& input,
                        SweepDirections const& directions, double curvature, Array3<double> const& partial) {
  Index const slices = Index(recon.blocks.per_shard) * recon.blocks.lanes;
  constexpr int most = DirectionShards::most, most_sums = num_quadratic_sums(most);
  int const num_sums = num_quadratic_sums(directions.count);
  Kokkos::parallel_for(
      "strata::proximal_surrogate",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>(exec, 0, slices * Prior::surrogate_parts),
      KOKKOS_LAMBDA(Index item) {
        int const part = static_cast<int>(item / slices);
        int const block = static_cast<int>(item % slices / recon.blocks.lanes);
        int const lane = static_cast<int>(item % recon.blocks.lanes);
        if (lane >= recon.real_lanes(block)) return;
        double sums[most_sums] = {};
        Range const pixels = recon.part(part);
        for (int p = pixels.begin; p < pixels.end; ++p) {
          double const difference = double(recon.x.at(recon, block, p, lane)) - double(input(block, p, lane));
          double steps[most];
          for (int i = 0; i < directions.count; ++i) steps[i] = directions.d[i].at(recon, block, p, lane);
          int next = 0;
          sums[next++] += curvature / 2 * difference * difference;
          for (int i = 0; i < directions.count; ++i) sums[next++] += curvature * difference * steps[i];
          for (int i = 0; i < directions.count; ++i)
            for (int j = i; j < directions.count; ++j) sums[next++] += curvature * steps[i] * steps[j];
        }
        for (int q = 0; q < num_sums; ++q) partial(part, q, block * recon.blocks.lanes + lane) = sums[q];
      });
}

class ProximalPrior final : public Prior {
 public:
  ProximalPrior(ShardedVolume const& input, double sigma_prox)
      : input_(input), curvature_(1 / (sigma_prox * sigma_prox)) {
    require(sigma_prox > 0, "sigma_prox: expected a number > 0, got ", sigma_prox);
  }

  void gradient_and_curvature(ExecSpace const& exec, VolumeShard const& volume, PixelList const& pixels,
                              Cylinders const& gradient, Cylinders const& curvature) const override {
    proximal_gradient(exec, volume.values, input_[volume.shard], volume.blocks, volume.shard * volume.blocks.per_shard,
                      pixels.index, static_cast<Real>(curvature_), gradient, curvature);
  }

  void loss_per_slice(ExecSpace const& exec, VolumeShard const& volume,
                      Array1<double> const& per_slice) const override {
    proximal_loss(exec, volume.values, input_[volume.shard], volume.blocks, volume.shard, curvature_ / 2, per_slice);
  }

  void surrogate_sums(ExecSpace const& exec, VolumeShard const& volume, DirectionShards const& directions,
                      Array3<double> const& partial) const override {
    proximal_surrogate(exec, SweepVolume(volume), input_[volume.shard], SweepDirections(directions), curvature_,
                       partial);
  }

  bool needs_halos() const override { return false; }

 private:
  ShardedVolume input_;
  double curvature_;
};

}  // namespace

std::unique_ptr<Prior const> make_proximal_prior(ShardedVolume const& input, double sigma_prox) {
  return std::make_unique<ProximalPrior const>(input, sigma_prox);
}

}  // namespace strata
