// Products of matrices, as cuBLAS computes them. Sums are taken in double and rounded once, those of half after each
// step; how cuBLAS splits a sum is not modelled.
#include "examine.h"
#include "graphs.h"
#include "launch.h"
#include "report.h"
#include "streams.h"
#include <kernelgate/half_bits.h>
#include <algorithm>
#include <string.h>
#include <vector>

namespace kernelgate {

namespace {

constexpr int success = 0, invalid_value = 7;  // cublasStatus_t's numbers

size_t bytes_of(Number type) { return type == Number::f64 ? 8 : type == Number::f32 ? 4 : 2; }

double read_number(const void* at, Number type) {
  uint16_t bits;
  if (type == Number::f64) return *static_cast<const double*>(at);
  if (type == Number::f32) return *static_cast<const float*>(at);
  memcpy(&bits, at, sizeof bits);
  return type == Number::f16 ? half_to_float(bits) : bfloat16_to_float(bits);
}

void write_number(void* at, Number type, double value) {
  if (type == Number::f64) {
    *static_cast<double*>(at) = value;
  } else if (type == Number::f32) {
    *static_cast<float*>(at) = static_cast<float>(value);
  } else {
    const uint16_t bits = type == Number::f16 ? half_from(value) : bfloat16_from(static_cast<float>(value), 0x7fff);
    memcpy(at, &bits, sizeof bits);
  }
}

double in_half(double value) { return half_to_float(half_from(value)); }

// A factor as the multiplying unit takes it.
double as_factor(double value, Product::Arithmetic arithmetic) {
  if (arithmetic == Product::factors_in_half) return in_half(value);
  if (arithmetic == Product::factors_in_bfloat16)
    return bfloat16_to_float(bfloat16_from(static_cast<float>(value), 0x7fff));
  if (arithmetic != Product::factors_in_tf32 || value - value != 0) return value;
  const float wide = static_cast<float>(value);
  uint32_t bits;
  memcpy(&bits, &wide, sizeof bits);
  bits = (bits + 0x1000u) & 0xffffe000u;
  float rounded;
  memcpy(&rounded, &bits, sizeof rounded);
  return rounded;
}

// Ends the process where the memory is none that the device could touch: of the host, freed, or too small.
void check_operand(const void* begin, size_t bytes, bool write, bool knows_devices, const void* code) {
  if (!bytes) return;
  if (!begin) end_at("null", code);
  check_range(begin, bytes, write, code);
  const Region* tensor = knows_devices ? find_tensor(static_cast<const char*>(begin)) : nullptr;
  if (tensor && tensor->place == Place::host)
    end_outside(*tensor, write, static_cast<const char*>(begin), code, "host_memory");
}

size_t extent(const Matrix& matrix, int rows, int columns) {
  if (matrix.transposed) std::swap(rows, columns);
  return rows && columns ? (static_cast<size_t>(columns - 1) * matrix.leading + rows) * bytes_of(matrix.type) : 0;
}

std::string too_small(const char* name, const Matrix& matrix, int rows, int columns) {
  const int least = std::max(1, matrix.transposed ? columns : rows);
  return matrix.leading >= least
             ? ""
             : "a leading dimension of " + std::to_string(matrix.leading) + " for " + name + ", whose columns have " +
                   std::to_string(least) + " elements: it fails, and computes nothing";
}

double scalar(const void* at, const Product& p, double otherwise, const void* code) {
  if (!at) return otherwise;
  const Region* tensor = p.knows_devices ? find_tensor(static_cast<const char*>(at)) : nullptr;
  if (tensor && tensor->place == Place::device && !p.scale_on_device)
    end_outside(*tensor, false, static_cast<const char*>(at), code, "host_access");
  if (p.scale_on_device) check_operand(at, bytes_of(p.scale), false, p.knows_devices, code);
  return read_number(at, p.scale);
}

// The matrix as doubles, by columns: of rows x columns, turned as it is asked for.
void unpack(std::vector<double>& out, const char* begin, const Matrix& matrix, int rows, int columns,
            Product::Arithmetic arithmetic) {
  const size_t size = bytes_of(matrix.type);
  out.resize(static_cast<size_t>(rows) * columns);
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++) {
      const size_t at =
          matrix.transposed ? j + static_cast<size_t>(i) * matrix.leading : i + static_cast<size_t>(j) * matrix.leading;
      out[i + static_cast<size_t>(j) * rows] = as_factor(read_number(begin + at * size, matrix.type), arithmetic);
    }
}

const char* one_of(const Matrix& matrix, const Product& p, int number) {
  const char* begin = static_cast<const char*>(matrix.begin);
  return p.many ? reinterpret_cast<const char* const*>(begin)[number]
                : begin + matrix.stride * number * static_cast<long long>(bytes_of(matrix.type));
}

void multiply_one(const Product& p, const char* a, const char* b, char* c, double alpha, double beta) {
  static thread_local std::vector<double> left, right, sums;
  unpack(left, a, p.a, p.m, p.k, p.arithmetic);
  unpack(right, b, p.b, p.k, p.n, p.arithmetic);
  sums.resize(static_cast<size_t>(p.m));
  for (int j = 0; j < p.n; j++) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (int k = 0; k < p.k; k++) {
      const double factor = right[k + static_cast<size_t>(j) * p.k];
      const double* column = left.data() + static_cast<size_t>(k) * p.m;
      for (int i = 0; i < p.m; i++) sums[i] += column[i] * factor;
      if (p.arithmetic == Product::sums_in_half)
        for (double& sum : sums) sum = in_half(sum);
    }
    for (int i = 0; i < p.m; i++) {
      char* at = c + (i + static_cast<size_t>(j) * p.c.leading) * bytes_of(p.c.type);
      // With beta 0, C is not read: what lies there may be anything.
      write_number(at, p.c.type, alpha * sums[i] + (beta == 0 ? 0 : beta * read_number(at, p.c.type)));
    }
  }
}

void multiply(const Product& p, double alpha, double beta, const void* code) {
  begin_host_work(p.stream);
  for (const Matrix* matrix : {&p.a, &p.b, &p.c})
    if (p.many) check_operand(matrix->begin, p.batch * sizeof(void*), false, p.knows_devices, code);
  for (int number = 0; number < p.batch; number++) {
    const char *a = one_of(p.a, p, number), *b = one_of(p.b, p, number);
    char* c = const_cast<char*>(one_of(p.c, p, number));
    auto meet = [&p, code](const char* begin, size_t bytes, bool write) {
      check_operand(begin, bytes, write, p.knows_devices, code);
      examine_host_work(begin, bytes, write, code, "a product of cuBLAS");
    };
    meet(a, extent(p.a, p.m, p.k), false);
    meet(b, extent(p.b, p.k, p.n), false);
    meet(c, extent(p.c, p.m, p.n), true);
    if (Graph* graph = captured_into(p.stream)) graph->keep(c);
    multiply_one(p, a, b, c, alpha, beta);
  }
}

}  // namespace

}  // namespace kernelgate

extern "C" int kernelgate_multiply(const kernelgate::LaunchSite* site, const kernelgate::Product* product) {
  using namespace kernelgate;
  const void* code = __builtin_return_address(0);
  const Product& p = *product;
  std::string why;
  if (p.m < 0 || p.n < 0 || p.k < 0 || p.batch < 0) why = "a negative size: it fails, and computes nothing";
  if (why.empty()) why = too_small("A", p.a, p.m, p.k);
  if (why.empty()) why = too_small("B", p.b, p.k, p.n);
  if (why.empty()) why = too_small("C", p.c, p.m, p.n);
  if (!why.empty()) {
    note_failed_launch(*site, why);
    return invalid_value;
  }
  if (!p.m || !p.n || !p.batch || !begin_library_kernel()) return success;
  const double alpha = scalar(p.alpha, p, 1, code), beta = scalar(p.beta, p, p.beta ? 0 : 1, code);
  if (Graph* graph = captured_into(p.stream))  // numbers of the host are those of now
    graph->add([=, given = p](void* stream) {
      Product again = given;
      again.stream = stream;
      const bool there = again.scale_on_device;
      multiply(again, there ? scalar(again.alpha, again, 1, code) : alpha,
               there ? scalar(again.beta, again, again.beta ? 0 : 1, code) : beta, code);
    });
  multiply(p, alpha, beta, code);
  return success;
}
