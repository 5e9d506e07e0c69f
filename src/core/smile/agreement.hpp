// The features on which stored cases agree with a question: a bit mask per case, and the distinct masks.
//
// Masks are computed block by block. Within a block eight columns at a time fill bytes, because codes are narrow and
// the compiler compares many of them at once; the bytes are then widened to words. The masks of a block are looked up
// while they are in the cache: in a table of all masks if there are at most 16 features, otherwise in a hash table.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "core/simd.hpp"
#include "core/types.hpp"

namespace casebase {

namespace detail {

template <class Code>
void mark_equal(const Code* codes, Code asked, std::uint8_t bit, std::uint8_t* bytes, std::size_t n) {
  best_version(
      [](const Code* c, Code a, std::uint8_t b, std::uint8_t* out, std::size_t size) CASEBASE_INLINE_LAMBDA {
        for (std::size_t i = 0; i < size; ++i) out[i] |= c[i] == a ? b : std::uint8_t{0};
      },
      codes, asked, bit, bytes, n);
}

template <class Word>
void add_bytes(const std::uint8_t* bytes, unsigned shift, Word* masks, std::size_t n) {
  best_version(
      [](const std::uint8_t* b, unsigned s, Word* out, std::size_t size) CASEBASE_INLINE_LAMBDA {
        for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<Word>(out[i] | static_cast<Word>(b[i]) << s);
      },
      bytes, shift, masks, n);
}

}  // namespace detail

// The distinct masks of all rows for one question. Mask 0 is the empty mask, even if no row has it.
class Agreement {
 public:
  Agreement(const std::vector<Column>& columns, const std::vector<double>& count_of_row)
      : columns_(columns),
        count_of_row_(count_of_row),
        n_rows_(count_of_row.size()),
        n_words_((columns.size() + 63) / 64),
        mask_of_row_(count_of_row.size()) {}
  virtual ~Agreement() = default;

  // Compares all rows with one case, given by its codes; an unknown value is the largest 32-bit number.
  virtual void compare(const std::uint32_t* asked) = 0;

  std::size_t n_words() const { return n_words_; }
  std::size_t n_masks() const { return n_masks_; }
  const std::uint64_t* mask(std::size_t i) const { return masks_.data() + i * n_words_; }
  double& count(std::size_t i) { return count_[i]; }                          // the number of cases with this mask
  const std::uint32_t* masks_of_rows() const { return mask_of_row_.data(); }  // the number of each row's mask

 protected:
  const std::vector<Column>& columns_;
  const std::vector<double>& count_of_row_;
  std::size_t n_rows_, n_words_, n_masks_ = 1;
  std::vector<std::uint64_t> masks_;  // n_words_ each
  std::vector<double> count_;
  std::vector<std::uint32_t> mask_of_row_;
};

// Word holds as many bits as there are features, or 64.
template <class Word>
class AgreementIn : public Agreement {
 public:
  AgreementIn(const std::vector<Column>& columns, const std::vector<double>& count_of_row)
      : Agreement(columns, count_of_row), words_(kBlock * n_words_), bytes_(kBlock) {
    const std::size_t n_slots = kByTable ? std::size_t{1} << columns.size() : std::bit_ceil(2 * n_rows_ + 2);
    slots_.assign(n_slots, 0);
    shift_ = 64 - std::countr_zero(n_slots);
  }

  void compare(const std::uint32_t* asked) override {
    forget();
    for (std::size_t begin = 0; begin < n_rows_; begin += kBlock) {
      const std::size_t n = std::min(kBlock, n_rows_ - begin);
      fill_block(asked, begin, n);
      number_masks(begin, n);
    }
  }

 private:
  static constexpr std::size_t kBlock = 2048;
  static constexpr std::size_t kBits = 8 * sizeof(Word);
  static constexpr bool kByTable = sizeof(Word) <= 2;

  void forget() {
    if constexpr (kByTable) {
      for (std::size_t i = 1; i < n_masks_; ++i) slots_[masks_[i]] = 0;
    } else {
      std::fill(slots_.begin(), slots_.end(), 0);
    }
    masks_.assign(n_words_, 0);
    count_.assign(1, 0.0);
    n_masks_ = 1;
  }

  void fill_block(const std::uint32_t* asked, std::size_t begin, std::size_t n) {
    std::fill(words_.begin(), words_.end(), Word{0});
    for (std::size_t first = 0; first < columns_.size(); first += 8) {
      std::fill_n(bytes_.begin(), n, std::uint8_t{0});
      const std::size_t end = std::min(first + 8, columns_.size());
      for (std::size_t f = first; f < end; ++f) mark(columns_[f], asked[f], std::uint8_t(1u << (f - first)), begin, n);
      detail::add_bytes(bytes_.data(), static_cast<unsigned>(first % kBits), words_.data() + first / kBits * kBlock, n);
    }
  }

  void mark(const Column& column, std::uint32_t asked, std::uint8_t bit, std::size_t begin, std::size_t n) {
    if (asked == 0xFFFFFFFFu) return;  // an unknown value agrees with none
    switch (column.width) {
      case Column::Width::u8:
        detail::mark_equal(static_cast<const std::uint8_t*>(column.data) + begin, static_cast<std::uint8_t>(asked), bit,
                           bytes_.data(), n);
        break;
      case Column::Width::u16:
        detail::mark_equal(static_cast<const std::uint16_t*>(column.data) + begin, static_cast<std::uint16_t>(asked),
                           bit, bytes_.data(), n);
        break;
      default:
        detail::mark_equal(static_cast<const std::uint32_t*>(column.data) + begin, asked, bit, bytes_.data(), n);
    }
  }

  // Looks up the masks of a block and counts their cases.
  void number_masks(std::size_t begin, std::size_t n) {
    // Local pointers: the compiler cannot know that writing a number leaves the members of this object alone.
    std::uint32_t* const mask_of_row = mask_of_row_.data() + begin;
    const double* const count_of_row = count_of_row_.data() + begin;
    if constexpr (kByTable) {
      const Word* const words = words_.data();
      std::uint32_t* const slots = slots_.data();
      double* count = count_.data();
      for (std::size_t i = 0; i < n; ++i) {
        std::uint32_t mask = slots[words[i]];
        if (mask == 0 && words[i] != 0) [[unlikely]] {
          mask = slots[words[i]] = added(i);
          count = count_.data();
        }
        mask_of_row[i] = mask;
        count[mask] += count_of_row[i];
      }
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t mask = looked_up(i);
        mask_of_row[i] = mask;
        count_[mask] += count_of_row[i];
      }
    }
  }

  // The number of the i-th mask of the block; a new number if the mask is new.
  std::uint32_t looked_up(std::size_t i) {
    if constexpr (kByTable) {
      const Word word = words_[i];
      if (word == 0) return 0;
      std::uint32_t& slot = slots_[word];
      if (slot == 0) slot = added(i);
      return slot;
    } else {
      std::uint64_t hash = 0, any = 0;
      for (std::size_t w = 0; w < n_words_; ++w) {
        const std::uint64_t word = words_[w * kBlock + i];
        any |= word;
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
      }
      if (any == 0) return 0;
      hash *= 0x9E3779B97F4A7C15u;
      for (std::size_t at = hash >> shift_;; at = (at + 1) & (slots_.size() - 1)) {
        if (slots_[at] == 0) return slots_[at] = added(i);
        if (is_mask(i, slots_[at])) return slots_[at];
      }
    }
  }

  bool is_mask(std::size_t i, std::uint32_t number) const {
    for (std::size_t w = 0; w < n_words_; ++w)
      if (masks_[number * n_words_ + w] != words_[w * kBlock + i]) return false;
    return true;
  }

  std::uint32_t added(std::size_t i) {
    for (std::size_t w = 0; w < n_words_; ++w) masks_.push_back(words_[w * kBlock + i]);
    count_.push_back(0.0);
    return static_cast<std::uint32_t>(n_masks_++);
  }

  std::vector<Word> words_;  // of a block: the first words of all rows, then the second words, …
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint32_t> slots_;  // number of a mask, 0 if free
  unsigned shift_;
};

inline std::unique_ptr<Agreement> agreement_with(const std::vector<Column>& columns,
                                                 const std::vector<double>& count_of_row) {
  if (columns.size() <= 16) return std::make_unique<AgreementIn<std::uint16_t>>(columns, count_of_row);
  if (columns.size() <= 32) return std::make_unique<AgreementIn<std::uint32_t>>(columns, count_of_row);
  return std::make_unique<AgreementIn<std::uint64_t>>(columns, count_of_row);
}

}  // namespace casebase
