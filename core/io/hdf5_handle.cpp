#include "core/io/hdf5_handle.hpp"

namespace strata {
namespace {

extern "C" herr_t strata_keep_description(unsigned, H5E_error2_t const* error, void* text) {
  auto& reason = *static_cast<std::string*>(text);
  if (error->desc != nullptr && error->desc[0] != '\0') reason = error->desc;
  return 0;
}

}  // namespace

void silence_hdf5() {
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

std::string hdf5_reason() {
  std::string reason = "unknown cause";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, strata_keep_description, &reason);
  // Failures of the system come as several lines with buffer addresses; their cause stands in quotes.
  std::string const mark = "error message = '";
  auto const begin = reason.find(mark);
  if (begin == std::string::npos) return reason.substr(0, reason.find('\n'));
  std::string const cause = reason.substr(begin + mark.size());
  return cause.substr(0, cause.find('\''));
}

template <>
Hdf5Type hdf5_type<float>() {
  return {H5T_NATIVE_FLOAT, H5T_IEEE_F32LE};
}
template <>
Hdf5Type hdf5_type<double>() {
  return {H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE};
}
template <>
Hdf5Type hdf5_type<int>() {
  return {H5T_NATIVE_INT, H5T_STD_I32LE};
}
template <>
Hdf5Type hdf5_type<std::int64_t>() {
  return {H5T_NATIVE_INT64, H5T_STD_I64LE};
}

Hdf5Handle hdf5_open_dataset(hid_t file, std::string const& name) {
  constexpr std::size_t cache_bytes = std::size_t(64) << 20;
  constexpr std::size_t cache_slots = 12421;  // a prime, about a hundred times the chunks that fit
  Hdf5Handle const access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  H5Pset_chunk_cache(access.get(), cache_slots, cache_bytes, H5D_CHUNK_CACHE_W0_DEFAULT);
  return {H5Dopen2(file, name.c_str(), access.get()), H5Dclose};
}

std::vector<std::int64_t> hdf5_extents(hid_t dataspace) {
  int const rank = H5Sget_simple_extent_ndims(dataspace);
  std::vector<hsize_t> sizes(rank > 0 ? rank : 0);
  if (rank > 0) H5Sget_simple_extent_dims(dataspace, sizes.data(), nullptr);
  return {sizes.begin(), sizes.end()};
}

std::vector<hsize_t> hdf5_sizes(std::vector<std::int64_t> const& extents) {
  return {extents.begin(), extents.end()};
}

std::size_t hdf5_size(std::vector<std::int64_t> const& extents) {
  std::size_t size = 1;
  for (auto const extent : extents) size *= std::size_t(extent);
  return size;
}

}  // namespace strata
