// Student's t by its distribution function: the regularised incomplete beta function as a continued
// fraction (modified Lentz), inverted by bisection.
#include <algorithm>
#include <cmath>

#include "collector/compare/resample.h"

namespace gpustall::collect {
namespace {

double beta_fraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300, kEnough = 1e-12;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::abs(d) < kTiny ? kTiny : d);
  double result = d;
  for (int m = 1; m < 1000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double factor = 1;
    for (const double term : {even, odd}) {
      d = 1 + term * d;
      c = 1 + term / c;
      d = 1 / (std::abs(d) < kTiny ? kTiny : d);
      if (std::abs(c) < kTiny) c = kTiny;
      factor = c * d;
      result *= factor;
    }
    if (std::abs(factor - 1) < kEnough) break;
  }
  return result;
}

double incomplete_beta(double x, double a, double b) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
  return 1 - front * beta_fraction(1 - x, b, a) / b;
}

// P(|T| > t)
double two_tails(double t, double dof) {
  return incomplete_beta(dof / (dof + t * t), dof / 2, 0.5);
}

}  // namespace

double student_quantile(double alpha, double dof) {
  dof = std::clamp(dof, 1.0, 1e6);
  alpha = std::clamp(alpha, 1e-12, 1.0);
  double low = 0, high = 1;
  while (two_tails(high, dof) > alpha && high < 1e15) high *= 2;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (two_tails(middle, dof) > alpha ? low : high) = middle;
  }
  return high;
}

}  // namespace gpustall::collect
