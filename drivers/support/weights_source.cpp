#include "drivers/support/weights_source.hpp"

#include <algorithm>
#include <functional>

#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/io/sharded_io.hpp"

namespace strata {
namespace {

MetalSource read_metal(DeckSection const& entry) {
  MetalSource source;
  auto& options = source.options;
  options.beta = entry.get("beta", options.beta);
  if (options.beta <= 0) entry.fail("beta", text("expected a number above 0, got ", options.beta));
  options.gamma = entry.get("gamma", options.gamma);
  if (options.gamma < 0) entry.fail("gamma", text("expected a number that is not negative, got ", options.gamma));
  options.threshold = entry.find<double>("threshold");
  source.image = find_dataset(entry, "image", "/recon");
  return source;
}

HuberSource read_huber(DeckSection const& entry) {
  HuberSource source;
  auto& options = source.options;
  options.threshold = entry.get("threshold", options.threshold);
  if (options.threshold <= 0) entry.fail("threshold", text("expected a number above 0, got ", options.threshold));
  options.delta = entry.get("delta", options.delta);
  if (options.delta < 0 || options.delta > 1)
    entry.fail("delta", text("expected a number in [0, 1], got ", options.delta));
  options.clipped_scale = entry.choice("scale", {"all", "inliers"}, "all") == "inliers";
  source.rounds = entry.get("rounds", source.rounds);
  if (source.rounds < 1) entry.fail("rounds", text("expected at least 1, got ", source.rounds));
  return source;
}

/// What `entry`, the map at section[key], says beside masks.
void read_base(DeckSection const& section, std::string const& key, DeckSection const& entry, WeightsSource& source) {
  if (entry.has("file")) {
    source.base = require_dataset(section, key, "/weights");
    return;
  }
  if (!entry.has("type")) return;
  std::vector<std::string> types{"unweighted", "transmission", "transmission_root", "emission", "metal"};
  if (!source.huber) types.emplace_back("huber");
  auto const type = entry.require_choice("type", types);
  if (type == "metal") {
    source.base = read_metal(entry);
  } else if (type == "huber") {
    source.huber = read_huber(entry);
    if (!entry.has("base")) return;
    if (entry.kind("base") != DeckSection::Kind::section) entry.fail("base", "expected {file:, dataset:} or {type:}");
    read_base(entry, "base", entry.section("base"), source);
  } else if (type != "unweighted") {
    source.base = parse_weight_model(type);
  }
}

std::vector<int> read_masked_views(DeckSection const& entry, int num_views) {
  auto const views = entry.get("masked_views", std::vector<int>{});
  for (int const view : views)
    if (view < 0 || view >= num_views)
      entry.fail("masked_views", text("expected views from 0 to ", num_views - 1, ", got ", view));
  return views;
}

std::vector<bool> read_dead_pixels(DatasetName const& name) {
  auto const values = Hdf5File(name.file).read<float>(name.dataset);
  std::vector<bool> dead(values.size());
  std::transform(values.begin(), values.end(), dead.begin(), [](float value) { return value != 0; });
  return dead;
}

void fill_from_file(TomographyModel const& model, DatasetName const& name, WeightModel const* function,
                    ShardedSinogram const& weights) {
  WeightCheck check;
  read_sinogram(Hdf5File(name.file), name.dataset, model.sinogram_layout(), weights, [&](std::span<float> part) {
    if (function) compute_weights(*function, part, part);
    check.add(part);
  });
  check.finish();
}

void fill_metal(TomographyModel const& model, MetalSource const& source, ShardedSinogram const& y,
                ShardedSinogram const& weights) {
  std::optional<ShardedVolume> image;
  if (source.image) {
    image = model.make_volume("image");
    load_image(model, *source.image, *image);
  }
  double const threshold = metal_weights(model, source.options, y, image ? &*image : nullptr, weights);
  log::info("weights: ", image ? "rays through voxels above " : "line integrals above ", threshold,
            source.options.threshold ? "" : " (Otsu)", " count as rays through metal");
}

void leave_out(TomographyModel const& model, WeightsSource const& source, ShardedSinogram const& weights) {
  if (!source.dead_pixels && source.masked_views.empty()) return;
  auto const dead = source.dead_pixels ? read_dead_pixels(*source.dead_pixels) : std::vector<bool>();
  leave_out_rays(model.sinogram_layout(), dead, source.masked_views, weights);
  SinogramSums const sums(weights.placement, model.sinogram_layout().rows);
  require(sum(sums, model.sinogram_layout(), weights) > 0,
          "weights: at least one must be above 0, all are 0 without the dead pixels and masked views");
  log::info("weights: left out ", std::count(dead.begin(), dead.end(), true), " detector pixels and ",
            source.masked_views.size(), " views");
}

/// Says in what `make` complains about where its values came from.
void naming(DatasetName const& from, std::function<void()> const& make) {
  try {
    make();
  } catch (InputError const& error) {
    throw InputError(text("input.weights (", from.file, ", dataset ", from.dataset, "): ", error.what()));
  }
}

}  // namespace

bool WeightsSource::given() const {
  return !std::holds_alternative<std::monostate>(base) || huber || dead_pixels || !masked_views.empty();
}

std::vector<DatasetName> WeightsSource::files() const {
  std::vector<DatasetName> names;
  if (auto const* file = std::get_if<DatasetName>(&base)) names.push_back(*file);
  if (auto const* metal = std::get_if<MetalSource>(&base); metal && metal->image) names.push_back(*metal->image);
  if (dead_pixels) names.push_back(*dead_pixels);
  return names;
}

WeightsSource read_weights_source(DeckSection const& input, SinogramShape const& sinogram) {
  WeightsSource source;
  if (!input.has("weights")) return source;
  if (input.kind("weights") != DeckSection::Kind::section)
    input.fail("weights", "expected {file:, dataset:} or {type:}");
  DeckSection const entry = input.section("weights");
  source.dead_pixels = find_dataset(entry, "dead_pixels", "/dead_pixels");
  source.masked_views = read_masked_views(entry, sinogram.num_views);
  bool const masks = source.dead_pixels || !source.masked_views.empty();
  if (!masks && !entry.has("file") && !entry.has("type"))
    input.fail("weights", "expected {file:, dataset:} or {type:}");
  read_base(input, "weights", entry, source);
  return source;
}

void require_shapes(WeightsSource const& source, SinogramShape const& sinogram, ReconShape const& recon) {
  if (auto const* file = std::get_if<DatasetName>(&source.base)) require_sinogram_shape(*file, sinogram);
  if (auto const* metal = std::get_if<MetalSource>(&source.base); metal && metal->image)
    require_image(*metal->image, recon);
  if (source.dead_pixels)
    Hdf5File(source.dead_pixels->file)
        .require_shape(source.dead_pixels->dataset, {sinogram.num_det_rows, sinogram.num_det_channels},
                       "det rows, channels");
}

void read_weights(TomographyModel const& model, DatasetName const& name, ShardedSinogram const& weights) {
  naming(name, [&] { fill_from_file(model, name, nullptr, weights); });
}

std::optional<ShardedSinogram> load_weights(TomographyModel const& model, WeightsSource const& source,
                                            DatasetName const& name, ShardedSinogram const& y) {
  if (!source.given()) return std::nullopt;
  auto const weights = model.make_sinogram("weights");
  auto const* file = std::get_if<DatasetName>(&source.base);
  auto const& from = file ? *file : name;
  naming(from, [&] {
    if (auto const* metal = std::get_if<MetalSource>(&source.base))
      fill_metal(model, *metal, y, weights);
    else if (std::holds_alternative<std::monostate>(source.base))
      fill(model.sinogram_layout(), weights, 1);
    else
      fill_from_file(model, from, std::get_if<WeightModel>(&source.base), weights);
    leave_out(model, source, weights);
  });
  return weights;
}

}  // namespace strata
