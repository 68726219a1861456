/// Which form of exchange the next projection takes. Knows no clock: it is told what projections took.
#pragma once

#include "core/placement/exchange_form.hpp"

namespace strata {

/// For projections of one kind, which are the same work each time. Where the user leaves it to the program the first
/// one is done with cylinders, the second one with bands, and all others in the form that was quicker.
class FormTrial {
 public:
  /// `has_bands`: bands are possible. Where they are not, cylinders are all there is.
  FormTrial(ExchangeForm wanted, bool has_bands);

  /// The form of the next projection, never automatic.
  ExchangeForm next() const;
  /// Whether note() has to be called after the next projection.
  bool measuring() const { return wanted_ == ExchangeForm::automatic; }
  /// The projection in the form next() took so long. True when that decides.
  bool note(double seconds);

  /// What was measured; 0: not yet.
  double cylinder_seconds() const { return cylinder_seconds_; }
  double band_seconds() const { return band_seconds_; }

 private:
  ExchangeForm wanted_;
  double cylinder_seconds_ = 0;
  double band_seconds_ = 0;
  int noted_ = 0;
};

}  // namespace strata
