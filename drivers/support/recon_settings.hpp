/// Section `reconstruction` of a deck.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/io/deck.hpp"
#include "core/solver/redundancy_weights.hpp"
#include "core/solver/vcd_schedule.hpp"
#include "core/solver/vcd_types.hpp"
#include "prior/qggmrf.hpp"

namespace strata {

/// Partitions and orders recorded in a file, to be run again.
struct Replay {
  std::string file;
  std::string group;  ///< holds partition_XX
  std::string run;    ///< holds partition_sequence, subset_order and attributes sigma_y, sigma_x ...
};

struct ReconSettings {
  std::string algorithm = "vcd";  ///< fbp, fdk, direct, vcd or prox
  VCDOptions vcd;                 ///< sigma_y is filled in later
  ScheduleParams schedule;
  QGGMRFParams prior;  ///< sigma_x is filled in later
  RedundancyOptions direct;
  Choice coarse_start = Choice::off;  ///< automatic: where the geometry asks for it, see reason_for_coarse_start()
  bool default_subsets = false;       ///< the deck says nothing about how many subsets there shall be
  double sharpness = 1;
  double snr_db = 30;
  bool slice_mean_damping = false;  ///< damp the mean of each slice as the geometry says, where it does
  std::optional<double> sigma_y, sigma_x, sigma_prox;  ///< given: not chosen automatically
  std::optional<Replay> replay;

  bool iterative() const { return algorithm == "vcd" || algorithm == "prox"; }
};

/// Reads the section; a replay's attributes are defaults for what the deck does not give. `geometry`: the scan's type,
/// since defaults of translations are others.
/// \throws InputError for impossible values.
ReconSettings read_recon_settings(DeckSection const& reconstruction, std::string const& geometry = "");

/// The recorded schedule of settings.replay, at most schedule.max_iterations passes.
/// \throws InputError when the file does not hold what a replay needs.
VCDSchedule read_replay(ReconSettings const& settings, int num_pixels);

}  // namespace strata
