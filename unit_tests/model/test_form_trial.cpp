#include "core/model/form_trial.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"

namespace strata::test {
namespace {

TEST(FormTrial, TriesCylindersThenBandsAndKeepsTheQuickerOne) {
  for (auto const& [cylinders, bands, quicker] :
       {std::tuple(2.0, 1.0, ExchangeForm::bands), std::tuple(1.0, 2.0, ExchangeForm::cylinders),
        std::tuple(1.0, 1.0, ExchangeForm::cylinders)}) {
    FormTrial trial(ExchangeForm::automatic, true);

    EXPECT_TRUE(trial.measuring());
    EXPECT_EQ(trial.next(), ExchangeForm::cylinders);
    EXPECT_FALSE(trial.note(cylinders));
    EXPECT_TRUE(trial.measuring());
    EXPECT_EQ(trial.next(), ExchangeForm::bands);
    EXPECT_TRUE(trial.note(bands));

    EXPECT_FALSE(trial.measuring());
    EXPECT_EQ(trial.next(), quicker);
    EXPECT_EQ(trial.next(), quicker) << "for good";
    EXPECT_EQ(trial.cylinder_seconds(), cylinders);
    EXPECT_EQ(trial.band_seconds(), bands);
    EXPECT_THROW(trial.note(3), Error);
  }
}

TEST(FormTrial, TheNextFormStaysTheSameUntilItsTimeIsNoted) {
  FormTrial trial(ExchangeForm::automatic, true);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(trial.next(), ExchangeForm::cylinders);
  trial.note(1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(trial.next(), ExchangeForm::bands);
}

TEST(FormTrial, MeasuresNothingWhereTheUserChose) {
  for (ExchangeForm const form : {ExchangeForm::cylinders, ExchangeForm::bands}) {
    FormTrial trial(form, true);
    EXPECT_FALSE(trial.measuring());
    EXPECT_EQ(trial.next(), form);
  }
}

TEST(FormTrial, MeasuresNothingWhereThereAreNoBands) {
  for (ExchangeForm const form : {ExchangeForm::automatic, ExchangeForm::cylinders, ExchangeForm::bands}) {
    FormTrial trial(form, false);
    EXPECT_FALSE(trial.measuring());
    EXPECT_EQ(trial.next(), ExchangeForm::cylinders);
  }
}

}  // namespace
}  // namespace strata::test
