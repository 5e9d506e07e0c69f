// One source, several instruction sets: a hot loop is compiled for each and the best is chosen at run time.
//
// Wheels are built for the baseline of their platform. best_version() compiles a loop that gains from wider vectors
// again for AVX2 and AVX-512, where the compiler can, and selects a version by the processor's features. Other
// platforms have only the baseline version: slower, with the same results.
#pragma once

#include <utility>

#if defined(__GNUC__)
#define CASEBASE_INLINE inline __attribute__((always_inline))
#define CASEBASE_INLINE_LAMBDA __attribute__((always_inline))
#else
#define CASEBASE_INLINE __forceinline
#define CASEBASE_INLINE_LAMBDA
#endif

namespace casebase {

#if defined(__GNUC__) && defined(__x86_64__)

namespace detail {

enum class InstructionSet { baseline, avx2, avx512 };

inline InstructionSet instruction_set() {
  static const InstructionSet best =
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")
          ? InstructionSet::avx512
      : __builtin_cpu_supports("avx2") ? InstructionSet::avx2
                                       : InstructionSet::baseline;
  return best;
}

#if defined(__clang__)
#define CASEBASE_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))
#else
#define CASEBASE_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,prefer-vector-width=512")))
#endif

template <class Loop, class... Args>
CASEBASE_AVX512 auto with_avx512(const Loop& loop, Args... args) {
  return loop(args...);
}

template <class Loop, class... Args>
__attribute__((target("avx2"))) auto with_avx2(const Loop& loop, Args... args) {
  return loop(args...);
}

}  // namespace detail

// Runs `loop`, a lambda marked CASEBASE_INLINE_LAMBDA, in the best version for this processor.
template <class Loop, class... Args>
auto best_version(const Loop& loop, Args... args) {
  switch (detail::instruction_set()) {
    case detail::InstructionSet::avx512:
      return detail::with_avx512(loop, args...);
    case detail::InstructionSet::avx2:
      return detail::with_avx2(loop, args...);
    default:
      return loop(args...);
  }
}

#else

template <class Loop, class... Args>
auto best_version(const Loop& loop, Args... args) {
  return loop(args...);
}

#endif

}  // namespace casebase
