#include "bench/machine_peaks.hpp"

#include <algorithm>
#include <ctime>

#include "geometries/channel_footprint.hpp"
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
#include "geometries/lane_vector.hpp"
#endif

namespace strata::bench {
namespace {

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)

/// Seconds by the clock: the host only waits.
double seconds_now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

constexpr int lanes = 1;
constexpr int repeats = 100'000;

/// 16 independent chains of multiply-adds on one thread.
KOKKOS_FUNCTION void run_chains(int number, Real* result) {
  Real sum[16];
  for (int i = 0; i < 16; ++i) sum[i] = static_cast<Real>(i);
  for (int r = 0; r < number; ++r)
    for (int i = 0; i < 16; ++i) sum[i] = multiply_add(sum[i], Real(0.999), Real(0.001));
  Real total = 0;
  for (int i = 0; i < 16; ++i) total += sum[i];
  *result = total;
}

#else

/// Seconds of each thread.
double seconds_now() {
  return cpu_seconds() / ExecSpace().concurrency();
}

constexpr int lanes = LaneVector::width;
constexpr int repeats = 4'000'000;

/// 16 independent chains of multiply-adds on one thread.
void run_chains(int number, Real* result) {
  LaneVector sum[16];
  LaneVector const a(Real(0.999)), b(Real(0.001));
  for (int i = 0; i < 16; ++i) sum[i] = LaneVector(static_cast<Real>(i));
  for (int r = 0; r < number; ++r)
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) sum[i] = fma(sum[i], a, b);
  LaneVector total;
  for (int i = 0; i < 16; ++i) total = total + sum[i];
  total.store(result);
}

#endif

template <class F>
double best_seconds(F const& f) {
  double best = 1e30;
  for (int i = 0; i < 5; ++i) {
    double const start = seconds_now();
    f();
    best = std::min(best, seconds_now() - start);
  }
  return best;
}

void run_fma(int threads, Array2<Real> const& results) {
  Kokkos::parallel_for(
      "strata::bench::fma_peak", Kokkos::RangePolicy<ExecSpace>(0, threads),
      KOKKOS_LAMBDA(int t) { run_chains(repeats, &results(t, 0)); });
  Kokkos::fence("strata::bench::fma_peak: timing");
}

void run_triad(Array1<double> const& a, Array1<double> const& b, Array1<double> const& c) {
  Kokkos::parallel_for(
      "strata::bench::triad", Kokkos::RangePolicy<ExecSpace>(0, a.extent_int(0)),
      KOKKOS_LAMBDA(int i) { a(i) = b(i) + 3.0 * c(i); });
  Kokkos::fence("strata::bench::triad: timing");
}

}  // namespace

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double fma_peak() {
  int const threads = ExecSpace().concurrency();
  Array2<Real> const results("strata::bench::results", threads, lanes);
  double const seconds = best_seconds([&] { run_fma(threads, results); });
  return 1e-9 * threads * repeats * 16.0 * lanes / seconds;
}

double triad() {
  int const size = 32 * 1024 * 1024;
  Array1<double> const a("strata::bench::a", size), b("strata::bench::b", size), c("strata::bench::c", size);
  double const seconds = best_seconds([&] { run_triad(a, b, c); });
  return 1e-9 * size * 3.0 * sizeof(double) / seconds;
}

}  // namespace strata::bench
