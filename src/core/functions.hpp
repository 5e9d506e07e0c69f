// Logarithms, exponentials and powers with the same bits on every machine.
//
// The C library and NumPy choose among several programs for these by the processor, and these differ in the last bit.
// What is stored in a model file must not depend on that. Here are sums, products and quotients of doubles alone, which
// are the same everywhere as long as no product is fused with a sum (-ffp-contract=off). Results are within 0.53 units
// in the last place: nearly always the nearest double.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace casebase {

namespace functions {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLn2High = 6.93147180369123816490e-01;  // 32 bits: a multiple by a small integer is exact
constexpr double kLn2Low = 1.90821492927058770002e-10;
constexpr double kInverseLn2High = 1.44269504088896338700e+00;
constexpr double kInverseLn2Low = 2.03552737409310331e-17;

// A number as the sum of two doubles, of which the second is much smaller.
struct Pair {
  double high;
  double low;
};

// Knuth's sum: what rounding takes from the sum is in the second number.
inline Pair exact_sum(double a, double b) {
  const double sum = a + b, b_taken = sum - a, a_taken = sum - b_taken;
  return {sum, (a - a_taken) + (b - b_taken)};
}

// Dekker's product, for factors far from the largest double.
inline Pair exact_product(double a, double b) {
  constexpr double kSplit = 134217729.0;  // 2^27 + 1
  const double ca = kSplit * a, cb = kSplit * b;
  const double a_high = ca - (ca - a), b_high = cb - (cb - b);
  const double a_low = a - a_high, b_low = b - b_high, product = a * b;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

struct Scaled {
  int exponent;
  double mantissa;  // from the root of 1/2 to the root of 2
};

// A positive finite number as mantissa · 2^exponent.
inline Scaled scaled(double x) {
  int shift = 0;
  if (x < std::numeric_limits<double>::min()) {
    x *= 18014398509481984.0;  // 2^54
    shift = -54;
  }
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  bits = (bits & 0xFFFFFFFFFFFFFull) | (1023ull << 52);
  double mantissa;
  std::memcpy(&mantissa, &bits, sizeof mantissa);
  if (mantissa > 1.4142135623730951) {
    mantissa *= 0.5;
    ++exponent;
  }
  return {exponent + shift, mantissa};
}

// ln(m) = 2 artanh(s) with s = (m - 1) / (m + 1), for m between the roots of 1/2 and 2: a series in s².
inline Pair log_of_mantissa(double m) {
  const double f = m - 1.0, below = 2.0 + f;
  const double below_low = f - (below - 2.0);
  const double s = f / below;
  const Pair product = exact_product(s, below);
  const double s_low = (((f - product.high) - product.low) - s * below_low) / below;
  const double z = s * s;
  double series = 1.0 / 23.0;
  series = series * z + 1.0 / 21.0;
  series = series * z + 1.0 / 19.0;
  series = series * z + 1.0 / 17.0;
  series = series * z + 1.0 / 15.0;
  series = series * z + 1.0 / 13.0;
  series = series * z + 1.0 / 11.0;
  series = series * z + 1.0 / 9.0;
  series = series * z + 1.0 / 7.0;
  series = series * z + 1.0 / 5.0;
  series = series * z + 1.0 / 3.0;
  return {2.0 * s, 2.0 * (s_low + s * z * series)};
}

inline Pair log_pair(double x) {
  const Scaled parts = scaled(x);
  const double k = parts.exponent;
  const Pair log = log_of_mantissa(parts.mantissa);
  const Pair sum = exact_sum(k * kLn2High, log.high);
  return exact_sum(sum.high, sum.low + (k * kLn2Low + log.low));
}

// e to the power x + low, where `low` is small.
inline double exp_of(double x, double low) {
  if (std::isnan(x)) return x;
  if (x > 709.79) return kInfinity;
  if (x < -745.14) return 0.0;
  const double k = std::floor(x * kInverseLn2High + 0.5);
  const Pair r = exact_sum(x - k * kLn2High, low - k * kLn2Low);
  const double h = r.high;
  double series = 1.0 / 87178291200.0;  // 14!
  series = series * h + 1.0 / 6227020800.0;
  series = series * h + 1.0 / 479001600.0;
  series = series * h + 1.0 / 39916800.0;
  series = series * h + 1.0 / 3628800.0;
  series = series * h + 1.0 / 362880.0;
  series = series * h + 1.0 / 40320.0;
  series = series * h + 1.0 / 5040.0;
  series = series * h + 1.0 / 720.0;
  series = series * h + 1.0 / 120.0;
  series = series * h + 1.0 / 24.0;
  series = series * h + 1.0 / 6.0;
  // 1 + h + h²/2 as a pair: the rest is below a hundredth of it.
  const Pair square = exact_product(h, 0.5 * h);
  const Pair first = exact_sum(1.0, h);
  const Pair second = exact_sum(first.high, square.high);
  const double rest = first.low + second.low + square.low + h * h * h * series + r.low * (1.0 + h);
  return std::ldexp(second.high + rest, static_cast<int>(k));
}

}  // namespace functions

inline double portable_log(double x) {
  if (!(x > 0.0)) return x == 0.0 ? -functions::kInfinity : std::numeric_limits<double>::quiet_NaN();
  if (x == functions::kInfinity) return x;
  return functions::log_pair(x).high;
}

// The binary logarithm; that of a power of two is exact.
inline double portable_log2(double x) {
  if (!(x > 0.0)) return x == 0.0 ? -functions::kInfinity : std::numeric_limits<double>::quiet_NaN();
  if (x == functions::kInfinity) return x;
  const functions::Scaled parts = functions::scaled(x);
  const functions::Pair log = functions::log_of_mantissa(parts.mantissa);
  const functions::Pair product = functions::exact_product(log.high, functions::kInverseLn2High);
  const double low = product.low + (log.high * functions::kInverseLn2Low + log.low * functions::kInverseLn2High);
  const functions::Pair sum = functions::exact_sum(parts.exponent, product.high);
  return sum.high + (sum.low + low);
}

inline double portable_log1p(double x) {
  const double sum = 1.0 + x;
  if (!(sum > 0.0) || sum == functions::kInfinity) return portable_log(sum);
  if (sum == 1.0) return x;
  const functions::Pair log = functions::log_pair(sum);
  return log.high + (log.low + (x - (sum - 1.0)) / sum);
}

inline double portable_exp(double x) { return functions::exp_of(x, 0.0); }

// x to the power y, for x not below 0; of other numbers only whole powers are defined, and those the C library knows.
inline double portable_pow(double x, double y) {
  if (y == 1.0 || std::isnan(x) || std::isnan(y)) return y == 1.0 ? x : std::pow(x, y);
  if (y == 0.5 && x >= 0.0) return std::sqrt(x);
  if (y == 2.0) return x * x;
  if (!(x > 0.0) || x == 1.0 || y == 0.0 || std::isinf(x) || std::isinf(y)) return std::pow(x, y);  // exact
  if (std::abs(y) > 1e15) return (x > 1.0) == (y > 0.0) ? functions::kInfinity : 0.0;
  const functions::Pair log = functions::log_pair(x);
  const functions::Pair product = functions::exact_product(y, log.high);
  return functions::exp_of(product.high, product.low + y * log.low);
}

// e to the power x for single precision, where distances are added by the million.
inline float portable_exp(float x) {
  if (!(x > -87.0f)) return x != x ? x : static_cast<float>(functions::exp_of(x, 0.0));
  if (x > 88.0f) return static_cast<float>(functions::exp_of(x, 0.0));
  const double k = std::floor(x * functions::kInverseLn2High + 0.5);
  const double h = (x - k * functions::kLn2High) - k * functions::kLn2Low;
  const double h2 = h * h;
  // In two halves, which the processor computes side by side.
  const double odd = h * (1.0 + h2 * (1.0 / 6.0 + h2 * (1.0 / 120.0 + h2 * (1.0 / 5040.0))));
  const double even = 1.0 + h2 * (0.5 + h2 * (1.0 / 24.0 + h2 * (1.0 / 720.0 + h2 * (1.0 / 40320.0))));
  const std::uint64_t bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023) << 52;
  double scale;
  std::memcpy(&scale, &bits, sizeof scale);
  return static_cast<float>((odd + even) * scale);
}

}  // namespace casebase
