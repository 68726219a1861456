/// Kernels of the QGGMRF prior in two shapes: rows of lanes as vectors (host), one thread a voxel (GPUs, and host as a
/// cross-check). Arguments as in core/model/prior.hpp; they only launch.
#pragma once

#include "core/model/prior.hpp"
#include "prior/qggmrf_potential.hpp"

namespace strata {

/// One thread a voxel.
void qggmrf_gradient_by_voxel(ExecSpace const& exec, QGGMRFPotential const& potential, VolumeShard const& volume,
                              PixelList const& pixels, Cylinders const& gradient, Cylinders const& curvature);
void qggmrf_couplings_by_voxel(ExecSpace const& exec, QGGMRFPotential const& potential, VolumeShard const& volume,
                               PixelList const& pixels, Cylinders const& gradient, Cylinders const& curvature,
                               PlaneCouplings const& couplings);
/// One team a slice; the sum over pixels is cut into a fixed number of parts.
void qggmrf_loss_by_voxel(ExecSpace const& exec, QGGMRFPotential const& potential, VolumeShard const& volume,
                          Array1<double> const& per_slice);

/// One thread a slice and part of the plane.
void qggmrf_surrogate_by_voxel(ExecSpace const& exec, QGGMRFPotential const& potential, VolumeShard const& volume,
                               DirectionShards const& directions, Array3<double> const& partial);

/// The potential prepared for vectors of lanes.
struct RowPotential;

/// One task a few cylinders of a block; every lane, padding included, goes through the same vector instructions, so
/// that a voxel's result does not depend on where its slice lies.
void qggmrf_gradient_by_row(ExecSpace const& exec, RowPotential const& potential, VolumeShard const& volume,
                            PixelList const& pixels, Cylinders const& gradient, Cylinders const& curvature);
void qggmrf_couplings_by_row(ExecSpace const& exec, RowPotential const& potential, VolumeShard const& volume,
                             PixelList const& pixels, Cylinders const& gradient, Cylinders const& curvature,
                             PlaneCouplings const& couplings);
/// One task a vector of slices, over all pixels in order.
void qggmrf_loss_by_row(ExecSpace const& exec, RowPotential const& potential, VolumeShard const& volume,
                        Array1<double> const& per_slice);
/// One task a vector of slices and part of the plane.
void qggmrf_surrogate_by_row(ExecSpace const& exec, RowPotential const& potential, VolumeShard const& volume,
                             DirectionShards const& directions, Array3<double> const& partial);

}  // namespace strata
