/// How several devices exchange volumes when they project. Results do not depend on it.
#pragma once

namespace strata {

enum class ExchangeForm {
  automatic,  ///< both are tried, the quicker one is kept
  cylinders,  ///< all slices of a batch of pixels
  bands       ///< some slices of one device at a time
};

/// As in decks.
inline char const* name_of(ExchangeForm form) {
  return form == ExchangeForm::automatic ? "auto" : form == ExchangeForm::bands ? "bands" : "cylinders";
}

}  // namespace strata
