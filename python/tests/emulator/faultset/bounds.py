"""Accesses outside of a tensor, an array or the device's memory."""

from .case import Case

CASES = [
    Case(
        "write_one_past", "out_of_bounds", "  if (i <= n) y[i] = x[i % n];  //!\n}", (("<=", "<"),), "y[1001]"
    ),
    Case(
        "read_one_past",
        "out_of_bounds",
        "  if (i < n)\n    y[i] = x[i] + 0 * x[i + 1];  //!\n}",
        (("i + 1", "i"),),
        "x[1001]",
    ),
    Case(
        "read_before",
        "out_of_bounds",
        "  if (i < n) y[i] = x[i] + 0 * x[i - 1];  //!\n}",
        (("x[i - 1]", "x[i]"),),
        "x[-1]",
    ),
    Case(
        "write_before", "out_of_bounds", "  if (i < n) y[i - 1] = x[i];  //!\n}", (("i - 1", "i"),), "y[-1]"
    ),
    Case(
        "no_guard", "out_of_bounds", "  y[i] = 2;  //!\n}", (("y[i]", "if (i < n) y[i]"),), "y[1000]", n=1000
    ),
    Case(
        "null",
        "null",
        "  if (i < n) y[i] = x[i];  //!\n}",
        (("nullptr", "x.data_ptr<float>()"),),
        launch="k<<<4, 256>>>(nullptr, y.data_ptr<float>(), n);",
    ),
    Case(
        "index_overflow",
        "out_of_bounds",
        "  if (i < n) {\n    int far = i * 3000000;  //!other\n    y[i] = x[i == 999 ? far : i];  //!\n"
        "  }\n}",
        (("i * 3000000", "i"),),
    ),
    Case(
        "write_far_outside",
        "out_of_bounds",
        "  if (i < n) y[i + (1LL << 40)] = x[i];  //!\n}",
        ((" + (1LL << 40)", ""),),
        "y[1099511627776]",
    ),
    Case(
        "read_far_before",
        "out_of_bounds",
        "  if (i < n) y[i] = x[i - (3LL << 44)];  //!\n}",
        ((" - (3LL << 44)", ""),),
        "x[-52776558133248]",
    ),
    Case(
        "wrong_type",
        "out_of_bounds",
        "__global__ void k(const double* x, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = float(x[i]);  //!\n}",
        (("const double*", "const float*"), ("(const double*)x.data_ptr<float>()", "x.data_ptr<float>()")),
        "x",
        launch="k<<<4, 256>>>((const double*)x.data_ptr<float>(), y.data_ptr<float>(), n);",
    ),
    Case(
        "byte_past",
        "out_of_bounds",
        "__global__ void k(const unsigned char* bytes, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = bytes[i + 3];  //!\n}",
        (("i + 3", "i"),),
        "bytes[1001]",
        launch="auto b = torch::zeros({n}, x.options().dtype(torch::kUInt8));\n"
        "k<<<4, 256>>>(b.data_ptr<uint8_t>(), y.data_ptr<float>(), n);",
    ),
    Case(
        "half_past",
        "out_of_bounds",
        "__global__ void k(__half* h, float* y, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i <= n) h[i] = __float2half(1.f);  //!\n  if (i < n) y[i] = __half2float(h[i]);\n}",
        (("i <= n", "i < n"),),
        "h[1001]",
        launch="auto h = torch::zeros({n}, x.options().dtype(torch::kHalf));\n"
        "k<<<4, 256>>>((__half*)h.data_ptr<at::Half>(), y.data_ptr<float>(), n);",
    ),
    Case(
        "wrong_stride",
        "out_of_bounds",
        "__global__ void k(const float* x, float* y, int rows, int columns) {\n"
        "  int c = threadIdx.x, r = blockIdx.x;\n  y[r * (columns + 1) + c] = x[r * columns + c];  //!\n}",
        (("(columns + 1)", "columns"),),
        "y[1001]",
        launch="k<<<7, 143>>>(x.data_ptr<float>(), y.data_ptr<float>(), 7, 143);",
    ),
    Case(
        "vector_tail",
        "out_of_bounds",
        "  if (i < (n + 3) / 4)\n    ((float4*)y)[i] = ((const float4*)x)[i];  //!\n}",
        (
            (
                "(n + 3) / 4)\n    ((float4*)y)[i] = ((const float4*)x)[i];",
                "n / 4)\n    ((float4*)y)[i] = ((const float4*)x)[i];\n"
                "  else if (i < n / 4 + n % 4) y[i + n / 4 * 3] = 1;",
            ),
        ),
        "y",
    ),
    Case(
        "vector_rows",
        "misaligned",
        "__global__ void k(const float* x, float* y, int rows, int columns) {\n"
        "  int c = threadIdx.x, r = blockIdx.x;\n"
        "  if (c < columns / 4) ((float4*)(y + r * columns))[c] = ((const float4*)(x + r * columns))[c];  //!\n"
        "  else if (c < columns / 4 + columns % 4) y[r * columns + c + columns / 4 * 3] = 1;\n}",
        (
            (
                "  if (c < columns / 4) ((float4*)(y + r * columns))[c] = ((const float4*)(x + r * columns))[c];  //!\n"
                "  else if (c < columns / 4 + columns % 4) y[r * columns + c + columns / 4 * 3] = 1;",
                "  if (c < columns) y[r * columns + c] = x[r * columns + c];",
            ),
        ),
        launch="k<<<7, 143>>>(x.data_ptr<float>(), y.data_ptr<float>(), 7, 143);",
    ),
    Case(
        "vector_last_row",
        "out_of_bounds",
        "__global__ void k(const float* x, float* y, int rows, int columns) {\n"
        "  int r = blockIdx.x;\n"
        "  for (int c = threadIdx.x * 2; c < columns; c += blockDim.x * 2) {\n"
        "    float a = x[r * columns + c], b = x[r * columns + c + 1];  //!\n"
        "    y[r * columns + c] = a;\n"
        "    if (c + 1 < columns) y[r * columns + c + 1] = b;\n  }\n}",
        (("x[r * columns + c + 1]", "c + 1 < columns ? x[r * columns + c + 1] : 0"),),
        "x[1001]",
        launch="k<<<7, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), 7, 143);",
        check=False,
    ),
    Case(
        "grid_stride_past",
        "out_of_bounds",
        "  for (int k0 = i; k0 <= n; k0 += gridDim.x * blockDim.x)\n    y[k0] = 1;  //!\n}",
        (("<=", "<"),),
        "y[1001]",
        launch="k<<<2, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);",
    ),
    Case(
        "small_weights",
        "out_of_bounds",
        "__global__ void k(const float* x, const float* w, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i] * w[i % 17];  //!\n}",
        (("% 17", "% 16"),),
        "w[16]",
        launch="auto w = torch::ones({16}, x.options());\n"
        "k<<<4, 256>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), n);",
    ),
    Case(
        "shared_past",
        "out_of_bounds",
        "  __shared__ float s[256];\n  s[t] = i < n ? x[i] : 0;\n  __syncthreads();\n"
        "  if (i < n) y[i] = s[t] + 0 * s[t + 1];  //!\n}",
        (("t + 1", "t"),),
        "s[256]",
    ),
    Case(
        "shared_before",
        "out_of_bounds",
        "  __shared__ float s[256];\n  s[t] = i < n ? x[i] : 0;\n  __syncthreads();\n"
        "  if (i < n) y[i] = s[t] + 0 * s[t - 1];  //!\n}",
        (("t - 1", "t"),),
        "s[-1]",
    ),
    Case(
        "dynamic_forgotten",
        "out_of_bounds",
        "  extern __shared__ float s[];\n  s[t] = i < n ? x[i] : 0;  //!\n  if (i < n) y[i] = s[t];\n}",
        (("(n + 255) / 256, 256", "(n + 255) / 256, 256, 1024"),),
    ),
    Case(
        "dynamic_too_small",
        "out_of_bounds",
        "  extern __shared__ float s[];\n  s[t] = i < n ? x[i] : 0;  //!\n  if (i < n) y[i] = s[t];\n}",
        (("256, 512", "256, 1024"),),
        launch="k<<<(n + 255) / 256, 256, 512>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);",
    ),
    Case(
        "local_array",
        "index",
        "  float part[4];\n  for (int j = 0; j <= 4; j++)\n    part[j] = j;  //!\n"
        "  if (i < n) y[i] = part[i % 4];\n}",
        (("<= 4", "< 4"),),
        uncertain=True,
        check=False,
    ),
    Case(
        "tile_row",
        "index",
        "  __shared__ float tile[8][16];\n  if (t < 128) tile[t / 16][t % 16] = t;\n  __syncthreads();\n"
        "  if (i < n) y[i] = tile[t % 7][16 - t % 2];  //!\n}",
        (("16 - t % 2", "15 - t % 2"),),
        uncertain=True,
    ),
    Case(
        "misaligned_float4",
        "misaligned",
        "  if (i < 9) ((float4*)y)[i] = *reinterpret_cast<const float4*>(x + 4 * i + 1);  //!\n"
        "  else if (i >= 36 && i < n) y[i] = 0;\n}",
        ((" + 1)", ")"),),
    ),
    Case(
        "misaligned_float2",
        "misaligned",
        "  if (i < n) y[i] = reinterpret_cast<const float2*>(x + i / 2)->x;  //!\n}",
        (("x + i / 2", "x + i / 4 * 2"),),
    ),
    Case(
        "host_pointer",
        "host_memory",
        "  if (i < n) y[i] = x[i % 8];  //!\n}",
        (
            ("std::vector<float> v(8, 1.f);", "auto v = torch::ones({8}, x.options());"),
            ("v.data()", "v.data_ptr<float>()"),
        ),
        launch="std::vector<float> v(8, 1.f);\nk<<<4, 256>>>(v.data(), y.data_ptr<float>(), n);",
        check=False,
    ),
    Case(
        "host_tensor",
        "host_memory",
        "  if (i < n) y[i] = x[i];  //!\n}",
        (("torch::ones({n})", "torch::ones({n}, x.options())"),),
        "x",
        launch="auto w = torch::ones({n});\nk<<<4, 256>>>(w.data_ptr<float>(), y.data_ptr<float>(), n);",
    ),
    Case(
        "host_output",
        "host_memory",
        "  if (i < n) y[i] = x[i];  //!\n}",
        (("torch::empty({n})", "torch::empty({n}, x.options())"),),
        "y",
        launch="auto out = torch::empty({n});\n"
        "k<<<4, 256>>>(x.data_ptr<float>(), out.data_ptr<float>(), n);\ny.copy_(out);",
    ),
    Case(
        "host_in_struct",
        "host_memory",
        "struct In { const float* weight; int n; };\n__global__ void k(In in, float* y) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < in.n) y[i] = in.weight[i];  //!\n}",
        (("auto w = x.cpu()", "auto w = x"),),
        launch="auto w = x.cpu();\nk<<<4, 256>>>(In{w.data_ptr<float>(), n}, y.data_ptr<float>());",
    ),
    Case(
        "host_reads_device",
        "host_access",
        "  if (i < n) y[i] = x[i];\n}",
        (("x.data_ptr<float>()[0]", "x.cpu().data_ptr<float>()[0]"),),
        launch="k<<<4, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);\n"
        "if (x.data_ptr<float>()[0] > 1e9) return x;  //!",
        check=False,
    ),
    Case(
        "host_writes_device",
        "host_access",
        "  if (i < n) y[i] = x[i];\n}",
        (("y.data_ptr<float>()[0] = 0;", "y[0].fill_(0);"),),
        launch="k<<<4, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);\ny.data_ptr<float>()[0] = 0;  //!",
        check=False,
    ),
    Case(
        "rows_for_columns",
        "out_of_bounds",
        "__global__ void k(const float* x, float* y, int rows, int cols) {\n"
        "  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;\n"
        "  if (r < cols && c < rows)\n    y[r * cols + c] = x[r * cols + c];  //!\n}",
        (("r < cols && c < rows", "r < rows && c < cols"),),
        launch="k<<<dim3(3, 3), dim3(16, 16)>>>(x.data_ptr<float>(), y.data_ptr<float>(), 20, 40);",
        n=800,
    ),
    Case(
        "tree_of_192",
        "out_of_bounds",
        "__global__ void k(const float* x, float* y, int n) {\n  extern __shared__ float s[];\n  int t = threadIdx.x;\n"
        "  s[t] = x[t];\n  __syncthreads();\n  for (int o = 128; o > 0; o /= 2) {\n    if (t < o)\n"
        "      s[t] += s[t + o];  //!\n    __syncthreads();\n  }\n  y[t] = s[0];\n}",
        (("if (t < o)", "if (t < o && t + o < 192)"),),
        launch="k<<<1, 192, 192 * 4>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);",
        n=192,
    ),
    Case(
        "constant_past",
        "out_of_bounds",
        "__constant__ float weights[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};\n"
        "__global__ void k(const float* x, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  const float* w = weights;\n"
        "  if (i < n)\n    y[i] = x[i] * w[i % 10];  //!\n}",
        (("i % 10", "i % 9"),),
        "weights",
    ),
    Case(
        "copy_past",
        "out_of_bounds",
        "  if (i < n) y[i] = x[i];\n}",
        (("n * 8", "n * 4"),),
        launch="k<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);\n"
        "cudaMemcpyAsync(y.data_ptr<float>(), x.data_ptr<float>(), n * 8, cudaMemcpyDeviceToDevice, nullptr);  //!",
    ),
]
