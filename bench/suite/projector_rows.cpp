#include "bench/suite/operands.hpp"
#include "core/base/error.hpp"
#include "core/solver/direct_recon.hpp"

namespace strata::bench {
namespace {

constexpr int subset_parts = 16;

/// A subset on the one device of a row, with compact cylinders.
struct SubsetBench : Bench {
  explicit SubsetBench(Row const& row)
      : Bench(row),
        pixels(model.make_pixel_set(random_pixels(model.recon_shape(), subset_parts))),
        cylinders(make_volume(model.recon_placement(), pixels.size(), "cylinders")) {
    require(row.devices == 1, row.name, ": expected one device, got ", row.devices);
    put(model, random_values(Index(pixels.size()) * model.recon_shape().num_slices, 1), cylinders);
  }
  Range all_blocks() const { return {0, model.recon_placement().blocks().num_blocks()}; }
  Projector const& projector() const { return model.projector(0); }

  PixelSet pixels;
  ShardedVolume cylinders;
};

Index masked(TomographyModel const& model) {
  return model.masked_pixels().size();
}

}  // namespace

RowResult run_forward(Row const& row, RunOptions const& options) {
  Bench const bench(row);
  auto const& model = bench.model;
  Answers const answers(row, options);
  auto const volume = random_volume(model);
  auto const sinogram = model.make_sinogram("sinogram");
  RowResult result = projector_result(row, model, masked(model));
  measure_row(bench, options, {.call = [&] { model.forward_project(volume, sinogram); }}, result);
  answers.write(model, "input", volume);
  answers.write(model, "answer", sinogram);
  return result;
}

RowResult run_back(Row const& row, RunOptions const& options) {
  Bench const bench(row);
  auto const& model = bench.model;
  Answers const answers(row, options);
  auto const sinogram = random_sinogram(model);
  auto const volume = model.make_volume("volume");
  RowResult result = projector_result(row, model, masked(model));
  measure_row(bench, options, {.call = [&] { model.back_project(sinogram, volume); }}, result);
  answers.write(model, "input", sinogram);
  answers.write(model, "answer", volume);
  return result;
}

RowResult run_forward_subset(Row const& row, RunOptions const& options) {
  SubsetBench const bench(row);
  auto const& model = bench.model;
  Answers const answers(row, options);
  auto const sinogram = model.make_sinogram("sinogram");
  CylinderBand const band{bench.all_blocks(), bench.pixels.devices[0], Position::by_entry, bench.cylinders[0]};
  RowResult result = projector_result(row, model, bench.pixels.size());
  measure_row(bench, options,
              {.call = [&] { bench.projector().forward_project(bench.devices->exec(0), band, sinogram[0]); }}, result);
  answers.write("pixels", bench.pixels.host);
  answers.write(model, "input", bench.cylinders, bench.pixels.size());
  answers.write(model, "answer", sinogram);
  return result;
}

RowResult run_back_subset(Row const& row, RunOptions const& options) {
  SubsetBench const bench(row);
  auto const& model = bench.model;
  Answers const answers(row, options);
  auto const sinogram = random_sinogram(model);
  TreeNode const root = bench.projector().nodes().front();
  RowResult result = projector_result(row, model, bench.pixels.size());
  measure_row(bench, options,
              {.call =
                   [&] {
                     bench.projector().back_project(bench.devices->exec(0), root, sinogram[0], 1, bench.all_blocks(),
                                                    bench.pixels.devices[0], Position::by_entry, bench.cylinders[0]);
                   }},
              result);
  answers.write("pixels", bench.pixels.host);
  answers.write(model, "input", sinogram);
  answers.write(model, "answer", bench.cylinders, bench.pixels.size());
  return result;
}

RowResult run_filter(Row const& row, RunOptions const& options) {
  Bench const bench(row);
  auto const& model = bench.model;
  Answers const answers(row, options);
  auto const sinogram = random_sinogram(model);
  auto const filtered = model.make_sinogram("filtered");
  RowResult result;
  result.devices = bench.devices->summary();
  result.work = double(model.sinogram_shape().size());
  result.unit = "samples";
  result.bytes = 2 * sizeof(Real) * result.work;
  measure_row(bench, options, {.call = [&] { direct_filter(model, sinogram, filtered); }}, result);
  answers.write(model, "input", sinogram);
  answers.write(model, "answer", filtered);
  return result;
}

RowResult run_direct(Row const& row, RunOptions const& options) {
  Bench const bench(row);
  auto const& model = bench.model;
  Answers const answers(row, options);
  auto const sinogram = random_sinogram(model);
  auto const scratch = model.make_sinogram("scratch");
  auto const recon = model.make_volume("recon");
  RowResult result = projector_result(row, model, masked(model));
  measure_row(bench, options, {.call = [&] { direct_recon(model, sinogram, scratch, recon); }}, result);
  answers.write(model, "input", sinogram);
  answers.write(model, "answer", recon);
  return result;
}

}  // namespace strata::bench
