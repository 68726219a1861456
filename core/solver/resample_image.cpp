#include "core/solver/resample_image.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/error.hpp"

namespace strata {
namespace {

/// Adds `weight` to source voxel `voxel`, or to the end that lies nearest.
void add_weight(std::map<int, double>& weights, int voxel, int sources, double weight) {
  if (weight > 0) weights[std::clamp(voxel, 0, sources - 1)] += weight;
}

/// Weights of the two voxels about `centre`.
std::map<int, double> interpolated(double centre, int sources) {
  std::map<int, double> weights;
  int const below = static_cast<int>(std::floor(centre));
  add_weight(weights, below, sources, 1 - (centre - below));
  add_weight(weights, below + 1, sources, centre - below);
  return weights;
}

/// Weights by the lengths that an interval of length `width` shares with the voxels.
std::map<int, double> averaged(double centre, double width, int sources) {
  std::map<int, double> weights;
  double const begin = centre - width / 2, end = centre + width / 2;
  for (int voxel = static_cast<int>(std::floor(begin + 0.5)); voxel - 0.5 < end; ++voxel)
    add_weight(weights, voxel, sources, std::min(end, voxel + 0.5) - std::max(begin, voxel - 0.5));
  return weights;
}

/// Source rows resampled along column and slice, as long as they are needed.
class RowCache {
 public:
  RowCache(ImageRows const& source, AxisResampling const& cols, AxisResampling const& slices)
      : source_(source),
        cols_(cols),
        slices_(slices),
        row_(static_cast<std::size_t>(Index(source.shape.num_cols) * source.shape.num_slices)),
        thin_(static_cast<std::size_t>(source.shape.num_cols) * slices.first.size()) {}

  std::vector<float> const& row(int index) {
    auto const found = rows_.find(index);
    return found != rows_.end() ? found->second : rows_[index] = resampled(index);
  }
  void forget_before(int index) { rows_.erase(rows_.begin(), rows_.lower_bound(index)); }

 private:
  std::vector<float> resampled(int index) {
    source_.read(index, row_);
    std::size_t const num_slices = slices_.first.size();
    for (int j = 0; j < source_.shape.num_cols; ++j) {
      float const* const from = row_.data() + Index(j) * source_.shape.num_slices;
      for (std::size_t k = 0; k < num_slices; ++k) {
        float sum = 0;
        for (std::size_t n = 0; n < slices_.weights[k].size(); ++n)
          sum += slices_.weights[k][n] * from[slices_.first[k] + static_cast<int>(n)];
        thin_[std::size_t(j) * num_slices + k] = sum;
      }
    }
    std::vector<float> result(cols_.first.size() * num_slices, 0.0F);
    for (std::size_t j = 0; j < cols_.first.size(); ++j)
      for (std::size_t n = 0; n < cols_.weights[j].size(); ++n) {
        float const weight = cols_.weights[j][n];
        float const* const from = thin_.data() + (std::size_t(cols_.first[j]) + n) * num_slices;
        for (std::size_t k = 0; k < num_slices; ++k) result[j * num_slices + k] += weight * from[k];
      }
    return result;
  }

  ImageRows const& source_;
  AxisResampling const& cols_;
  AxisResampling const& slices_;
  std::vector<float> row_, thin_;
  std::map<int, std::vector<float>> rows_;
};

}  // namespace

AxisResampling resample_axis(int sources, int targets, double pitch_ratio) {
  ensure(sources > 0 && targets > 0 && pitch_ratio > 0, "resample_axis: ", sources, " voxels to ", targets,
         ", pitch ratio ", pitch_ratio);
  AxisResampling axis;
  for (int i = 0; i < targets; ++i) {
    double const centre = (i - (targets - 1) / 2.0) * pitch_ratio + (sources - 1) / 2.0;
    auto const weights = pitch_ratio <= 1 ? interpolated(centre, sources) : averaged(centre, pitch_ratio, sources);
    double sum = 0;
    for (auto const& [voxel, weight] : weights) sum += weight;
    int const first = weights.begin()->first;
    axis.first.push_back(first);
    axis.weights.emplace_back(static_cast<std::size_t>(weights.rbegin()->first - first + 1), 0.0F);
    for (auto const& [voxel, weight] : weights)
      axis.weights.back()[static_cast<std::size_t>(voxel - first)] = static_cast<float>(weight / sum);
  }
  return axis;
}

std::array<double, 3> same_extent(ReconShape const& source, ReconShape const& target) {
  return {double(source.num_rows) / target.num_rows, double(source.num_cols) / target.num_cols,
          double(source.num_slices) / target.num_slices};
}

void resample_image(ImageRows const& source, std::array<double, 3> const& pitch_ratio, ReconShape const& shape,
                    ShardedVolume const& target) {
  AxisResampling const rows = resample_axis(source.shape.num_rows, shape.num_rows, pitch_ratio[0]);
  AxisResampling const cols = resample_axis(source.shape.num_cols, shape.num_cols, pitch_ratio[1]);
  AxisResampling const slices = resample_axis(source.shape.num_slices, shape.num_slices, pitch_ratio[2]);
  RowCache cache(source, cols, slices);
  auto const per_row = static_cast<std::size_t>(Index(shape.num_cols) * shape.num_slices);
  HostExchange const exchange(target.placement.devices(), static_cast<Index>(per_row));
  std::vector<float> values(per_row);
  for (int i = 0; i < shape.num_rows; ++i) {
    std::size_t const at = static_cast<std::size_t>(i);
    cache.forget_before(rows.first[at]);
    std::ranges::fill(values, 0.0F);
    for (std::size_t n = 0; n < rows.weights[at].size(); ++n) {
      auto const& row = cache.row(rows.first[at] + static_cast<int>(n));
      float const weight = rows.weights[at][n];
      for (std::size_t p = 0; p < per_row; ++p) values[p] += weight * row[p];
    }
    exchange.put_pixels(target, {i * shape.num_cols, (i + 1) * shape.num_cols}, values);
  }
}

}  // namespace strata
