#include "core/io/hdf5_writer.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "core/base/error.hpp"
#include "core/io/atomic_path.hpp"
#include "core/io/hdf5_handle.hpp"
#include "core/io/hdf5_names.hpp"

namespace strata {

struct AtomicHdf5Writer::Impl {
  AtomicPath path;
  Hdf5Handle file;
  int descriptor = -1;  ///< the system's, of `file`
  std::map<std::string, Hdf5Handle> datasets;

  explicit Impl(std::string target) : path(std::move(target)) {}
  ~Impl() {
    if (file.valid()) abandon();
  }

  void check(bool ok, std::string const& what);
  void abandon() noexcept;
  Hdf5Handle open_object(std::string const& object);
  void set_attribute(std::string const& object, std::string const& name, hid_t type, hid_t space, void const* values);
  void set_list(std::string const& object, std::string const& name, hid_t type, std::size_t size, void const* values);
};

/// Throws WriteError with HDF5's reason when a call failed.
void AtomicHdf5Writer::Impl::check(bool ok, std::string const& what) {
  if (ok) return;
  std::string const reason = hdf5_reason();
  abandon();
  throw WriteError(text(path.target(), ": cannot write ", what, ": ", reason));
}

/// Removes the unfinished file. HDF5 insists on writing what it still holds, and may keep a file that it cannot write
/// open with its disk space; so the descriptor is first turned into an anonymous file in memory.
void AtomicHdf5Writer::Impl::abandon() noexcept {
  path.discard();
  if (!file.valid()) return;
  int const memory = descriptor < 0 ? -1 : memfd_create("strata-abandoned", MFD_CLOEXEC);
  if (memory >= 0) {
    dup2(memory, descriptor);
    close(memory);
  }
  datasets.clear();
  file.reset();
}

namespace {

Hdf5Handle creation_of_groups() {
  Hdf5Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links.get(), 1);
  return links;
}

Hdf5Handle text_type() {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

Hdf5Handle space_of(Hdf5Shape const& shape) {
  auto const sizes = hdf5_sizes(shape);
  if (sizes.empty()) return {H5Screate(H5S_SCALAR), H5Sclose};
  return {H5Screate_simple(int(sizes.size()), sizes.data(), nullptr), H5Sclose};
}

}  // namespace

AtomicHdf5Writer::AtomicHdf5Writer(std::string path) {
  silence_hdf5();
  impl_ = std::make_unique<Impl>(std::move(path));
  std::string const& temporary = impl_->path.temporary();
  impl_->file = {H5Fcreate(temporary.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose};
  impl_->check(impl_->file.valid(), "the file");
  void* descriptor = nullptr;
  if (H5Fget_vfd_handle(impl_->file.get(), H5P_DEFAULT, &descriptor) >= 0) {
    impl_->descriptor = *static_cast<int const*>(descriptor);
  }
}

AtomicHdf5Writer::~AtomicHdf5Writer() = default;
AtomicHdf5Writer::AtomicHdf5Writer(AtomicHdf5Writer&&) noexcept = default;

std::string const& AtomicHdf5Writer::path() const {
  return impl_->path.target();
}

template <class T>
void AtomicHdf5Writer::create_dataset(std::string const& name, Hdf5Shape const& shape, Hdf5Shape const& chunk) {
  ensure(impl_->file.valid(), "dataset '", name, "' is created after the file was closed");
  Hdf5Handle const creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (!chunk.empty() && hdf5_size(shape) > 0) {
    ensure(chunk.size() == shape.size(), "dataset '", name, "': chunk ", shape_text(chunk), " of ", shape_text(shape));
    auto sizes = hdf5_sizes(chunk);
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) sizes[axis] = std::min(sizes[axis], hsize_t(shape[axis]));
    H5Pset_chunk(creation.get(), int(sizes.size()), sizes.data());
  }
  Hdf5Handle const space = space_of(shape);
  Hdf5Handle const links = creation_of_groups();
  Hdf5Handle dataset(H5Dcreate2(impl_->file.get(), name.c_str(), hdf5_type<T>().file, space.get(), links.get(),
                                creation.get(), H5P_DEFAULT),
                     H5Dclose);
  impl_->check(dataset.valid(), text("dataset '", name, "'"));
  impl_->datasets[name] = std::move(dataset);
}

template <class T>
void AtomicHdf5Writer::write_slab(std::string const& name, Hdf5Shape const& offset, Hdf5Shape const& count,
                                  T const* values) {
  auto const found = impl_->datasets.find(name);
  ensure(found != impl_->datasets.end(), "dataset '", name, "' was not created before writing");
  if (hdf5_size(count) == 0) return;
  hid_t const dataset = found->second.get();
  Hdf5Handle const space(H5Dget_space(dataset), H5Sclose);
  Hdf5Shape const shape = hdf5_extents(space.get());
  bool inside = offset.size() == shape.size() && count.size() == shape.size();
  for (std::size_t axis = 0; inside && axis < shape.size(); ++axis) {
    inside = offset[axis] >= 0 && count[axis] >= 0 && offset[axis] <= shape[axis] - count[axis];
  }
  ensure(inside, "dataset '", name, "' of shape ", shape_text(shape), ": slab ", shape_text(count), " from ",
         shape_text(offset));
  if (!shape.empty()) {
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, hdf5_sizes(offset).data(), nullptr, hdf5_sizes(count).data(),
                        nullptr);
  }
  Hdf5Handle const memory = space_of(count);
  bool const ok = H5Dwrite(dataset, hdf5_type<T>().memory, memory.get(), space.get(), H5P_DEFAULT, values) >= 0;
  impl_->check(ok, text("dataset '", name, "'"));
}

template <class T>
void AtomicHdf5Writer::write(std::string const& name, Hdf5Shape const& shape, std::vector<T> const& values) {
  ensure(hdf5_size(shape) == values.size(), "dataset '", name, "' of shape ", shape_text(shape), " from ",
         values.size(), " values");
  create_dataset<T>(name, shape);
  write_slab(name, Hdf5Shape(shape.size(), 0), shape, values.data());
}

#define STRATA_WRITER_TYPE(T)                                                                                   \
  template void AtomicHdf5Writer::create_dataset<T>(std::string const&, Hdf5Shape const&, Hdf5Shape const&);    \
  template void AtomicHdf5Writer::write_slab(std::string const&, Hdf5Shape const&, Hdf5Shape const&, T const*); \
  template void AtomicHdf5Writer::write(std::string const&, Hdf5Shape const&, std::vector<T> const&);
STRATA_WRITER_TYPE(float)
STRATA_WRITER_TYPE(double)
STRATA_WRITER_TYPE(int)
STRATA_WRITER_TYPE(std::int64_t)
#undef STRATA_WRITER_TYPE

Hdf5Handle AtomicHdf5Writer::Impl::open_object(std::string const& object) {
  ensure(file.valid(), "an attribute of '", object, "' is set after the file was closed");
  if (!hdf5_resolves(file.get(), object)) {
    Hdf5Handle const links = creation_of_groups();
    Hdf5Handle group(H5Gcreate2(file.get(), object.c_str(), links.get(), H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    check(group.valid(), text("group '", object, "'"));
    return group;
  }
  Hdf5Handle opened(H5Oopen(file.get(), object.c_str(), H5P_DEFAULT), H5Oclose);
  check(opened.valid(), text("to '", object, "'"));
  return opened;
}

void AtomicHdf5Writer::Impl::set_attribute(std::string const& object, std::string const& name, hid_t type, hid_t space,
                                           void const* values) {
  Hdf5Handle const owner = open_object(object);
  if (H5Aexists(owner.get(), name.c_str()) > 0) H5Adelete(owner.get(), name.c_str());
  std::string const what = text("attribute '", name, "' of '", object, "'");
  Hdf5Handle attribute(H5Acreate2(owner.get(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(attribute.valid(), what);
  bool const empty = H5Sget_simple_extent_npoints(space) == 0;
  check(empty || H5Awrite(attribute.get(), type, values) >= 0, what);
  check(attribute.reset(), what);
}

void AtomicHdf5Writer::Impl::set_list(std::string const& object, std::string const& name, hid_t type, std::size_t size,
                                      void const* values) {
  hsize_t const extent = size;
  Hdf5Handle const space(size > 0 ? H5Screate_simple(1, &extent, nullptr) : H5Screate(H5S_NULL), H5Sclose);
  set_attribute(object, name, type, space.get(), values);
}

void AtomicHdf5Writer::set_attribute(std::string const& object, std::string const& name, std::string const& value) {
  // Of variable length: has no limit of 64 KiB, and Python reads it as text and not as bytes.
  Hdf5Handle const space(H5Screate(H5S_SCALAR), H5Sclose);
  char const* const pointer = value.c_str();
  impl_->set_attribute(object, name, text_type().get(), space.get(), &pointer);
}

void AtomicHdf5Writer::set_attribute(std::string const& object, std::string const& name, double value) {
  Hdf5Handle const space(H5Screate(H5S_SCALAR), H5Sclose);
  impl_->set_attribute(object, name, H5T_NATIVE_DOUBLE, space.get(), &value);
}

void AtomicHdf5Writer::set_attribute(std::string const& object, std::string const& name, std::int64_t value) {
  Hdf5Handle const space(H5Screate(H5S_SCALAR), H5Sclose);
  impl_->set_attribute(object, name, H5T_NATIVE_INT64, space.get(), &value);
}

void AtomicHdf5Writer::set_attribute(std::string const& object, std::string const& name,
                                     std::vector<double> const& values) {
  impl_->set_list(object, name, H5T_NATIVE_DOUBLE, values.size(), values.data());
}

void AtomicHdf5Writer::set_attribute(std::string const& object, std::string const& name,
                                     std::vector<std::int64_t> const& values) {
  impl_->set_list(object, name, H5T_NATIVE_INT64, values.size(), values.data());
}

void AtomicHdf5Writer::set_attribute(std::string const& object, std::string const& name,
                                     std::vector<std::string> const& values) {
  std::vector<char const*> pointers;
  for (auto const& value : values) pointers.push_back(value.c_str());
  impl_->set_list(object, name, text_type().get(), pointers.size(), pointers.data());
}

Hdf5Shape chunk_for_slice_blocks(Hdf5Shape const& shape, int block) {
  constexpr std::size_t small = std::size_t(16) << 20;  // values
  if (hdf5_size(shape) < small) return {};
  return {32, 64, block};
}

void AtomicHdf5Writer::commit() {
  ensure(impl_->file.valid(), impl_->path.target(), ": the file was closed before");
  for (auto& [name, dataset] : impl_->datasets) {
    // Flushed first: after a failed close the file can no longer be abandoned.
    impl_->check(H5Dflush(dataset.get()) >= 0, text("dataset '", name, "'"));
  }
  impl_->check(H5Fflush(impl_->file.get(), H5F_SCOPE_GLOBAL) >= 0, "the file");
  for (auto& [name, dataset] : impl_->datasets) impl_->check(dataset.reset(), text("dataset '", name, "'"));
  bool const closed = impl_->file.reset();  // also when it fails the identifier must not be used again
  impl_->check(closed, "the file");
  impl_->path.commit();
}

}  // namespace strata
