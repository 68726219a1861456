#include "core/model/shard_access.hpp"
#include "prior/qggmrf_kernels.hpp"

namespace strata {
namespace {

/// Where a kernel leaves the curvatures of a voxel's edges to the next pixels: nowhere.
struct NoCouplings {
  KOKKOS_FUNCTION void set(int /*block*/, int /*entry*/, int /*lane*/, Real /*next_row*/, Real /*next_col*/) const {}
};

/// Plain pointers: with two more Views the kernel would be too large to be launched quickly.
struct StoredCouplings {
  explicit StoredCouplings(PlaneCouplings const& out)
      : next_row(out.next_row.data()),
        next_col(out.next_col.data()),
        row_entries(out.next_row.extent_int(1)),
        col_entries(out.next_col.extent_int(1)),
        lanes(out.next_row.extent_int(2)) {}

  KOKKOS_FUNCTION void set(int block, int entry, int lane, Real row_curvature, Real col_curvature) const {
    next_row[(Index(block) * row_entries + entry) * lanes + lane] = row_curvature;
    next_col[(Index(block) * col_entries + entry) * lanes + lane] = col_curvature;
  }

  Real* next_row;
  Real* next_col;
  int row_entries;
  int col_entries;
  int lanes;
};

/// The value one slice before (`step` -1) or after (+1) lane `lane`.
KOKKOS_INLINE_FUNCTION Real along_slices(ShardAccess const& shard, int block, int pixel, int lane, int step, int real) {
  int const l = lane + step;
  if (l < 0) return shard.before(block, pixel, real);
  return l < real ? shard.values(block, pixel, l) : shard.after(block, pixel, real);
}

template <class Couplings>
void launch_gradient(char const* label, ExecSpace const& exec, QGGMRFPotential const& potential,
                     VolumeShard const& volume, PixelList const& pixels, Cylinders const& gradient,
                     Cylinders const& curvature, Couplings const& couplings) {
  if (pixels.size() == 0) return;
  ShardAccess const shard(volume);
  QGGMRFPotential const f = potential;
  Array1<int const> const index = pixels.index;
  Index const num_pixels = pixels.size();
  int const lanes = shard.blocks.lanes;
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<Index>>;
  Kokkos::parallel_for(
      label, Policy(exec, 0, shard.blocks.per_shard * num_pixels * lanes), KOKKOS_LAMBDA(Index voxel) {
        Index const cylinder = voxel / lanes;
        int const lane = static_cast<int>(voxel - cylinder * lanes);
        int const block = static_cast<int>(cylinder / num_pixels);
        int const entry = static_cast<int>(cylinder - block * num_pixels);
        int const pixel = index(entry);
        int const real = shard.real_lanes(block);
        PlaneNeighbours const near(pixel, shard.num_rows, shard.num_cols);
        Real g = 0, h = 0;
        auto const add = [&](Real difference, Real weight) {
          Real const d = lane < real ? difference : Real(0);
          Real const c = weight * f.curvature(d);
          g += c * d;
          h += c;
          return c;
        };
        Real const x = shard.values(block, pixel, lane);
        add(x - shard.values(block, near.row_before, lane), f.weight_row);
        Real const next_row = add(x - shard.values(block, near.row_after, lane), f.weight_row);
        add(x - shard.values(block, near.col_before, lane), f.weight_col);
        Real const next_col = add(x - shard.values(block, near.col_after, lane), f.weight_col);
        add(x - along_slices(shard, block, pixel, lane, -1, real), f.weight_slice);
        add(x - along_slices(shard, block, pixel, lane, 1, real), f.weight_slice);
        gradient(block, entry, lane) = g;
        curvature(block, entry, lane) = h;
        couplings.set(block, entry, lane, lane < real ? next_row : Real(0), lane < real ? next_col : Real(0));
      });
}

}  // namespace

void qggmrf_gradient_by_voxel(ExecSpace const& exec, QGGMRFPotential const& potential, VolumeShard const& volume,
                              PixelList const& pixels, Cylinders const& gradient, Cylinders const& curvature) {
  launch_gradient("strata::qggmrf_gradient_by_voxel", exec, potential, volume, pixels, gradient, curvature,
                  NoCouplings{});
}

void qggmrf_couplings_by_voxel(ExecSpace const& exec, QGGMRFPotential const& potential, VolumeShard const& volume,
                               PixelList const& pixels, Cylinders const& gradient, Cylinders const& curvature,
                               PlaneCouplings const& couplings) {
  launch_gradient("strata::qggmrf_couplings_by_voxel", exec, potential, volume, pixels, gradient, curvature,
                  StoredCouplings(couplings));
}

void qggmrf_loss_by_voxel(ExecSpace const& exec, QGGMRFPotential const& potential, VolumeShard const& volume,
                          Array1<double> const& per_slice) {
  constexpr int parts = 32;  // pixels part, part + parts, ... are summed by one thread, the parts in order by one
  ShardAccess const shard(volume);
  QGGMRFPotential const f = potential;
  int const num_pixels = shard.num_rows * shard.num_cols;
  int const lanes = shard.blocks.lanes;
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Partial = Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  Policy const policy = Policy(exec, shard.blocks.per_shard, Kokkos::AUTO)
                            .set_scratch_size(0, Kokkos::PerTeam(Partial::shmem_size(parts, lanes)));
  Kokkos::parallel_for(
      "strata::qggmrf_loss_by_voxel", policy, KOKKOS_LAMBDA(Policy::member_type const& team) {
        int const block = team.league_rank();
        int const real = shard.real_lanes(block);
        Partial const partial(team.team_scratch(0), parts, lanes);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, parts * real), [&](int work) {
          int const part = work / real;
          int const lane = work - part * real;
          double sum = 0;
          for (int pixel = part; pixel < num_pixels; pixel += parts) {
            PlaneNeighbours const near(pixel, shard.num_rows, shard.num_cols);
            Real const x = shard.values(block, pixel, lane);
            sum += f.weight_row * f.value(shard.values(block, near.row_after, lane) - x);
            sum += f.weight_col * f.value(shard.values(block, near.col_after, lane) - x);
            sum += f.weight_slice * f.value(along_slices(shard, block, pixel, lane, 1, real) - x);
          }
          partial(part, lane) = sum;
        });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, real), [&](int lane) {
          double sum = 0;
          for (int part = 0; part < parts; ++part) sum += partial(part, lane);
          per_slice(block * lanes + lane) = sum;
        });
      });
}

}  // namespace strata
