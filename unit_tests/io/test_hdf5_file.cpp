#include <hdf5.h>

#include "core/base/error.hpp"
#include "core/io/hdf5_writer.hpp"
#include "unit_tests/io/scratch.hpp"

namespace strata {
namespace {

/// A file with one dataset of every kind that other programs write.
struct Hdf5Input : Scratch {
  std::string path = file("scan.h5");

  void write_scan() const {
    AtomicHdf5Writer writer(path);
    writer.write<float>("/sinogram", {2, 3}, {0, 1, 2, 3, 4, 5});
    writer.write<double>("/angles", {2}, {0.25, 1.0});
    writer.write<std::int64_t>("/large", {1}, {std::int64_t(1) << 40});
    writer.set_attribute("/angles", "unit", "rad");
    writer.set_attribute("/angles", "count", 2);
    writer.commit();
    hid_t const id = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    H5Lcreate_soft("/nowhere", id, "dangling", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("other.h5", "/x", id, "external", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/sinogram", id, "linked", H5P_DEFAULT, H5P_DEFAULT);
    write_text_and_booleans(id);
    H5Fclose(id);
  }

  /// Texts of fixed length, and booleans as numpy stores them: an enumeration of 8-bit numbers.
  static void write_text_and_booleans(hid_t id) {
    hsize_t const extent = 3;
    hid_t const space = H5Screate_simple(1, &extent, nullptr);
    hid_t const text_type = H5Tcopy(H5T_C_S1);
    H5Tset_size(text_type, 4);
    hid_t const scalar = H5Screate(H5S_SCALAR);
    hid_t const attribute = H5Acreate2(id, "fixed", text_type, scalar, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, text_type, "abcd");
    H5Aclose(attribute);
    H5Sclose(scalar);
    H5Dclose(H5Dcreate2(id, "text", text_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t const bool_type = H5Tenum_create(H5T_STD_I8LE);
    signed char const values[] = {0, 1, 1};
    H5Tenum_insert(bool_type, "FALSE", &values[0]);
    H5Tenum_insert(bool_type, "TRUE", &values[1]);
    hid_t const mask = H5Dcreate2(id, "mask", bool_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(mask, bool_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(mask);
    hid_t const big_endian = H5Dcreate2(id, "big_endian", H5T_STD_I16BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(big_endian, H5T_NATIVE_SCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(big_endian);
    H5Tclose(bool_type);
    H5Tclose(text_type);
    H5Sclose(space);
  }
};

TEST_F(Hdf5Input, NumbersOfAllKindsAreConverted) {
  write_scan();
  Hdf5File const input(path);

  EXPECT_EQ(input.read<double>("/sinogram"), (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(input.read<int>("/sinogram"), (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(input.read<float>("mask"), (std::vector<float>{0, 1, 1}));
  EXPECT_EQ(input.read<int>("mask"), (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(input.read<int>("big_endian"), (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(input.read<float>("linked").size(), 6u);
  std::vector<int> row(3);
  input.read_slab("/sinogram", {1, 0}, {1, 3}, row.data());
  EXPECT_EQ(row, (std::vector<int>{3, 4, 5}));
}

TEST_F(Hdf5Input, WholeNumbersAreNeverCutOrClipped) {
  write_scan();
  Hdf5File const input(path);

  EXPECT_EQ(message_of<InputError>([&] { input.read<int>("/angles"); }),
            path + ": dataset '/angles': expected whole numbers of 32 bits, got 0.25");
  EXPECT_EQ(message_of<InputError>([&] { input.read<int>("/large"); }),
            path + ": dataset '/large': expected whole numbers of 32 bits, got 1099511627776");
  EXPECT_EQ(input.read<std::int64_t>("/large")[0], std::int64_t(1) << 40);
}

TEST_F(Hdf5Input, FilesThatAreNoneAreNamed) {
  std::string const text = write("a.txt", "hello");
  std::string const empty = write("empty.h5", "");

  EXPECT_EQ(message_of<InputError>([&] { Hdf5File input("/no/scan.h5"); }),
            "/no/scan.h5: cannot open: No such file or directory");
  EXPECT_EQ(message_of<InputError>([&] { Hdf5File input(text); }), text + ": not an HDF5 file");
  EXPECT_EQ(message_of<InputError>([&] { Hdf5File input(empty); }), empty + ": not an HDF5 file");
  EXPECT_EQ(message_of<InputError>([&] { Hdf5File input(folder.string()); }),
            folder.string() + ": expected an HDF5 file, got a folder");
}

TEST_F(Hdf5Input, ACutFileIsDamaged) {
  write_scan();
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);

  std::string const message = message_of<InputError>([&] { Hdf5File input{path}; });

  EXPECT_TRUE(message.starts_with(path + ": cannot open the HDF5 file, it may be damaged or in use: ")) << message;
}

TEST_F(Hdf5Input, AMissingDatasetIsReportedWithWhatThereIs) {
  write_scan();
  Hdf5File const input(path);

  EXPECT_FALSE(input.has("/weights"));
  EXPECT_EQ(message_of<InputError>([&] { input.read<float>("/sinogramm"); }),
            path + ": no dataset '/sinogramm': did you mean '/sinogram'?");
  EXPECT_EQ(
      message_of<InputError>([&] { input.shape("weights"); }),
      path + ": no dataset 'weights': the file has /angles, /big_endian, /large, /linked, /mask, /sinogram, /text");
  EXPECT_EQ(message_of<InputError>([&] { input.shape("/"); }),
            path +
                ": '/': expected a dataset, got a group with angles, big_endian, dangling, external, large, linked, "
                "mask, sinogram, text");
}

TEST_F(Hdf5Input, LinksThatLeadNowhereAreNamed) {
  write_scan();
  Hdf5File const input(path);

  EXPECT_FALSE(input.has("/dangling"));
  EXPECT_FALSE(input.has("/dangling/below"));
  EXPECT_EQ(message_of<InputError>([&] { input.read<float>("/dangling"); }),
            path + ": dataset '/dangling' is a link to '/nowhere', which cannot be found");
  EXPECT_EQ(message_of<InputError>([&] { input.read<float>("external"); }),
            path + ": dataset 'external' is a link to 'other.h5:/x', which cannot be found");
}

TEST_F(Hdf5Input, WrongShapesAreReportedWithBoth) {
  write_scan();
  Hdf5File const input(path);

  EXPECT_NO_THROW(input.require_shape("/sinogram", {2, -1}));
  EXPECT_EQ(message_of<InputError>([&] {
              input.require_shape("/sinogram", {2, 3, 4}, "view, det_row, channel");
            }),
            path + ": dataset '/sinogram': expected 3 axes (view, det_row, channel), got shape [2][3]");
  EXPECT_EQ(message_of<InputError>([&] {
              input.require_shape("/sinogram", {-1, 4}, "view, channel");
            }),
            path + ": dataset '/sinogram': expected shape [any][4] (view, channel), got [2][3]");
  std::vector<float> values(6);
  EXPECT_EQ(message_of<InputError>([&] {
              input.read_slab("/sinogram", {1, 0}, {2, 3}, values.data());
            }),
            path + ": dataset '/sinogram': expected at least [2][3] from [1][0], got shape [2][3]");
}

TEST_F(Hdf5Input, ADatasetThatIsTooBigIsAMemoryError) {
  {
    AtomicHdf5Writer writer(path);
    writer.create_dataset<float>("/recon", {1'000'000, 1'000'000, 1'000'000}, {1, 1, 1000});
    writer.commit();
  }
  Hdf5File const input(path);

  EXPECT_EQ(message_of<MemoryError>([&] { input.read<float>("/recon"); }),
            path + ": dataset '/recon' of shape [1000000][1000000][1000000] needs 4e+09 GB, more than the host has");
}

TEST_F(Hdf5Input, TextIsNoNumber) {
  write_scan();
  Hdf5File const input(path);

  EXPECT_EQ(message_of<InputError>([&] { input.read<float>("text"); }),
            path + ": dataset 'text': expected numbers, got text");
}

TEST_F(Hdf5Input, AttributesAreChecked) {
  write_scan();
  Hdf5File const input(path);

  EXPECT_EQ(input.string_attribute("/angles", "unit"), "rad");
  EXPECT_EQ(input.string_attribute("/", "fixed"), "abcd");
  EXPECT_FALSE(input.has_attribute("/sinogram", "unit"));
  EXPECT_EQ(message_of<InputError>([&] { input.string_attribute("/angles", "units"); }),
            path + ": '/angles': no attribute 'units', did you mean 'unit'?");
  EXPECT_EQ(message_of<InputError>([&] { input.string_attribute("/angles", "count"); }),
            path + ": '/angles': attribute 'count': expected one text");
  EXPECT_EQ(message_of<InputError>([&] { input.number_attribute("/angles", "unit"); }),
            path + ": '/angles': attribute 'unit': expected numbers, got text");
}

}  // namespace
}  // namespace strata
