#include "drivers/support/scan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "geometries/deck_angles.hpp"

namespace strata {
namespace {

/// Each file is opened once.
class Files {
 public:
  std::shared_ptr<Hdf5File const> open(std::string const& path) {
    auto& file = files_[path];
    if (!file) file = std::make_shared<Hdf5File const>(path);
    return file;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (auto const& [path, file] : files_) names.push_back(path);
    return names;
  }

 private:
  std::map<std::string, std::shared_ptr<Hdf5File const>> files_;
};

/// Finds the parts of a scan.
class ScanOpener {
 public:
  explicit ScanOpener(Deck const& deck) : input_(deck.section("input")), preprocess_(deck.section("preprocess")) {}

  Scan open() {
    Scan scan;
    scan.line_integrals = input_.has("line_integrals");
    if (scan.line_integrals)
      open_line_integrals(scan);
    else
      open_counts(scan);
    auto const angles = read_all_angles(scan.full.num_views);
    scan.part = part(scan.full);
    for (int const view : scan.part.views) scan.angles.push_back(angles[static_cast<std::size_t>(view)]);
    scan.files = files_.names();
    if (input_.section("angles").has("file")) scan.files.push_back(*input_.section("angles").find_path("file"));
    return scan;
  }

 private:
  void open_counts(Scan& scan) {
    if (auto const path = input_.find_path("scan")) common_ = files_.open(*path);
    scan.projections = required("projections", "/exchange/data");
    scan.full = projections_shape(scan.projections);
    scan.flats = required("flats", "/exchange/data_white");
    fit(scan.flats, scan.full, "flats");
    scan.darks = stack("darks", "/exchange/data_dark", /*optional=*/true);
    if (scan.darks) fit(*scan.darks, scan.full, "darks");
    if (!scan.darks) log::warn("no darks: the detector is taken to read 0 without a beam");
  }

  void open_line_integrals(Scan& scan) {
    for (char const* key : {"scan", "projections", "flats", "darks"})
      if (input_.has(key)) input_.fail(key, "expected either counts or line_integrals, got both");
    auto const section = input_.section("line_integrals");
    scan.projections.file = files_.open(section.require_path("file"));
    scan.projections.dataset = section.require<std::string>("dataset");
    SinogramShape const stored = projections_shape(scan.projections);
    scan.axes = read_axes(section, scan.projections);
    std::array const extents{stored.num_views, stored.num_det_rows, stored.num_det_channels};
    auto const extent = [&](int axis) {
      return extents[static_cast<std::size_t>(scan.axes[static_cast<std::size_t>(axis)])];
    };
    scan.full = {extent(0), extent(1), extent(2)};
    scan.projections.num_frames = scan.full.num_views;
  }

  /// From the deck, else from the attribute `axes`, for example "view, det_row, channel".
  static ViewAxes read_axes(DeckSection const& section, FrameStack const& data) {
    std::vector<std::string> names = section.get<std::vector<std::string>>("axes", {});
    if (names.empty() && data.file->has_attribute(data.dataset, "axes")) {
      std::string attribute = data.file->string_attribute(data.dataset, "axes");
      std::ranges::replace(attribute, ',', ' ');
      std::istringstream words(attribute);
      for (std::string name; words >> name;) names.push_back(name);
    }
    ViewAxes axes{};
    std::array const expected{"view", "det_row", "channel"};
    for (std::size_t i = 0; i < 3; ++i) {
      auto const found = std::ranges::find(names, expected[i]);
      if (names.size() != 3 || found == names.end())
        section.fail("axes", text("expected the order of view, det_row and channel in the dataset, for example ",
                                  "[det_row, view, channel], got [", joined(names), "]"));
      axes[i] = static_cast<int>(found - names.begin());
    }
    return axes;
  }

  std::optional<FrameStack> stack(std::string const& key, std::string const& dxchange_name, bool optional) {
    auto const section = input_.section(key);
    auto const path = section.find_path("file");
    FrameStack found;
    found.file = path ? files_.open(*path) : common_;
    if (!found.file && optional && !section.exists()) return std::nullopt;
    if (!found.file) input_.fail(key, "missing, expected {file:, dataset:}, or input.scan with a DXchange file");
    found.dataset = section.get("dataset", dxchange_name);
    if (optional && !section.exists() && !found.file->has(found.dataset)) return std::nullopt;
    return found;
  }

  FrameStack required(std::string const& key, std::string const& dxchange_name) {
    return *stack(key, dxchange_name, /*optional=*/false);
  }

  static SinogramShape projections_shape(FrameStack& projections) {
    projections.file->require_shape(projections.dataset, {-1, -1, -1}, "view, det_row, channel");
    auto const shape = projections.file->shape(projections.dataset);
    for (auto const extent : shape)
      require(extent >= 1 && extent <= 1'000'000'000, projections.file->path(), ": dataset '", projections.dataset,
              "': expected views, rows and channels, got shape ", shape_text(shape));
    projections.num_frames = static_cast<int>(shape[0]);
    return {static_cast<int>(shape[0]), static_cast<int>(shape[1]), static_cast<int>(shape[2])};
  }

  static void fit(FrameStack& frames, SinogramShape const& full, std::string const& what) {
    frames.file->require_shape(frames.dataset, {-1, full.num_det_rows, full.num_det_channels},
                               what + ", det_row, channel as in the projections");
    frames.num_frames = static_cast<int>(frames.file->shape(frames.dataset)[0]);
    require(frames.num_frames >= 1, frames.file->path(), ": dataset '", frames.dataset,
            "': expected at least one of the ", what, ", got none");
  }

  /// rad, of all views in the file.
  std::vector<double> read_all_angles(int num_views) {
    auto const section = input_.section("angles");
    bool const given = section.has("file") || section.has("values") || section.has("start");
    auto const values = given ? read_angles(input_, "angles", num_views) : dxchange_angles(section, num_views);
    auto const [low, high] = std::ranges::minmax(values);
    if (high - low > 100)
      log::warn("the angles cover ", high - low, " rad, ", (high - low) / 6.283185307179586,
                " turns: are they in degrees?");
    if (num_views > 1 && high - low < 0.12)
      log::warn("the angles cover only ", high - low, " rad: are they in radians already?");
    return values;
  }

  std::vector<double> dxchange_angles(DeckSection const& section, int num_views) {
    if (!common_) input_.fail("angles", "missing, expected {file:, dataset:}, {start:, stop:, count:} or {values:}");
    std::string const name = section.get("dataset", "/exchange/theta");
    std::string const where = text(common_->path(), ": dataset '", name, "'");
    common_->require_shape(name, {num_views}, "one angle a view");
    std::string unit = section.has("unit") ? section.require_choice("unit", {"deg", "rad"}) : "";
    if (unit.empty() && common_->has_attribute(name, "units")) unit = common_->string_attribute(name, "units");
    require(!unit.empty(), where,
            ": expected an attribute units of degrees or radians, got none; give input.angles.unit");
    double const factor = radians_per(unit);
    require(factor != 0, where, ": expected units of degrees or radians, got '", unit, "'");
    auto values = common_->read<double>(name);
    for (double& value : values) {
      require(std::isfinite(value), where, ": expected finite angles, got ", value);
      value *= factor;
    }
    bool const all_equal = std::ranges::all_of(values, [&](double value) { return value == values[0]; });
    require(num_views == 1 || !all_equal, where, ": expected different angles, all ", num_views, " are ",
            values[0] / factor);
    return values;
  }

  /// [begin, end) of an axis with `extent` entries.
  Range range(std::string const& key, int extent) {
    auto const given = preprocess_.get<std::vector<int>>(key, {0, extent});
    if (given.size() != 2 || given[0] < 0 || given[1] <= given[0] || given[1] > extent)
      preprocess_.fail(key,
                       text("expected [begin, end] with 0 <= begin < end <= ", extent, ", got [", joined(given), "]"));
    return {given[0], given[1]};
  }

  ScanPart part(SinogramShape const& full) {
    ScanPart part{range("rows", full.num_det_rows), range("channels", full.num_det_channels), {}};
    auto const given = preprocess_.get<std::vector<int>>("views", {0, full.num_views, 1});
    bool const good =
        given.size() == 3 && given[0] >= 0 && given[1] > given[0] && given[1] <= full.num_views && given[2] >= 1;
    if (!good)
      preprocess_.fail("views", text("expected [begin, end, step] with 0 <= begin < end <= ", full.num_views,
                                     " and step at least 1, got [", joined(given), "]"));
    for (int view = given[0]; view < given[1]; view += given[2]) part.views.push_back(view);
    return part;
  }

  DeckSection input_;
  DeckSection preprocess_;
  Files files_;
  std::shared_ptr<Hdf5File const> common_;
};

}  // namespace

Scan open_scan(Deck const& deck) {
  return ScanOpener(deck).open();
}

std::vector<float> average_of(FrameStack const& stack, ScanPart const& part, FrameAverage average) {
  constexpr Index max_values = Index(1) << 23;
  Index const row_values = Index(stack.num_frames) * part.channels.size();
  int const band = static_cast<int>(std::clamp<Index>(max_values / row_values, 1, part.rows.size()));
  std::vector<float> frames(static_cast<std::size_t>(row_values * band));
  std::vector<float> result;
  for (int row = part.rows.begin; row < part.rows.end; row += band) {
    int const rows = std::min(band, part.rows.end - row);
    frames.resize(static_cast<std::size_t>(row_values * rows));
    stack.file->read_slab(stack.dataset, {0, row, part.channels.begin}, {stack.num_frames, rows, part.channels.size()},
                          frames.data());
    auto const mean = average_frames(frames, stack.num_frames, average);
    result.insert(result.end(), mean.begin(), mean.end());
  }
  return result;
}

namespace {

/// Wanted views that stand at [first, first + count) in the file: out [view][row][channel].
void read_neighbours(Scan const& scan, int first, int count, float* out) {
  ScanPart const& part = scan.part;
  std::array<std::int64_t, 3> const begin{first, part.rows.begin, part.channels.begin};
  std::array<std::int64_t, 3> const extent{count, part.rows.size(), part.channels.size()};
  Hdf5Shape offset(3);
  Hdf5Shape box(3);
  for (std::size_t i = 0; i < 3; ++i) {
    offset[static_cast<std::size_t>(scan.axes[i])] = begin[i];
    box[static_cast<std::size_t>(scan.axes[i])] = extent[i];
  }
  auto const& file = scan.projections.file;
  auto const& dataset = scan.projections.dataset;
  if (scan.axes == ViewAxes{0, 1, 2}) return file->read_slab(dataset, offset, box, out);
  std::vector<float> values(static_cast<std::size_t>(extent[0] * extent[1] * extent[2]));
  file->read_slab(dataset, offset, box, values.data());
  std::array<std::int64_t, 3> const file_stride{box[1] * box[2], box[2], 1};
  auto const stride = [&](std::size_t i) { return file_stride[static_cast<std::size_t>(scan.axes[i])]; };
  for (std::int64_t v = 0; v < extent[0]; ++v)
    for (std::int64_t r = 0; r < extent[1]; ++r)
      for (std::int64_t c = 0; c < extent[2]; ++c)
        *out++ = values[static_cast<std::size_t>(v * stride(0) + r * stride(1) + c * stride(2))];
}

}  // namespace

void read_views(Scan const& scan, Range views, float* out) {
  ScanPart const& part = scan.part;
  SinogramShape const shape = part.shape();
  Index const view_values = Index(shape.num_det_rows) * shape.num_det_channels;
  for (int v = views.begin; v < views.end;) {
    int const first = part.views[static_cast<std::size_t>(v)];
    int count = 1;  // neighbours in the file are read at once
    while (v + count < views.end && part.views[static_cast<std::size_t>(v + count)] == first + count) ++count;
    read_neighbours(scan, first, count, out + (v - views.begin) * view_values);
    v += count;
  }
}

}  // namespace strata
