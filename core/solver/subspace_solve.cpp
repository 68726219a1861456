#include <cmath>

#include "core/solver/objective.hpp"

namespace strata {
namespace {

constexpr int most = ObjectiveModel::most;
using Vector = std::array<double, most>;
using Matrix = std::array<Vector, most>;

/// Turns rows and columns p and q of the symmetric `a` so that a[p][q] becomes 0; `vectors` turns along.
void rotate(Matrix& a, Matrix& vectors, int n, int p, int q) {
  if (a[p][q] == 0) return;
  double const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  double const t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
  double const c = 1 / std::sqrt(t * t + 1);
  double const s = t * c;
  for (int k = 0; k < n; ++k) {
    double const kp = a[k][p], kq = a[k][q];
    a[k][p] = c * kp - s * kq;
    a[k][q] = s * kp + c * kq;
  }
  for (int k = 0; k < n; ++k) {
    double const pk = a[p][k], qk = a[q][k];
    a[p][k] = c * pk - s * qk;
    a[q][k] = s * pk + c * qk;
  }
  for (int k = 0; k < n; ++k) {
    double const kp = vectors[k][p], kq = vectors[k][q];
    vectors[k][p] = c * kp - s * kq;
    vectors[k][q] = s * kp + c * kq;
  }
}

/// Jacobi's method: `a` becomes diagonal, the columns of the result are its eigenvectors.
Matrix diagonalise(Matrix& a, int n) {
  Matrix vectors{};
  for (int i = 0; i < n; ++i) vectors[i][i] = 1;
  for (int sweep = 0; sweep < 30; ++sweep)
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) rotate(a, vectors, n, p, q);
  return vectors;
}

}  // namespace

std::array<double, most> minimise(ObjectiveModel const& objective, double cut) {
  int const n = objective.count;
  Vector scale{};
  for (int i = 0; i < n; ++i) {
    double const diagonal = objective.curvature[i][i];
    scale[i] = diagonal > 0 && std::isfinite(diagonal) ? 1 / std::sqrt(diagonal) : 0;
  }
  Matrix a{};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a[i][j] = scale[i] * scale[j] * objective.curvature[i][j];
  Matrix const vectors = diagonalise(a, n);
  double largest = 0;
  for (int k = 0; k < n; ++k) largest = std::max(largest, a[k][k]);
  Vector factors{};
  for (int k = 0; k < n; ++k) {
    if (!(a[k][k] > cut * largest)) continue;
    double along = 0;
    for (int i = 0; i < n; ++i) along += vectors[i][k] * scale[i] * objective.descent[i];
    for (int i = 0; i < n; ++i) factors[i] += scale[i] * vectors[i][k] * along / a[k][k];
  }
  double sum = promised_decrease(objective, factors);
  for (double const t : factors) sum += 0 * t;  // NaN and infinity show
  if (!(sum > 0) || !std::isfinite(sum)) return {};
  return factors;
}

double promised_decrease(ObjectiveModel const& objective, std::array<double, most> const& factors) {
  double decrease = 0;
  for (int i = 0; i < objective.count; ++i) {
    decrease += factors[i] * objective.descent[i];
    for (int j = 0; j < objective.count; ++j) decrease -= factors[i] * factors[j] * objective.curvature[i][j] / 2;
  }
  return decrease;
}

}  // namespace strata
