#include "drivers/support/recon_settings.hpp"

#include "core/base/error.hpp"
#include "core/io/hdf5_file.hpp"
#include "core/solver/schedule.hpp"
#include "drivers/support/prior_settings.hpp"

namespace strata {
namespace {

/// Attributes of a replay's run, or nothing.
class RunAttributes {
 public:
  explicit RunAttributes(std::optional<Replay> const& replay) {
    if (!replay) return;
    file_.emplace(replay->file);
    run_ = replay->run;
    if (!file_->has(run_))
      throw InputError(
          text(replay->file, ": expected group ", run_, " (reconstruction.partitions.run), there is none"));
  }

  double number(std::string const& name, double fallback) const {
    return file_ && file_->has_attribute(run_, name) ? file_->number_attribute(run_, name) : fallback;
  }
  std::optional<double> number(std::string const& name) const {
    if (!file_ || !file_->has_attribute(run_, name)) return std::nullopt;
    return file_->number_attribute(run_, name);
  }
  std::vector<double> numbers(std::string const& name, std::vector<double> const& fallback) const {
    return file_ && file_->has_attribute(run_, name) ? file_->numbers_attribute(run_, name) : fallback;
  }

 private:
  std::optional<Hdf5File> file_;
  std::string run_;
};

std::optional<Replay> read_replay_key(DeckSection const& reconstruction) {
  if (!reconstruction.has("partitions")) return std::nullopt;
  DeckSection const section = reconstruction.section("partitions");
  return Replay{section.require_path("file"), section.get("group", "/partitions"), section.require<std::string>("run")};
}

double at_least(DeckSection const& section, char const* key, double value, double lowest, bool or_equal) {
  bool const fine = or_equal ? value >= lowest : value > lowest;
  if (!fine) section.fail(key, text("expected a number ", or_equal ? ">= " : "> ", lowest, ", got ", value));
  return value;
}

std::optional<double> given_sigma(DeckSection const& section, char const* key, std::optional<double> recorded) {
  auto const given = section.find<double>(key);
  if (!given) return recorded;
  at_least(section, key, *given, 0, false);
  return given;
}

/// auto, true or false.
Choice read_choice(DeckSection const& section, char const* key, Choice automatic) {
  if (section.kind(key) == DeckSection::Kind::boolean) return section.require<bool>(key) ? Choice::on : Choice::off;
  section.choice(key, {"auto"}, "auto");
  return automatic;
}

QGGMRFParams read_prior(DeckSection const& section, RunAttributes const& run, bool translation) {
  QGGMRFParams prior;
  prior.p = run.number("p", prior.p);
  prior.q = run.number("q", prior.q);
  prior.T = run.number("T", prior.T);
  auto const weights = run.numbers("qggmrf_nbr_wts", {translation ? 0.1 : 1, 1, 1});
  if (weights.size() != 3)
    section.fail("partitions", text("attribute qggmrf_nbr_wts: expected three numbers, found ", weights.size()));
  prior.nbr_wts = {weights[0], weights[1], weights[2]};
  return read_qggmrf(section, prior);
}

/// Acceleration and the tests that end a run. The change of the image says little about how far a run is, so
/// accelerated runs look at the objective alone unless the deck says otherwise. What follows the reference, or a record
/// of passes, has none.
void read_acceleration(DeckSection const& section, RunAttributes const& run, bool replay, VCDOptions& vcd) {
  char const* const usual = vcd.reference_mode || replay ? "none" : "subspace";
  bool const subspace = section.choice("acceleration", {"none", "subspace"}, usual) == "subspace";
  if (subspace && vcd.reference_mode)
    section.fail("acceleration", "expected none together with reference_mode: the reference has no acceleration");
  vcd.acceleration = subspace ? Acceleration::subspace : Acceleration::none;
  vcd.acceleration_directions = section.get("acceleration_directions", 1);
  if (vcd.acceleration_directions != 1 && vcd.acceleration_directions != 2)
    section.fail("acceleration_directions", text("expected 1 or 2, got ", vcd.acceleration_directions));
  double const change = replay ? run.number("stop_threshold_change_pct", 0) : (subspace ? 0 : 0.2);
  vcd.stop_threshold_change_pct =
      at_least(section, "stop_threshold_change_pct", section.get("stop_threshold_change_pct", change), 0, true);
  double const excess = subspace && !replay ? 0.1 : 0;
  vcd.stop_excess_pct = at_least(section, "stop_excess_pct", section.get("stop_excess_pct", excess), 0, true);
  vcd.compute_prior_loss = section.get("compute_prior_loss", false);
  vcd.compute_objective = vcd.stop_excess_pct > 0 || (vcd.compute_prior_loss && !vcd.reference_mode);
}

ScheduleParams read_schedule(DeckSection const& section, VCDOptions const& vcd, RunAttributes const& run) {
  ScheduleParams schedule;
  bool const accelerated = vcd.acceleration != Acceleration::none;
  // An accelerated run ends when it has converged; the number only guards it.
  int const most = static_cast<int>(run.number("max_iterations", accelerated ? 50 : 15));
  schedule.max_iterations = section.get("max_iterations", most);
  // The orders of all passes are drawn before the first one.
  constexpr int most_iterations = 100'000;
  if (schedule.max_iterations < 0 || schedule.max_iterations > most_iterations)
    section.fail("max_iterations",
                 text("expected a number from 0 to ", most_iterations, ", got ", schedule.max_iterations));
  schedule.first_iteration = section.get("first_iteration", static_cast<int>(run.number("first_iteration", 0)));
  if (schedule.first_iteration < 0)
    section.fail("first_iteration", text("expected a number >= 0, got ", schedule.first_iteration));
  schedule.granularity = section.get("granularity", accelerated ? accelerated_granularity() : default_granularity());
  if (schedule.granularity.empty()) section.fail("granularity", "expected at least one number of subsets, got none");
  for (int const subsets : schedule.granularity)
    if (subsets < 1) section.fail("granularity", text("expected numbers of subsets of at least 1, got ", subsets));
  // A sequence that is given alone counts in the default granularity, and the other way round.
  schedule.partition_sequence =
      section.get("partition_sequence", accelerated ? accelerated_partition_sequence() : default_partition_sequence());
  if (schedule.partition_sequence.empty())
    section.fail("partition_sequence", "expected at least one index into granularity, got none");
  int const partitions = static_cast<int>(schedule.granularity.size());
  for (int const entry : schedule.partition_sequence)
    if (entry < 0 || entry >= partitions)
      section.fail("partition_sequence",
                   text("expected indices into granularity (0 to ", partitions - 1, "), got ", entry));
  int const seed = section.get("seed", 0);
  if (seed < 0) section.fail("seed", text("expected a number >= 0, got ", seed));
  schedule.seed = static_cast<std::uint32_t>(seed);
  schedule.mode = vcd.reference_mode ? PartitionMode::reference : PartitionMode::balanced;
  return schedule;
}

}  // namespace

ReconSettings read_recon_settings(DeckSection const& section, std::string const& geometry) {
  ReconSettings settings;
  settings.algorithm = section.choice("algorithm", {"fbp", "fdk", "direct", "vcd", "prox"}, "vcd");
  settings.replay = read_replay_key(section);
  RunAttributes const run(settings.replay);
  // Depth is resolved poorly by translations: rows hardly hold together, and steps are shorter.
  bool const translation = geometry == "translation";
  auto& vcd = settings.vcd;
  vcd.reference_mode = section.get("reference_mode", false);
  vcd.positivity_flag = section.get("positivity_flag", run.number("positivity_flag", 0) != 0);
  vcd.max_alpha = at_least(section, "max_alpha",
                           section.get("max_alpha", run.number("max_alpha", translation ? 1.3 : 1.5)), 0, false);
  read_acceleration(section, run, settings.replay.has_value(), vcd);
  // Whoever says how many subsets there shall be gets them.
  settings.default_subsets = !section.has("granularity") && !section.has("partition_sequence") && !settings.replay;
  bool const accelerated = vcd.acceleration != Acceleration::none;
  if (accelerated && settings.default_subsets) vcd.finer_below_alpha = 0.6;
  settings.coarse_start = read_choice(section, "coarse_start", accelerated ? Choice::automatic : Choice::off);
  settings.schedule = read_schedule(section, vcd, run);
  settings.prior = read_prior(section, run, translation);
  Choice const automatic = vcd.reference_mode ? Choice::off : Choice::automatic;
  settings.direct = {read_choice(section, "short_scan_weights", automatic),
                     read_choice(section, "offset_weights", automatic)};
  settings.slice_mean_damping = section.get("slice_mean_damping", vcd.reference_mode);
  if (settings.slice_mean_damping && vcd.positivity_flag && !vcd.reference_mode)
    section.fail("slice_mean_damping", "expected false together with positivity_flag: the two have no common minimum");
  settings.sharpness = section.get("sharpness", run.number("sharpness", 1));
  settings.snr_db = section.get("snr_db", run.number("snr_db", 30));
  settings.sigma_y = given_sigma(section, "sigma_y", run.number("sigma_y"));
  settings.sigma_x = given_sigma(section, "sigma_x", run.number("sigma_x"));
  settings.sigma_prox = given_sigma(section, "sigma_prox", run.number("sigma_prox"));
  return settings;
}

VCDSchedule read_replay(ReconSettings const& settings, int num_pixels) {
  Replay const& replay = *settings.replay;
  Hdf5File const file(replay.file);
  auto const sequence = file.read<int>(replay.run + "/partition_sequence");
  auto const order_name = replay.run + "/subset_order";
  auto const order_shape = file.shape(order_name);
  auto const orders = file.read<int>(order_name);
  require(order_shape.size() == 2, replay.file, ": dataset ", order_name, ": expected [iteration, position]");
  int const first = settings.schedule.first_iteration;
  VCDSchedule schedule;
  schedule.first_iteration = first;
  // A run that stopped early has a longer sequence than orders.
  int const recorded =
      static_cast<int>(std::min<std::int64_t>(order_shape[0], static_cast<std::int64_t>(sequence.size())));
  int const passes = std::min(recorded, settings.schedule.max_iterations - first);
  for (int pass = 0; pass < passes; ++pass) {
    int const index = sequence[pass];
    require(index >= 0 && index < 100, replay.file, ": dataset ", replay.run,
            "/partition_sequence: expected partition numbers from 0 to 99, found ", index);
    if (index >= static_cast<int>(schedule.partitions.size())) schedule.partitions.resize(index + 1);
    if (schedule.partitions[index].empty()) {
      auto const name = text(replay.group, "/partition_", index < 10 ? "0" : "", index);
      auto const shape = file.shape(name);
      require(shape.size() == 2, replay.file, ": dataset ", name, ": expected [subset, pixel]");
      auto const values = file.read<int>(name);
      std::vector<std::vector<int>> subsets(shape[0]);
      for (std::int64_t s = 0; s < shape[0]; ++s)
        subsets[s].assign(values.begin() + s * shape[1], values.begin() + (s + 1) * shape[1]);
      schedule.partitions[index] = given_partition(std::move(subsets), num_pixels);
    }
    VCDPass step{index, {}};
    for (std::int64_t k = 0; k < order_shape[1]; ++k) {
      int const subset = orders[pass * order_shape[1] + k];
      if (subset < 0) continue;
      require(subset < schedule.partitions[index].num_subsets(), replay.file, ": dataset ", order_name,
              ": expected subsets below ", schedule.partitions[index].num_subsets(), ", found ", subset);
      step.order.push_back(subset);
    }
    schedule.passes.push_back(std::move(step));
  }
  return schedule;
}

}  // namespace strata
