#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/io/hdf5_writer.hpp"
#include "drivers/support/compare.hpp"

namespace strata {
namespace {

std::string path_of(char const* name) {
  return testing::TempDir() + "strata_compare_" + name + ".h5";
}

template <class T>
Hdf5File file_with(char const* name, std::vector<T> const& values, char const* dataset = "/x") {
  AtomicHdf5Writer writer(path_of(name));
  writer.write(dataset, {std::int64_t(values.size())}, values);
  writer.commit();
  return Hdf5File(path_of(name));
}

TEST(Compare, MeasuresAreRelativeToTheFirstFile) {
  auto const a = file_with<float>("a", {3, 0, -4});
  auto const b = file_with<float>("b", {3, 1, -4});

  auto const items = compare_files(a, b, {.max_nrmse = 0.21});

  ASSERT_EQ(items.size(), 1u);
  EXPECT_DOUBLE_EQ(items[0].nrmse, 1.0 / 5);
  EXPECT_DOUBLE_EQ(items[0].max_relative, 1.0 / 4);
  EXPECT_TRUE(items[0].passed);
  EXPECT_FALSE(compare_files(a, b, {.max_nrmse = 0.19})[0].passed);
  EXPECT_FALSE(compare_files(a, b, {.max_nrmse = 1, .max_relative = 0.2})[0].passed);
}

TEST(Compare, WholeNumbersMustBeEqualWhateverTheTolerance) {
  auto const a = file_with<int>("a", {1000000, 2});
  auto const b = file_with<int>("b", {1000000, 3});

  EXPECT_FALSE(compare_files(a, b, {.max_nrmse = 1})[0].passed);
  EXPECT_TRUE(compare_files(a, a, {.max_nrmse = 0})[0].passed);
}

TEST(Compare, ValuesThatAreNotFiniteMustBeAlike) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  float const inf = std::numeric_limits<float>::infinity();
  auto const a = file_with<float>("a", {1, nan, inf});

  EXPECT_TRUE(compare_files(a, file_with<float>("b", {1, nan, inf}), {})[0].passed);
  EXPECT_FALSE(compare_files(a, file_with<float>("b", {1, 2, inf}), {})[0].passed);
  EXPECT_FALSE(compare_files(a, file_with<float>("b", {1, nan, -inf}), {})[0].passed);
  EXPECT_FALSE(compare_files(file_with<float>("c", {1, 2, 3}), file_with<float>("b", {1, 2, nan}), {})[0].passed);
}

TEST(Compare, AReferenceOfZerosAllowsNoDifference) {
  auto const zeros = file_with<float>("a", {0, 0});

  EXPECT_TRUE(compare_files(zeros, zeros, {})[0].passed);
  EXPECT_FALSE(compare_files(zeros, file_with<float>("b", {0, 1e-30f}), {.max_nrmse = 1e6})[0].passed);
}

TEST(Compare, MeasuredTimesAreLeftOutUnlessAskedFor) {
  auto const a = file_with<double>("a", {1}, "/history/seconds");
  auto const b = file_with<double>("b", {2}, "/history/seconds");

  EXPECT_TRUE(compare_files(a, b, {}).empty());
  ASSERT_EQ(compare_files(a, b, {.only = {"*seconds"}}).size(), 1u);
  EXPECT_FALSE(compare_files(a, b, {.only = {"*seconds"}})[0].passed);
}

TEST(Compare, SlabsCoverEveryEntryOnce) {
  for (Hdf5Shape const& shape : {Hdf5Shape{7, 3, 5}, Hdf5Shape{2, 9, 4}, Hdf5Shape{1}, Hdf5Shape{}, Hdf5Shape{50}}) {
    std::int64_t expected = 0;  // position of the next entry in C order
    for_each_slab(shape, 12, [&](Hdf5Shape const& offset, Hdf5Shape const& count) {
      std::int64_t position = 0;
      std::int64_t size = 1;
      for (std::size_t k = 0; k < shape.size(); ++k) {
        position = position * shape[k] + offset[k];
        size *= count[k];
      }
      EXPECT_EQ(position, expected);
      EXPECT_LE(size, 12);
      expected += size;
    });
    std::int64_t volume = 1;
    for (auto const extent : shape) volume *= extent;
    EXPECT_EQ(expected, volume) << shape_text(shape);
  }
}

TEST(Compare, AMapComparesDatasetsOfOtherNamesAndNoOthers) {
  auto const a = file_with<float>("a", {3, 0, -4}, "/runs/x");
  auto const b = file_with<float>("b", {3, 1, -4}, "/recon");

  auto const items = compare_files(a, b, {.max_nrmse = 0.21, .map = {{"/runs/x", "/recon"}}});

  ASSERT_EQ(items.size(), 1u);
  EXPECT_DOUBLE_EQ(items[0].nrmse, 1.0 / 5);
  EXPECT_TRUE(items[0].passed);
  EXPECT_THROW(compare_files(a, b, {.map = {{"/runs/x", "/runs/x"}}}), InputError);
}

}  // namespace
}  // namespace strata
