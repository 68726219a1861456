#include "core/solver/coarse_sinogram.hpp"

#include <algorithm>
#include <vector>

#include "core/placement/exchange_host.hpp"

namespace strata {
namespace {

/// Which fine cells belong to which coarse one.
struct Cells {
  SinogramShape fine, coarse;
  int channels, rows;  ///< of a coarse cell
};

/// sums[row][channel] += values of one view.
void bin(Cells const& cells, std::span<float const> values, std::span<float const> weights, std::vector<double>& mass,
         std::vector<double>& sums) {
  for (int m = 0; m < cells.fine.num_det_rows; ++m)
    for (int n = 0; n < cells.fine.num_det_channels; ++n) {
      std::size_t const from = static_cast<std::size_t>(m) * cells.fine.num_det_channels + n;
      std::size_t const to =
          static_cast<std::size_t>(m / cells.rows) * cells.coarse.num_det_channels + n / cells.channels;
      double const w = weights.empty() ? 1 : double(weights[from]);
      mass[to] += w;
      sums[to] += w * double(values[from]);
    }
}

}  // namespace

PreparedScan coarse_scan(PreparedScan const& scan, TomographyModel const& coarse, int factor) {
  TomographyModel const& fine = scan.model();
  Cells const cells{fine.sinogram_shape(), coarse.sinogram_shape(), factor,
                    fine.sinogram_shape().num_det_rows == coarse.sinogram_shape().num_det_rows ? 1 : factor};
  Index const fine_size = Index(cells.fine.num_det_rows) * cells.fine.num_det_channels;
  std::size_t const size = std::size_t(cells.coarse.num_det_rows) * cells.coarse.num_det_channels;
  HostExchange const from(fine.device_set(), fine_size);
  HostExchange const to(coarse.device_set(), static_cast<Index>(size));
  ShardedSinogram const sinogram = coarse.make_sinogram("coarse::sinogram");
  ShardedSinogram const weights = coarse.make_sinogram("coarse::weights");
  std::vector<float> values(fine_size), value_weights(scan.weights() ? fine_size : 0), binned(size);
  for (int view = 0; view < cells.fine.num_views; ++view) {
    Range const one{view, view + 1};
    from.get_views(scan.sinogram(), fine.sinogram_layout(), one, values);
    if (scan.weights()) from.get_views(*scan.weights(), fine.sinogram_layout(), one, value_weights);
    std::vector<double> mass(size, 0.0), sums(size, 0.0);
    bin(cells, values, value_weights, mass, sums);
    for (std::size_t i = 0; i < size; ++i) binned[i] = mass[i] > 0 ? static_cast<float>(sums[i] / mass[i]) : 0.F;
    to.put_views(sinogram, coarse.sinogram_layout(), one, binned);
    std::copy(mass.begin(), mass.end(), binned.begin());
    to.put_views(weights, coarse.sinogram_layout(), one, binned);
  }
  return {coarse, sinogram, weights};
}

}  // namespace strata
