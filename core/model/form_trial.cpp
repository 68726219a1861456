#include "core/model/form_trial.hpp"

#include "core/base/error.hpp"

namespace strata {

FormTrial::FormTrial(ExchangeForm wanted, bool has_bands) : wanted_(has_bands ? wanted : ExchangeForm::cylinders) {}

ExchangeForm FormTrial::next() const {
  if (!measuring()) return wanted_;
  return noted_ == 0 ? ExchangeForm::cylinders : ExchangeForm::bands;
}

bool FormTrial::note(double seconds) {
  ensure(measuring(), "FormTrial: nothing is to be measured");
  (noted_++ == 0 ? cylinder_seconds_ : band_seconds_) = seconds;
  if (noted_ < 2) return false;
  wanted_ = band_seconds_ < cylinder_seconds_ ? ExchangeForm::bands : ExchangeForm::cylinders;
  return true;
}

}  // namespace strata
