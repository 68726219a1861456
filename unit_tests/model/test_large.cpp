// Arrays of more than 2^31 elements, 9 GB each: labelled `large`, to be asked for by scripts/test -L large.
#include <gtest/gtest.h>

#include <numbers>

#include "core/model/tomography_model.hpp"
#include "geometries/parallel_scan.hpp"

namespace strata::test {
namespace {

constexpr Index limit = Index(1) << 31;

/// Views from the front and from the side, turn by turn: every ray goes along a row or a column of voxels.
TomographyModel make_model(int num_devices, SinogramShape const& sinogram, ReconShape const& recon) {
  GeometryParams params;
  params.sinogram = sinogram;
  params.recon = recon;
  std::vector<double> angles(static_cast<std::size_t>(sinogram.num_views));
  for (std::size_t v = 0; v < angles.size(); ++v) angles[v] = v % 2 == 0 ? 0 : 0.5 * std::numbers::pi;
  return TomographyModel(DeviceSet::virtual_devices(num_devices), make_parallel_scan(params, angles, false),
                         std::vector<bool>(static_cast<std::size_t>(recon.num_pixels()), true));
}

/// 1, but 3 in the last row: its voxels lie at the end of each block.
void fill_last_row(TomographyModel const& model, ShardedVolume const& x) {
  model.fill(x, model.all_pixels(), 1);
  ReconShape const& shape = model.recon_shape();
  std::vector<int> last;
  for (int j = 0; j < shape.num_cols; ++j) last.push_back((shape.num_rows - 1) * shape.num_cols + j);
  model.fill(x, model.make_pixel_set(last), 3);
}

/// Largest |measured - chord| / chord over view `view` at rows of block `block`; channels beyond the volume count
/// absolutely.
double worst_error(ShardedSinogram const& sino, int device, int view, int block, int row_begin, int channels, int width,
                   double chord) {
  double worst = 0;
  int const first = (channels - width) / 2;
  for (int n = 0; n < channels; ++n) {
    bool const hit = n >= first && n < first + width;
    double const value = sino[device](view, block, n, row_begin);
    worst = std::max(worst, std::abs(value - (hit ? chord : 0.0)) / chord);
  }
  return worst;
}

TEST(Large, AVolumeBeyond2To31ElementsProjectsRightForwardAndBack) {
  ReconShape const recon{2048, 64, 16400};
  ASSERT_GT(recon.size(), limit);
  TomographyModel const model = make_model(1, {2, recon.num_slices, 64}, recon);
  auto const x = model.make_volume("test::x");
  auto const y = model.make_sinogram("test::y");
  fill_last_row(model, x);

  model.forward_project(x, y);

  SliceBlocks const& blocks = model.recon_placement().blocks();
  for (int const slice : {0, 1, 8200, 16383, 16384, 16399})
    EXPECT_LE(worst_error(y, 0, 0, blocks.block_of(slice), blocks.lane_of(slice), 64, 64, recon.num_rows + 2), 1e-5)
        << "slice " << slice;

  fill(model.sinogram_layout(), y, 1);
  model.back_project(y, x);
  for (int const slice : {0, 16399})
    for (int const pixel : {1023 * 64 + 31, 1024 * 64 + 32})
      EXPECT_NEAR(x[0](blocks.block_of(slice), pixel, blocks.lane_of(slice)), 2, 1e-5) << slice << " " << pixel;
}

TEST(Large, ASinogramBeyond2To31ElementsProjectsRightForwardAndBack) {
  SinogramShape const sinogram{1 << 17, 32, 515};
  ASSERT_GT(sinogram.size(), limit);
  TomographyModel const model = make_model(1, sinogram, {9, 11, 32});
  auto const x = model.make_volume("test::x");
  auto const y = model.make_sinogram("test::y");
  fill_last_row(model, x);

  model.forward_project(x, y);

  for (int const view : {0, 2, (1 << 17) - 2}) EXPECT_LE(worst_error(y, 0, view, 0, 31, 515, 11, 9 + 2), 1e-5) << view;

  fill(model.sinogram_layout(), y, 1);
  model.back_project(y, x);
  EXPECT_NEAR(x[0](0, 9 * 11 - 1, 31), 1 << 17, 1);
}

}  // namespace
}  // namespace strata::test
