/// A projector on many devices: forward projection brings bands of slices, or batches of whole cylinders where slices
/// couple, to all view owners; back projection reduces bands to slice owners.
#pragma once

#include <memory>
#include <vector>

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

class TomographyModel {
 public:
  /// `mask` [pixel]: true where a pixel belongs to the region of reconstruction. `max_band_blocks` bounds the blocks
  /// that several devices exchange at a time (0: a shard divided by the device count).
  TomographyModel(Devices devices, std::shared_ptr<Geometry const> geometry, std::vector<bool> mask,
                  int max_band_blocks = 0);
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

  ShardedVolume make_volume(std::string const& label) const;
  ShardedSinogram make_sinogram(std::string const& label) const;
  /// `indices` in Z order on every device.
  PixelSet make_pixel_set(std::vector<int> const& indices) const;

  /// x becomes `value` at the given pixels, padding included.
  void fill(ShardedVolume const& x, PixelSet const& pixels, Real value) const;
  /// sino = A x; pixels outside the mask are ignored.
  void forward_project(ShardedVolume const& x, ShardedSinogram const& sino) const;
  /// x = A' sino inside the mask, 0 outside.
  void back_project(ShardedSinogram const& sino, ShardedVolume const& x) const;
  /// h = (A o A)' weights at all pixels.
  void hessian_diagonal(ShardedSinogram const& weights, ShardedVolume const& h) const;

 private:
  struct Exchange;
  struct CylinderExchange;
  void back_project_list(ShardedSinogram const& sino, int power, PixelSet const& pixels, ShardedVolume const& x) const;
  Exchange const& exchange() const;
  void forward_project_cylinders(ShardedVolume const& x, ShardedSinogram const& sino) const;
  CylinderExchange const& cylinder_exchange() const;

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
  int max_band_blocks_;
  int band_blocks_;
  mutable std::unique_ptr<Exchange> exchange_;  // staging of several devices, made at the first use
  mutable std::unique_ptr<CylinderExchange> cylinders_;
};

}  // namespace strata
