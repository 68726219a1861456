#include <sys/stat.h>

#include <numeric>

#include "core/base/error.hpp"
#include "core/io/atomic_path.hpp"
#include "core/io/hdf5_writer.hpp"
#include "unit_tests/io/scratch.hpp"

namespace strata {
namespace {

struct Hdf5Writer : Scratch {};

std::vector<float> ramp(std::size_t size) {
  std::vector<float> values(size);
  std::iota(values.begin(), values.end(), 0.5f);
  return values;
}

TEST_F(Hdf5Writer, EveryTypeComesBackAsWritten) {
  std::vector<float> const floats = ramp(3 * 5 * 7);
  std::vector<double> const doubles = {0.1, -1e300};
  std::vector<int> const ints = {-7, 2147483647};
  std::vector<std::int64_t> const longs = {-5, 9007199254740993};
  {
    AtomicHdf5Writer writer(file("a.h5"));
    writer.write("/recon", {3, 5, 7}, floats);
    writer.write("/history/alpha", {2}, doubles);
    writer.write("ints", {2, 1}, ints);
    writer.write("longs", {2}, longs);
    writer.write<float>("none", {0, 4}, {});
    writer.write<float>("scalar", {}, {3.5f});
    writer.commit();
  }
  EXPECT_EQ(files(), std::vector<std::string>{"a.h5"});

  Hdf5File const input(file("a.h5"));
  EXPECT_EQ(input.shape("/recon"), (Hdf5Shape{3, 5, 7}));
  EXPECT_EQ(input.read<float>("/recon"), floats);
  EXPECT_EQ(input.read<double>("history/alpha"), doubles);
  EXPECT_EQ(input.read<int>("/ints"), ints);
  EXPECT_EQ(input.read<std::int64_t>("longs"), longs);
  EXPECT_TRUE(input.read<float>("none").empty());
  EXPECT_EQ(input.read<float>("scalar"), std::vector<float>{3.5f});
  EXPECT_EQ(input.datasets(),
            (std::vector<std::string>{"/history/alpha", "/ints", "/longs", "/none", "/recon", "/scalar"}));
}

/// Writes a volume [3][5][7] in slabs over the slice axis, reads it in slabs over rows and columns.
void check_slabs(std::string const& path, Hdf5Shape const& chunk) {
  std::vector<float> const volume = ramp(3 * 5 * 7);
  AtomicHdf5Writer writer(path);
  writer.create_dataset<float>("/recon", {3, 5, 7}, chunk);
  for (int begin = 0; begin < 7; begin += 3) {
    int const lanes = std::min(3, 7 - begin);
    std::vector<float> slab;
    for (int pixel = 0; pixel < 15; ++pixel) {
      for (int lane = 0; lane < lanes; ++lane) slab.push_back(volume[pixel * 7 + begin + lane]);
    }
    writer.write_slab("/recon", {0, 0, begin}, {3, 5, lanes}, slab.data());
  }
  writer.commit();

  Hdf5File const input(path);
  EXPECT_EQ(input.read<float>("/recon"), volume);
  std::vector<float> box(2 * 2 * 4);
  input.read_slab("/recon", {1, 3, 2}, {2, 2, 4}, box.data());
  std::size_t position = 0;
  for (int row = 1; row < 3; ++row) {
    for (int col = 3; col < 5; ++col) {
      for (int slice = 2; slice < 6; ++slice) EXPECT_EQ(box[position++], volume[(row * 5 + col) * 7 + slice]);
    }
  }
}

TEST_F(Hdf5Writer, SlabsOfOddSizesFillAContiguousDataset) {
  check_slabs(file("a.h5"), {});
}

TEST_F(Hdf5Writer, SlabsOfOddSizesFillAChunkedDataset) {
  check_slabs(file("a.h5"), {2, 4, 64});
}

TEST_F(Hdf5Writer, OnlyBigVolumesAreChunked) {
  EXPECT_EQ(chunk_for_slice_blocks({512, 512, 256}, 64), (Hdf5Shape{32, 64, 64}));
  EXPECT_EQ(chunk_for_slice_blocks({64, 64, 64}, 64), Hdf5Shape{});
}

TEST_F(Hdf5Writer, WhatIsNotWrittenIsZero) {
  std::vector<float> const ones(4, 1.0f);
  AtomicHdf5Writer writer(file("a.h5"));
  writer.create_dataset<float>("a", {2, 4});
  writer.create_dataset<float>("b", {2, 4}, {1, 3});
  writer.write_slab("a", {1, 0}, {1, 4}, ones.data());
  writer.write_slab("b", {1, 0}, {1, 4}, ones.data());
  writer.commit();

  Hdf5File const input(file("a.h5"));
  EXPECT_EQ(input.read<float>("a"), (std::vector<float>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(input.read<float>("b"), (std::vector<float>{0, 0, 0, 0, 1, 1, 1, 1}));
}

TEST_F(Hdf5Writer, AttributesComeBackAsWritten) {
  std::string const long_text(100'000, 'x');
  AtomicHdf5Writer writer(file("a.h5"));
  writer.write<float>("/recon", {1}, {1});
  writer.set_attribute("/recon", "axes", "row, col, slice");
  writer.set_attribute("/parameters", "deck", long_text);
  writer.set_attribute("/parameters", "empty", "");
  writer.set_attribute("/parameters", "sigma_x", 0.1);
  writer.set_attribute("/parameters", "seed", 3);
  writer.set_attribute("/parameters", "seed", 4);
  writer.set_attribute("/provenance/run", "peak", std::vector<std::int64_t>{1, 5'000'000'000});
  writer.set_attribute("/provenance/run", "times", std::vector<double>{1.5, 2.5});
  writer.set_attribute("/provenance/run", "devices", std::vector<std::string>{"a", "bc"});
  writer.set_attribute("/", "none", std::vector<double>{});
  writer.commit();

  Hdf5File const input(file("a.h5"));
  EXPECT_EQ(input.string_attribute("/recon", "axes"), "row, col, slice");
  EXPECT_EQ(input.string_attribute("/parameters", "deck"), long_text);
  EXPECT_EQ(input.string_attribute("/parameters", "empty"), "");
  EXPECT_EQ(input.number_attribute("/parameters", "sigma_x"), 0.1);
  EXPECT_EQ(input.number_attribute("/parameters", "seed"), 4);
  EXPECT_EQ(input.numbers_attribute("/provenance/run", "peak"), (std::vector<double>{1, 5e9}));
  EXPECT_EQ(input.numbers_attribute("/provenance/run", "times"), (std::vector<double>{1.5, 2.5}));
  EXPECT_TRUE(input.has_attribute("/provenance/run", "devices"));
  EXPECT_TRUE(input.numbers_attribute("/", "none").empty());
  EXPECT_EQ(input.attribute_names("/parameters"), (std::vector<std::string>{"deck", "empty", "seed", "sigma_x"}));
}

TEST_F(Hdf5Writer, WithoutCommitNothingIsLeftAndTheOldFileStays) {
  write("a.h5", "old");
  EXPECT_THROW(
      {
        AtomicHdf5Writer writer(file("a.h5"));
        writer.write("/recon", {1000}, ramp(1000));
        EXPECT_EQ(files().size(), 2u);
        throw Interrupted();
      },
      Interrupted);

  EXPECT_EQ(files(), std::vector<std::string>{"a.h5"});
  EXPECT_EQ(std::filesystem::file_size(file("a.h5")), 3u);
}

TEST_F(Hdf5Writer, CommitReplacesTheOldFile) {
  write("a.h5", "old");
  AtomicHdf5Writer writer(file("a.h5"));
  writer.write("/recon", {10}, ramp(10));
  EXPECT_EQ(std::filesystem::file_size(file("a.h5")), 3u);

  writer.commit();

  EXPECT_EQ(Hdf5File(file("a.h5")).read<float>("/recon"), ramp(10));
}

TEST_F(Hdf5Writer, PlacesThatCannotBeWrittenAreRefusedAtTheStart) {
  EXPECT_EQ(message_of<WriteError>([&] { AtomicHdf5Writer writer("/no/such/a.h5"); }),
            "/no/such/a.h5: cannot write: there is no folder '/no/such'");
  EXPECT_EQ(message_of<WriteError>([&] { AtomicHdf5Writer writer{folder.string()}; }),
            folder.string() + ": expected a file to write, got a folder");
  EXPECT_EQ(message_of<WriteError>([&] { AtomicHdf5Writer writer("/proc/a.h5"); }),
            "/proc/a.h5: cannot write: No such file or directory");
  EXPECT_EQ(message_of<WriteError>([&] { check_writable("/no/such/a.h5"); }),
            "/no/such/a.h5: cannot write: there is no folder '/no/such'");

  check_writable(file("a.h5"));
  EXPECT_TRUE(files().empty());
}

TEST_F(Hdf5Writer, AFolderWithoutPermissionIsAWriteError) {
  chmod(folder.c_str(), 0555);
  uid_t const user = geteuid();
  uid_t const nobody = 65534;  // root may write everywhere
  if (user == 0 && seteuid(nobody) != 0) GTEST_SKIP() << "cannot give up the rights of root";

  std::string const message = message_of<WriteError>([&] { AtomicHdf5Writer writer(file("a.h5")); });

  bool const restored = user != 0 || seteuid(user) == 0;
  ASSERT_TRUE(restored);
  chmod(folder.c_str(), 0700);
  EXPECT_EQ(message, file("a.h5") + ": cannot write: Permission denied");
}

TEST_F(Hdf5Writer, ASlabOutsideTheDatasetIsADefect) {
  std::vector<float> const values = ramp(8);
  AtomicHdf5Writer writer(file("a.h5"));
  writer.create_dataset<float>("a", {2, 4});

  EXPECT_EQ(message_of<Error>([&] {
              writer.write_slab("a", {1, 0}, {2, 4}, values.data());
            }),
            "internal error: dataset 'a' of shape [2][4]: slab [2][4] from [1][0]");
  EXPECT_THROW(writer.write_slab("b", {0}, {1}, values.data()), Error);
  EXPECT_THROW(writer.write("c", {3}, values), Error);
}

}  // namespace
}  // namespace strata
