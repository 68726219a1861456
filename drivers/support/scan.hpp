/// A raw scan as a deck describes it: projections, flats, darks, angles, and the part of them that is wanted.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/io/deck.hpp"
#include "core/io/hdf5_file.hpp"
#include "core/model/shapes.hpp"
#include "drivers/support/preprocess.hpp"

namespace strata {

/// A stack of frames [frame][row][channel], counts.
struct FrameStack {
  std::shared_ptr<Hdf5File const> file;
  std::string dataset;
  int num_frames = 0;
};

/// The wanted part of the projections.
struct ScanPart {
  Range rows;
  Range channels;
  std::vector<int> views;
  /// Of the line integrals.
  SinogramShape shape() const { return {static_cast<int>(views.size()), rows.size(), channels.size()}; }
};

/// Positions of views, detector rows and channels among the axes of a dataset.
using ViewAxes = std::array<int, 3>;

struct Scan {
  SinogramShape full;           ///< of the projections in the file
  bool line_integrals = false;  ///< the projections are line integrals, not counts: no flats, no darks
  FrameStack projections;
  ViewAxes axes = {0, 1, 2};  ///< of the projections
  FrameStack flats;
  std::optional<FrameStack> darks;
  ScanPart part;
  std::vector<double> angles;  ///< rad, of the wanted views
  std::vector<std::string> files;
};

/// From section `input`: `scan`, a file laid out as DXchange (/exchange/data, data_white, data_dark, theta), or
/// `projections`, `flats`, `darks`, `angles`, each of which also replaces its part of `scan`; or `line_integrals`,
/// whose axes must be known (`axes: [det_row, view, channel]`, or an attribute `axes` of the dataset) since a wrong
/// order cannot be seen from the shape, and `angles`; and from `preprocess`: `rows`, `channels` [begin, end], `views`
/// [begin, end, step]. Opens the files and checks every shape. \throws InputError for data that are missing or do not
/// fit together, angles without a unit, all equal or not finite.
Scan open_scan(Deck const& deck);

/// One value a pixel of the wanted part, averaged over the frames: [row][channel]. Reads bands of rows.
std::vector<float> average_of(FrameStack const& stack, ScanPart const& part, FrameAverage average);

/// Counts, or line integrals, of wanted views [views.begin, views.end): out [view][row][channel], whatever the order in
/// the file.
void read_views(Scan const& scan, Range views, float* out);

}  // namespace strata
