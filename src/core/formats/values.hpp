// The distinct values of a column, numbered in the order in which they first appear.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace casebase {

// An open-addressing hash table over one run of bytes.
class DistinctValues {
 public:
  // `limit` is the end of readable memory after the value; the text has no NUL bytes.
  std::uint32_t code(const char* value, std::size_t n, const char* limit) {
    const std::uint64_t key = n <= 8 ? packed(value, n, limit) : hashed(value, n);
    if (slots_.empty()) slots_.resize(4);
    for (std::size_t at = mix(key);; ++at) {
      Slot& slot = slots_[at & (slots_.size() - 1)];
      if (slot.code == kFree) return insert(slot, key, value, n);
      // Up to eight bytes the key is the value itself; a zero byte ends the shorter ones.
      if (slot.key == key && slot.n == n && (n <= 8 || !std::memcmp(&bytes[offsets[slot.code]], value, n)))
        return slot.code;
    }
  }

  std::size_t size() const { return offsets.size() - 1; }

  std::vector<char> bytes;
  std::vector<std::int32_t> offsets{0};
  bool is_full = false;

 private:
  static std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 32;
    x *= 0x9E3779B97F4A7C15ull;
    return x ^ (x >> 29);
  }

  static constexpr std::uint32_t kFree = ~std::uint32_t{0};
  struct Slot {
    std::uint64_t key = 0;
    std::size_t n = 0;
    std::uint32_t code = kFree;
  };

  static std::uint64_t packed(const char* value, std::size_t n, const char* limit) {
    std::uint64_t key = 0;
    if (n == 0) return key;  // the value may be nowhere
    if (std::endian::native == std::endian::little && limit - value >= 8) {
      std::memcpy(&key, value, 8);
      return key & (~std::uint64_t{0} >> (64 - 8 * n));
    }
    std::memcpy(&key, value, n);
    return key;
  }

  static std::uint64_t hashed(const char* value, std::size_t n) {
    std::uint64_t hash = n, word;
    for (std::size_t i = 0; i + 8 <= n; i += 8) {
      std::memcpy(&word, value + i, 8);
      hash = mix(hash ^ word) * 0xD6E8FEB86659FD93ull;
    }
    std::memcpy(&word, value + n - 8, 8);
    return mix(hash ^ word);
  }

  std::uint32_t insert(Slot& slot, std::uint64_t key, const char* value, std::size_t n) {
    if (n > std::numeric_limits<std::int32_t>::max() - bytes.size()) {
      is_full = true;
      return 0;
    }
    const auto code = static_cast<std::uint32_t>(size());
    slot = {key, n, code};
    bytes.insert(bytes.end(), value, value + n);
    offsets.push_back(static_cast<std::int32_t>(bytes.size()));
    if (2 * size() > slots_.size()) grow();
    return code;
  }

  void grow() {
    std::vector<Slot> old(4 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.code == kFree) continue;
      std::size_t at = mix(slot.key);
      while (slots_[at & (slots_.size() - 1)].code != kFree) ++at;
      slots_[at & (slots_.size() - 1)] = slot;
    }
  }

  std::vector<Slot> slots_;
};

}  // namespace casebase
