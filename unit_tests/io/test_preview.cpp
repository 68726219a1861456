#include <limits>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

#include "core/base/error.hpp"
#include "core/io/preview.hpp"
#include "unit_tests/io/scratch.hpp"

namespace strata {
namespace {

struct Preview : Scratch {
  /// Width, height and grey values of a PNG.
  static std::vector<int> decode(std::string const& path) {
    int width = 0, height = 0, channels = 0;
    unsigned char* const pixels = stbi_load(path.c_str(), &width, &height, &channels, 0);
    if (pixels == nullptr || channels != 1) return {};
    std::vector<int> result = {width, height};
    result.insert(result.end(), pixels, pixels + width * height);
    stbi_image_free(pixels);
    return result;
  }
};

TEST_F(Preview, PixelsAreTheValuesInTheWindow) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  write_preview(file("a.png"), {-5, 0, 1, 2, 9, nan}, 2, 3, {0, 2});

  EXPECT_EQ(decode(file("a.png")), (std::vector<int>{3, 2, 0, 0, 128, 255, 255, 0}));
  EXPECT_EQ(files(), std::vector<std::string>{"a.png"});
}

TEST_F(Preview, AFlatPictureIsMidGrey) {
  write_preview(file("a.png"), {7, 7}, 1, 2);

  EXPECT_EQ(decode(file("a.png")), (std::vector<int>{2, 1, 128, 128}));
}

TEST_F(Preview, TheWindowIgnoresOutliersAndWhatIsNotFinite) {
  std::vector<float> values;
  for (int i = 0; i <= 1000; ++i) values.push_back(float(i));
  values[500] = 1e9f;
  values[501] = std::numeric_limits<float>::infinity();
  values[502] = std::numeric_limits<float>::quiet_NaN();

  GreyWindow const window = robust_window(values);

  EXPECT_NEAR(window.low, 5, 1.01);
  EXPECT_NEAR(window.high, 995, 1.01);
  EXPECT_EQ(robust_window({}).high, 1.0);
}

TEST_F(Preview, AFolderThatIsMissingIsAWriteError) {
  EXPECT_EQ(message_of<WriteError>([&] {
              write_preview("/no/such/a.png", {1, 2}, 1, 2);
            }),
            "/no/such/a.png: cannot write: there is no folder '/no/such'");
}

TEST_F(Preview, AShapeThatDoesNotFitIsRefused) {
  EXPECT_THROW(write_preview(file("a.png"), {1, 2, 3}, 2, 2), Error);
  EXPECT_TRUE(files().empty());
}

}  // namespace
}  // namespace strata
