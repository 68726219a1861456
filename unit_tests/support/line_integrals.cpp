#include "unit_tests/support/line_integrals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strata::test {
namespace {

double dot(Vector const& a, Vector const& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Vector between(Vector const& from, Vector const& to) {
  return {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
}

Ray towards(Vector const& from, Vector const& to) {
  Vector along = between(from, to);
  double const length = std::sqrt(dot(along, along));
  for (double& a : along) a /= length;
  return {from, along};
}

/// The object's coordinates of a point that is given turned by `angle`. Source: geometry.md 1.
Vector turned_back(Vector const& p, double angle) {
  double const c = std::cos(angle), s = std::sin(angle);
  return {c * p[0] + s * p[1], -s * p[0] + c * p[1], p[2]};
}

}  // namespace

double Ball::chord(Ray const& ray) const {
  Vector const to = between(ray.from, centre);
  double const along = dot(to, ray.along);
  double const square = radius * radius - (dot(to, to) - along * along);
  return square > 0 ? 2 * std::sqrt(square) : 0;
}

bool Ball::holds(Vector const& point) const {
  Vector const to = between(point, centre);
  return dot(to, to) < radius * radius;
}

double Box::chord(Ray const& ray) const {
  double begin = -std::numeric_limits<double>::infinity(), end = -begin;
  for (int i = 0; i < 3; ++i) {
    if (std::abs(ray.along[i]) < 1e-12) {
      if (ray.from[i] < low[i] || ray.from[i] > high[i]) return 0;
      continue;
    }
    double const a = (low[i] - ray.from[i]) / ray.along[i], b = (high[i] - ray.from[i]) / ray.along[i];
    begin = std::max(begin, std::min(a, b));
    end = std::min(end, std::max(a, b));
  }
  return std::max(0.0, end - begin);
}

bool Box::holds(Vector const& point) const {
  for (int i = 0; i < 3; ++i)
    if (point[i] < low[i] || point[i] > high[i]) return false;
  return true;
}

double Rod::chord(Ray const& ray) const {
  double const in_plane = std::hypot(ray.along[0], ray.along[1]);
  double const apart = ((x - ray.from[0]) * ray.along[1] - (y - ray.from[1]) * ray.along[0]) / in_plane;
  double const square = radius * radius - apart * apart;
  return square > 0 ? 2 * std::sqrt(square) / in_plane : 0;
}

bool Rod::holds(Vector const& point) const {
  return std::hypot(point[0] - x, point[1] - y) < radius;
}

RayOf rays_of(ConeScanParams const& scan) {
  return [scan](int v, double u, double w) {
    double const a = scan.angles[v], h = scan.helical_z_shifts.empty() ? 0 : scan.helical_z_shifts[v];
    double const sid = scan.source_iso_dist, sdd = scan.source_detector_dist;
    Vector const cell = scan.use_curved_detector ? Vector{sdd * std::sin(u / sdd), sid - sdd * std::cos(u / sdd), w + h}
                                                 : Vector{u, sid - sdd, w + h};
    return towards(turned_back({0, sid, h}, a), turned_back(cell, a));
  };
}

RayOf rays_of(TranslationScanParams const& scan) {
  return [scan](int v, double u, double w) {
    Vector const& t = scan.translation_vectors[v];
    double const sid = scan.source_iso_dist, sdd = scan.source_detector_dist;
    return towards({t[0], sid + t[1], t[2]}, {u + t[0], sid - sdd + t[1], w + t[2]});
  };
}

RayOf rays_of(MultiAxisScanParams const& scan) {
  return [scan](int v, double u, double w) {
    double const c = std::cos(scan.elevations[v]), s = std::sin(scan.elevations[v]);
    return Ray{turned_back({u, w * s, w * c}, scan.azimuths[v]), turned_back({0, c, -s}, scan.azimuths[v])};
  };
}

}  // namespace strata::test
