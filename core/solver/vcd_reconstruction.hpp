/// Iterative reconstruction of a prepared scan, as often as wanted.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/solver/prepared_scan.hpp"
#include "core/solver/vcd_schedule.hpp"
#include "core/solver/vcd_solver.hpp"
#include "core/solver/vcd_start.hpp"

namespace strata {

struct VCDResult {
  std::vector<IterationStats> history;
  bool converged = false;  ///< the change fell below the threshold
};

/// Which passes to make: `count` of them from number `first` of the schedule on. Beyond its end the last one is
/// repeated, as the last entry of a partition_sequence is.
struct VCDPasses {
  int first = 0;
  int count = -1;  ///< -1: to the end of the schedule
  /// Objectives of the passes before, where the run goes on from those: what is left is estimated from all of them.
  std::vector<double> earlier_objectives = {};
};

/// The solver with all that repeated runs share: subsets, Hessian diagonal, error sinogram, workspaces. The second
/// start and run from a given image allocate nothing, which is what plug-and-play loops need:
///
///   auto const prior = make_proximal_prior(v, sigma_prox);
///   VCDReconstruction data_fit(scan, *prior, options, schedule);
///   data_fit.start_direct();
///   for (...) {
///     // write the input of the proximal map into v
///     data_fit.iterate({0, 2});   // goes on from the image of the last call; start_given() before it: from image()
///     // data_fit.image() feeds the next step, on the devices
///   }
class VCDReconstruction {
 public:
  /// `used_up`: the error sinogram takes the place of scan.sinogram(), which saves a sinogram and allows one start.
  enum class Sinogram { kept, used_up };

  /// `scan` and `prior` must outlive the reconstruction.
  VCDReconstruction(PreparedScan& scan, Prior const& prior, VCDOptions const& options, VCDSchedule schedule,
                    Sinogram sinogram = Sinogram::kept);
  VCDReconstruction(VCDReconstruction const&) = delete;
  VCDReconstruction& operator=(VCDReconstruction const&) = delete;

  /// x, zeros at first. Runs overwrite it; the caller may, before start_given().
  ShardedVolume const& image() const { return state_.recon; }

  /// weights (y - A x) of image(), after a run.
  ShardedSinogram const& weighted_error() const { return state_.weighted_error; }

  /// Begins with the direct reconstruction, scaled to fit the data best. Returns the factor.
  double start_direct(RedundancyOptions const& direct = {});
  /// Begins with image() as it stands, and with the weights as they are after scan.weights_changed().
  void start_given();

  /// The steps of earlier passes that acceleration goes on from, beside the image; empty without it.
  std::vector<ShardedVolume> earlier_steps() const;
  /// After start_given(): as if `count` such steps had been made, which `fill` writes into the volumes that it is
  /// given.
  void take_up_steps(int count, std::function<void(int step, ShardedVolume const&)> const& fill);

  /// Passes until the change falls below options.stop_threshold_change_pct. `observe` is called after each; what it
  /// throws ends the run. Without a new start the run goes on where the last one stopped, with its error sinogram.
  /// \throws InputError when image or error are not finite any more.
  VCDResult iterate(VCDPasses const& passes = {}, std::function<void(IterationStats const&)> const& observe = {});

 private:
  double start(InitialImage initial, RedundancyOptions const& direct);
  void make_finer(int first);

  PreparedScan& scan_;
  Prior const& prior_;
  VCDOptions options_;
  std::vector<VCDPass> passes_;
  int first_iteration_;
  std::vector<SubsetPlan> plans_;            ///< until the solver has them
  std::optional<ShardedSinogram> sinogram_;  ///< y; nothing when it was used up
  VCDState state_;
  std::unique_ptr<VCDSolver> solver_;  ///< made after the first start, which needs memory of its own
};

}  // namespace strata
