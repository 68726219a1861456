#include "unit_tests/reference/qggmrf_reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace strata::reference {
namespace {

double bounded(QGGMRFParams const& params, double d) {
  return std::max(std::abs(d), params.T * params.sigma_x * std::pow(2.0, -23));
}

std::array<double, 3> neighbour_weights(QGGMRFParams const& params) {
  NeighbourWeights const& w = params.nbr_wts;
  double const total = 2 * (w.row + w.col + w.slice);
  return {w.row / total, w.col / total, w.slice / total};
}

}  // namespace

double qggmrf_value(QGGMRFParams const& params, double d) {
  double const a = bounded(params, d);
  double const u = std::pow(a / (params.T * params.sigma_x), params.p - params.q);
  if (d == 0) return 0;
  return std::pow(a, params.p) / (params.p * std::pow(params.sigma_x, params.p)) / (1 + u);
}

double qggmrf_curvature(QGGMRFParams const& params, double d) {
  double const a = bounded(params, d);
  double const u = std::pow(a / (params.T * params.sigma_x), params.p - params.q);
  return std::pow(a, params.p - 2) / std::pow(params.sigma_x, params.p) * (1 + params.q / params.p * u) /
         ((1 + u) * (1 + u));
}

QGGMRFResult qggmrf_gradient(QGGMRFParams const& params, ReconShape const& shape, std::vector<double> const& volume) {
  std::array<int, 3> const extent = {shape.num_rows, shape.num_cols, shape.num_slices};
  std::array<double, 3> const weight = neighbour_weights(params);
  auto const at = [&](std::array<int, 3> const& v) { return (Index(v[0]) * extent[1] + v[1]) * extent[2] + v[2]; };
  QGGMRFResult out{std::vector<double>(volume.size()), std::vector<double>(volume.size())};
  for (int row = 0; row < extent[0]; ++row)
    for (int col = 0; col < extent[1]; ++col)
      for (int slice = 0; slice < extent[2]; ++slice)
        for (int axis = 0; axis < 3; ++axis)
          for (int const step : {-1, 1}) {
            std::array<int, 3> const voxel = {row, col, slice};
            std::array<int, 3> other = voxel;
            other[axis] = std::clamp(voxel[axis] + step, 0, extent[axis] - 1);
            double const d = volume[at(voxel)] - volume[at(other)];
            double const c = weight[axis] * qggmrf_curvature(params, d);
            out.gradient[at(voxel)] += c * d;
            out.curvature[at(voxel)] += c;
          }
  return out;
}

double qggmrf_loss(QGGMRFParams const& params, ReconShape const& shape, std::vector<double> const& volume) {
  std::array<double, 3> const weight = neighbour_weights(params);
  auto const at = [&](int row, int col, int slice) {
    return volume[(Index(row) * shape.num_cols + col) * shape.num_slices + slice];
  };
  double loss = 0;
  for (int row = 0; row < shape.num_rows; ++row)
    for (int col = 0; col < shape.num_cols; ++col)
      for (int slice = 0; slice < shape.num_slices; ++slice) {
        double const x = at(row, col, slice);
        if (row + 1 < shape.num_rows) loss += weight[0] * qggmrf_value(params, at(row + 1, col, slice) - x);
        if (col + 1 < shape.num_cols) loss += weight[1] * qggmrf_value(params, at(row, col + 1, slice) - x);
        if (slice + 1 < shape.num_slices) loss += weight[2] * qggmrf_value(params, at(row, col, slice + 1) - x);
      }
  return loss;
}

}  // namespace strata::reference
