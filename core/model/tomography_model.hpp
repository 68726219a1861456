/// A projector on many devices, batches of pixels or bands of slices at a time: forward projection brings cylinders or
/// bands to all view owners; back projection reduces the view owners' sums to slice owners.
#pragma once

#include <memory>
#include <vector>

#include "core/model/exchange_plan.hpp"
#include "core/model/form_trial.hpp"
#include "core/model/geometry.hpp"
#include "core/model/pixel_list.hpp"
#include "core/model/sinogram_ops.hpp"
#include "core/placement/sharded.hpp"
#include "core/placement/transfer.hpp"

namespace strata {

/// The same pixels on every device.
struct PixelSet {
  std::vector<int> host;           ///< in the order of the lists
  std::vector<PixelList> devices;  ///< [device]
  int size() const { return static_cast<int>(host.size()); }
};

/// Where volumes have to move (memories are apart) and slices do not couple, forward projection may take bands instead
/// of cylinders, and back projection may on any devices; DeviceSet::exchange() says which. Where slices couple the
/// order in which forward projection adds them up would be another one.
class TomographyModel {
 public:
  /// `mask` [pixel]: true where a pixel belongs to the region of reconstruction. `max_exchange_bytes` bounds
  /// what several devices exchange at a time and `exchange_turns` in how many buffers, see ExchangePlan; the results
  /// depend on neither.
  TomographyModel(Devices devices, std::shared_ptr<Geometry const> geometry, std::vector<bool> mask,
                  Index max_exchange_bytes = 0, int exchange_turns = 0);
  ~TomographyModel();

  Geometry const& geometry() const { return *geometry_; }
  DeviceSet const& devices() const { return *devices_; }
  Devices const& device_set() const { return devices_; }
  Placement const& recon_placement() const { return slices_; }
  Placement const& sino_placement() const { return views_; }
  SinogramLayout const& sinogram_layout() const { return layout_; }
  ReconShape const& recon_shape() const { return geometry_->params().recon; }
  SinogramShape const& sinogram_shape() const { return geometry_->params().sinogram; }
  std::vector<bool> const& mask() const { return mask_; }
  PixelSet const& masked_pixels() const { return masked_; }
  PixelSet const& all_pixels() const { return all_; }
  Projector const& projector(int device) const { return *projectors_[device]; }
  NodeReduction const& nodes() const { return nodes_; }
  Index max_exchange_bytes() const { return max_exchange_bytes_; }

  ShardedVolume make_volume(std::string const& label) const;
  ShardedSinogram make_sinogram(std::string const& label) const;
  /// `indices` in Z order on every device.
  PixelSet make_pixel_set(std::vector<int> const& indices) const;

  /// x becomes `value` at the given pixels, padding included.
  void fill(ShardedVolume const& x, PixelSet const& pixels, Real value) const;
  /// x becomes 0 outside the mask. Only launches.
  void clear_outside(ShardedVolume const& x) const;
  /// sino = A x; pixels outside the mask are ignored.
  void forward_project(ShardedVolume const& x, ShardedSinogram const& sino) const;
  /// x = A' sino inside the mask, 0 outside.
  void back_project(ShardedSinogram const& sino, ShardedVolume const& x) const;
  /// h = (A o A)' weights at all pixels.
  void hessian_diagonal(ShardedSinogram const& weights, ShardedVolume const& h) const;

 private:
  struct Exchange;
  struct Batch;
  template <class F>
  void for_each_part(int size, F const& f) const;
  template <class F>
  void measure(FormTrial& trial, char const* what, F const& f) const;
  Exchange const& exchange() const;
  Batch batch_of(PixelSet const& pixels, Range part, int turn) const;
  Batch batch_at(PixelSet const& pixels, int begin) const;
  void collect(ShardedVolume const& x, Batch const& batch) const;
  void add_up(Batch const& batch, ShardedVolume const& x) const;
  void forward_in_place(ShardedVolume const& x, ShardedSinogram const& sino) const;
  void forward_by_cylinders(ShardedVolume const& x, ShardedSinogram const& sino) const;
  void back_project_list(ShardedSinogram const& sino, int power, PixelSet const& pixels, ShardedVolume const& x,
                         ExchangeForm form) const;
  void back_by_cylinders(ShardedSinogram const& sino, int power, PixelSet const& pixels, ShardedVolume const& x) const;
  // In tomography_bands.cpp.
  void broadcast(ShardedVolume const& x, ExchangePlan::Band const& band, Batch const& batch) const;
  void add_up(ExchangePlan::Band const& band, Batch const& batch, ShardedVolume const& x) const;
  void forward_by_bands(ShardedVolume const& x, ShardedSinogram const& sino) const;
  void back_by_bands(ShardedSinogram const& sino, int power, PixelSet const& pixels, ShardedVolume const& x) const;

  Devices devices_;
  std::shared_ptr<Geometry const> geometry_;
  std::vector<bool> mask_;
  Placement slices_;
  Placement views_;
  SinogramLayout layout_;
  NodeReduction nodes_;
  std::vector<std::unique_ptr<Projector>> projectors_;
  PixelSet masked_;
  PixelSet all_;
  std::vector<Array1<int const>> outside_;  // [device], outside the mask
  Index max_exchange_bytes_;
  ExchangePlan exchange_plan_;
  mutable std::unique_ptr<Exchange> exchange_;  // buffers of several devices, made at the first use
  mutable FormTrial forward_trial_, back_trial_;
};

}  // namespace strata
