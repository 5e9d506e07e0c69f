// Strings for the kernels: letters are code points, strings are concatenated.
#pragma once

#include "bindings/arrays.hpp"
#include "core/strings/trie.hpp"

namespace casebase {

using Letters = Vector<Letter>;

inline Words as_words(const Letters& text, const Vector<std::uint64_t>& first) {
  const std::size_t n = first.shape(0);
  require(n > 0 && first.data()[0] == 0 && first.data()[n - 1] == text.shape(0), "words must fill the text");
  for (std::size_t w = 1; w < n; ++w) require(first.data()[w - 1] <= first.data()[w], "words must follow one another");
  return {text.data(), first.data(), n - 1};
}

}  // namespace casebase
