/// strata_preprocess: raw projections, flats and darks to line integrals and angles.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>

#include "core/base/interrupt.hpp"
#include "core/base/log.hpp"
#include "core/base/progress.hpp"
#include "core/io/hdf5_writer.hpp"
#include "core/io/preview.hpp"
#include "core/solver/weights.hpp"
#include "drivers/support/centre.hpp"
#include "drivers/support/program.hpp"
#include "drivers/support/scan.hpp"
#include "drivers/support/stripes.hpp"

namespace strata {
namespace {

ProgramInfo const program = {
    .name = "strata_preprocess",
    .summary = "Raw projections, flats and darks to a sinogram of line integrals, without stripes.",
    .uses_devices = false,
    .default_output = "sinogram.h5",
    .sections = {"preprocess"},
    .inputs = {"scan", "line_integrals", "projections", "flats", "darks", "angles"}};

struct CentreChoice {
  enum class Kind { none, find, given } kind = Kind::none;
  double channel = 0;  ///< of the wanted part
};

/// Section `preprocess`, without the crop.
struct PreprocessOptions {
  FrameAverage average = FrameAverage::mean;
  double min_transmission = 1e-5;
  std::vector<DetectorPixel> defective;  ///< of the wanted part
  std::optional<StripeWindow> stripes;   ///< how to find stripes, none to leave them
  CentreChoice centre;
  std::string weights;  ///< none or the name of a WeightModel
};

std::vector<DetectorPixel> read_defective(DeckSection const& section, Scan const& scan) {
  std::vector<DetectorPixel> pixels;
  for (auto const& pair : section.get<std::vector<std::vector<double>>>("defective_pixels", {})) {
    bool const good = pair.size() == 2 && pair[0] == std::floor(pair[0]) && pair[1] == std::floor(pair[1]) &&
                      pair[0] >= 0 && pair[0] < scan.full.num_det_rows && pair[1] >= 0 &&
                      pair[1] < scan.full.num_det_channels;
    if (!good)
      section.fail("defective_pixels",
                   text("expected pairs [row, channel] on the detector of ", scan.full.num_det_rows, " rows x ",
                        scan.full.num_det_channels, " channels, got [", joined(pair), "]"));
    DetectorPixel const pixel{static_cast<int>(pair[0]) - scan.part.rows.begin,
                              static_cast<int>(pair[1]) - scan.part.channels.begin};
    bool const wanted = pixel.row >= 0 && pixel.row < scan.part.rows.size() && pixel.channel >= 0 &&
                        pixel.channel < scan.part.channels.size();
    if (wanted) pixels.push_back(pixel);
  }
  return pixels;
}

CentreChoice read_centre(DeckSection const& section, Scan const& scan) {
  if (section.kind("centre") != DeckSection::Kind::number) {
    bool const find = section.choice("centre", {"find", "none"}, "none") == "find";
    return {find ? CentreChoice::Kind::find : CentreChoice::Kind::none, 0};
  }
  double const channel = section.require<double>("centre");
  return {CentreChoice::Kind::given, channel - scan.part.channels.begin};
}

std::optional<StripeWindow> read_stripe_removal(DeckSection const& preprocess) {
  if (!preprocess.has("stripe_removal")) return std::nullopt;
  auto const section = preprocess.section("stripe_removal");
  bool const wanted = section.choice("method", {"none", "mean"}, "mean") == "mean";
  auto const window = section.get<std::vector<int>>("window", {5, 21});
  auto const is_odd = [](int extent) { return extent >= 1 && extent % 2 == 1; };
  if (window.size() != 2 || !is_odd(window[0]) || !is_odd(window[1]))
    section.fail("window", text("expected odd numbers [rows, channels], got [", joined(window), "]"));
  return wanted ? std::optional(StripeWindow{window[0], window[1]}) : std::nullopt;
}

PreprocessOptions read_options(DeckSection const& section, Scan const& scan) {
  PreprocessOptions options;
  for (char const* key : {"frame_average", "min_transmission"})
    if (scan.line_integrals && section.has(key))
      section.fail(key, "expected with counts only, the scan is given as input.line_integrals");
  options.average = parse_frame_average(section.choice("frame_average", {"mean", "median"}, "mean"));
  options.min_transmission = section.get("min_transmission", 1e-5);
  if (!(options.min_transmission > 0 && options.min_transmission < 1))
    section.fail("min_transmission", text("expected more than 0 and less than 1, got ", options.min_transmission));
  options.defective = read_defective(section, scan);
  options.stripes = read_stripe_removal(section);
  options.centre = read_centre(section, scan);
  options.weights =
      section.choice("weights", {"none", "unweighted", "transmission", "transmission_root", "emission"}, "none");
  return options;
}

/// The detector rows that are kept in memory for all views: some for the rotation axis, the middle one as preview.
class KeptRows {
 public:
  explicit KeptRows(SinogramShape const& shape) : shape_(shape), count_(std::min(shape.num_det_rows, 8)) {
    values_.resize(static_cast<std::size_t>(kept_shape().size()));
    middle_.resize(static_cast<std::size_t>(Index(shape.num_views) * shape.num_det_channels));
  }

  /// Views [views.begin, views.end) in `batch` [view][row][channel].
  void add(Range views, std::span<float const> batch) {
    for (int v = views.begin; v < views.end; ++v) {
      for (int k = 0; k < count_; ++k) copy(batch, v - views.begin, row_of(k), values_, Index(v) * count_ + k);
      copy(batch, v - views.begin, shape_.num_det_rows / 2, middle_, v);
    }
  }

  SinogramShape kept_shape() const { return {shape_.num_views, count_, shape_.num_det_channels}; }
  std::vector<float> const& values() const { return values_; }
  std::vector<float> const& middle() const { return middle_; }

 private:
  int row_of(int k) const { return static_cast<int>((k + 0.5) * shape_.num_det_rows / count_); }
  void copy(std::span<float const> batch, int view, int row, std::vector<float>& target, Index line) const {
    Index const channels = shape_.num_det_channels;
    auto const* const source = batch.data() + (Index(view) * shape_.num_det_rows + row) * channels;
    std::copy_n(source, channels, target.data() + line * channels);
  }

  SinogramShape shape_;
  int count_;
  std::vector<float> values_;
  std::vector<float> middle_;
};

/// Counts that cannot be counts of photons with these flats.
void warn_about_counts(std::span<float const> counts, double mean_flat) {
  double largest = 0;
  double smallest = 0;
  for (float const value : counts) {
    if (std::isfinite(value)) largest = std::max(largest, double(value));
    if (std::isfinite(value)) smallest = std::min(smallest, double(value));
  }
  if (largest < 20 && mean_flat > 0.5 && mean_flat < 2)
    log::warn("the projections do not look like counts: they lie in [", smallest, ", ", largest, "] and the flats at ",
              mean_flat, "; are they transmissions or line integrals already?");
  if (largest > 4 * mean_flat)
    log::warn("the projections reach ", largest, ", the flats only ", mean_flat, " on average");
}

LineIntegrals make_line_integrals(Scan const& scan, PreprocessOptions const& options, double& mean_flat) {
  FlatField field;
  field.num_rows = scan.part.rows.size();
  field.num_channels = scan.part.channels.size();
  field.flat = average_of(scan.flats, scan.part, options.average);
  if (scan.darks) field.dark = average_of(*scan.darks, scan.part, options.average);
  field.defective = options.defective;
  field.min_transmission = options.min_transmission;
  mean_flat = 0;
  for (float const value : field.flat) mean_flat += std::isfinite(value) ? value : 0;
  mean_flat /= static_cast<double>(field.flat.size());
  return LineIntegrals(std::move(field));
}

int views_in_a_batch(SinogramShape const& shape) {
  constexpr Index max_values = Index(1) << 22;
  Index const view_values = Index(shape.num_det_rows) * shape.num_det_channels;
  return static_cast<int>(std::clamp<Index>(max_values / view_values, 1, shape.num_views));
}

/// Line integrals of the wanted views, batch by batch, as often as needed.
class SinogramSource {
 public:
  SinogramSource(Scan const& scan, PreprocessOptions const& options, Provenance& provenance)
      : scan_(scan), shape_(scan.part.shape()), defective_(options.defective), provenance_(provenance) {
    PhaseTimer const timer(provenance, Phase::read);
    if (!scan.line_integrals) converter_.emplace(make_line_integrals(scan, options, mean_flat_));
  }

  /// Calls use(views, values [view][row][channel]) for one batch after the other.
  template <class Use>
  void for_each_batch(std::string const& name, Use const& use) {
    int const step = views_in_a_batch(shape_);
    Index const view_values = Index(shape_.num_det_rows) * shape_.num_det_channels;
    std::vector<float> batch(static_cast<std::size_t>(step * view_values));
    counts_ = {};
    Progress progress(name, shape_.num_views);
    for (int begin = 0; begin < shape_.num_views; begin += step) {
      check_interrupt();
      Range const views{begin, std::min(begin + step, shape_.num_views)};
      std::span<float> const values(batch.data(), static_cast<std::size_t>(views.size() * view_values));
      read(views, values);
      use(views, values);
      progress.update(views.end);
    }
  }

  void report() const {
    if (!converter_) return log::info(counts_.converted, " line integrals: ", counts_.interpolated, " interpolated");
    log::info(counts_.converted, " values: ", counts_.clipped, " clipped to min_transmission, ", counts_.interpolated,
              " interpolated, ", converter_->num_dead_pixels(), " dead or defective pixels");
    double const clipped = static_cast<double>(counts_.clipped) / static_cast<double>(counts_.converted);
    if (clipped > 0.01)
      log::warn(100 * clipped,
                " % of the transmissions were below min_transmission: flats, darks or projections are off");
  }

 private:
  void read(Range views, std::span<float> values) {
    {
      PhaseTimer const timer(provenance_, Phase::read);
      read_views(scan_, views, values.data());
    }
    PhaseTimer const timer(provenance_, Phase::compute);
    if (!converter_) return repair(values);
    if (views.begin == 0) warn_about_counts(values, mean_flat_);
    converter_->convert(values, counts_);
  }

  /// Line integrals of defective pixels, and those that are not finite, from their neighbours.
  void repair(std::span<float> values) {
    std::size_t const view_values = static_cast<std::size_t>(Index(shape_.num_det_rows) * shape_.num_det_channels);
    std::vector<std::uint8_t> good(view_values);
    for (std::size_t begin = 0; begin < values.size(); begin += view_values) {
      auto const view = values.subspan(begin, view_values);
      std::ranges::transform(view, good.begin(), [](float value) { return std::isfinite(value); });
      for (auto const& pixel : defective_)
        good[static_cast<std::size_t>(Index(pixel.row) * shape_.num_det_channels + pixel.channel)] = 0;
      auto const bad = std::ranges::count(good, std::uint8_t{0});
      require(bad < std::ssize(good), "preprocess: a view must have a finite line integral in a pixel that is not ",
              "defective, view ", counts_.converted / std::ssize(good), " has none");
      if (bad > 0) interpolate_from_neighbours(view, good, shape_.num_det_rows, shape_.num_det_channels);
      counts_.interpolated += bad;
      counts_.converted += std::ssize(good);
    }
  }

  Scan const& scan_;
  SinogramShape shape_;
  std::vector<DetectorPixel> const& defective_;
  Provenance& provenance_;
  double mean_flat_ = 0;
  std::optional<LineIntegrals> converter_;
  PreprocessCounts counts_;
};

/// What each pixel reads too much in all views: [row][channel].
std::vector<float> find_stripes(SinogramSource& source, SinogramShape const& shape, StripeWindow window) {
  StripeFinder finder(shape.num_det_rows, shape.num_det_channels);
  source.for_each_batch("stripes", [&](Range, std::span<float> values) { finder.add(values); });
  auto stripes = finder.stripes(window);
  double squares = 0;
  for (float const value : stripes) squares += double(value) * value;
  log::info("stripes: ", std::sqrt(squares / static_cast<double>(stripes.size())), " rms against a window of ",
            window.num_rows, " rows x ", window.num_channels, " channels");
  return stripes;
}

void write_views(AtomicHdf5Writer& writer, Scan const& scan, PreprocessOptions const& options, KeptRows& kept,
                 Provenance& provenance) {
  SinogramShape const shape = scan.part.shape();
  Hdf5Shape const extents = {shape.num_views, shape.num_det_rows, shape.num_det_channels};
  SinogramSource source(scan, options, provenance);
  std::vector<float> stripes;
  if (options.stripes) stripes = find_stripes(source, shape, *options.stripes);
  writer.create_dataset<float>("/sinogram", extents);
  if (options.weights != "none") writer.create_dataset<float>("/weights", extents);

  source.for_each_batch("preprocess", [&](Range views, std::span<float> values) {
    Hdf5Shape const offset = {views.begin, 0, 0};
    Hdf5Shape const count = {views.size(), shape.num_det_rows, shape.num_det_channels};
    {
      PhaseTimer const timer(provenance, Phase::compute);
      if (!stripes.empty()) subtract_stripes(values, stripes);
      kept.add(views, values);
    }
    if (views.begin == 0) {
      auto const doubt = doubt_about_line_integrals(values, shape.num_det_channels);
      if (!doubt.empty()) log::warn(doubt);
    }
    PhaseTimer const timer(provenance, Phase::write);
    writer.write_slab("/sinogram", offset, count, values.data());
    if (options.weights == "none") return;
    compute_weights(parse_weight_model(options.weights), values, values);
    writer.write_slab("/weights", offset, count, values.data());
  });
  source.report();
}

/// Channel of the rotation axis in the wanted part, if known.
std::optional<double> axis_channel(CentreChoice const& choice, KeptRows const& kept, Scan const& scan) {
  if (choice.kind == CentreChoice::Kind::none) return std::nullopt;
  if (choice.kind == CentreChoice::Kind::given) return choice.channel;
  CentreEstimate const estimate = find_centre({kept.values(), kept.kept_shape(), scan.angles});
  log::info("rotation axis at channel ", estimate.channel, " (opposite views ", estimate.registration,
            ", centre of mass ", estimate.truncated ? text("not used") : text(estimate.centre_of_mass), ")");
  if (estimate.doubtful)
    log::warn("the rotation axis is doubtful: look at the reconstruction, or give preprocess.centre");
  return estimate.channel;
}

void write_attributes(AtomicHdf5Writer& writer, Scan const& scan, PreprocessOptions const& options,
                      std::optional<double> axis) {
  writer.set_attribute("/sinogram", "axes", "view, det_row, channel");
  if (options.weights != "none") writer.set_attribute("/weights", "axes", "view, det_row, channel");
  writer.write("/angles", {Index(scan.angles.size())}, scan.angles);
  writer.set_attribute("/angles", "units", "rad");
  if (!axis) return;
  double const offset = *axis - (scan.part.channels.size() - 1) / 2.0;
  writer.set_attribute("/sinogram", "centre_channel", *axis);
  writer.set_attribute("/sinogram", "det_channel_offset", offset);
  log::info("det_channel_offset ", offset, " x delta_det_channel");
}

std::string preview_path(std::string const& output, std::string const& what) {
  std::filesystem::path path(output);
  return path.replace_extension().string() + "_" + what + ".png";
}

void preprocess(ProgramContext& context) {
  Scan const scan = open_scan(context.deck());
  auto const options = read_options(context.deck().section("preprocess"), scan);
  for (auto const& file : scan.files) context.require_not_output(file);
  context.start_run();
  SinogramShape const shape = scan.part.shape();
  log::info(scan.line_integrals ? "line integrals " : "projections ",
            shape_text(std::vector{scan.full.num_views, scan.full.num_det_rows, scan.full.num_det_channels}), ", ",
            scan.flats.num_frames, " flats, ", scan.darks ? scan.darks->num_frames : 0, " darks -> sinogram ",
            shape_text(std::vector{shape.num_views, shape.num_det_rows, shape.num_det_channels}),
            " [view][det_row][channel]");
  if (context.check_only()) {
    KeptRows const kept(shape);
    double const bytes = 4.0 * double(views_in_a_batch(shape)) * shape.num_det_rows * shape.num_det_channels +
                         4.0 * double(kept.values().size() + kept.middle().size()) +
                         32.0 * shape.num_det_rows * shape.num_det_channels;
    log::info("memory: about ", bytes_text(bytes), " on the host, none on devices; output ",
              bytes_text(4.0 * double(shape.size()) * (options.weights == "none" ? 1 : 2)));
    return;
  }

  AtomicHdf5Writer writer(context.output().file);
  KeptRows kept(shape);
  write_views(writer, scan, options, kept, context.provenance());
  std::optional<double> axis;
  {
    PhaseTimer const timer(context.provenance(), Phase::compute);
    axis = axis_channel(options.centre, kept, scan);
  }
  PhaseTimer const timer(context.provenance(), Phase::write);
  write_attributes(writer, scan, options, axis);
  if (context.output().previews)
    write_preview(preview_path(context.output().file, text("row", scan.part.rows.begin + shape.num_det_rows / 2)),
                  kept.middle(), shape.num_views, shape.num_det_channels);
  context.write_provenance(writer);
  writer.commit();
  log::info("wrote ", context.output().file);
  context.log_summary();
}

}  // namespace
}  // namespace strata

int main(int argc, char** argv) {
  return strata::run_program(argc, argv, strata::program, strata::preprocess);
}
