"""Memory of the host in kernels, of the device in host code, and the heap that kernels have."""

from .case import LAUNCH, Case

_TABLE = "  if (i < n) y[i] = x[i % 8];  //!\n}"

CASES = [
    Case(
        "host_stack",
        "host_memory",
        _TABLE,
        (
            ("float table[8] = {1, 1, 1, 1, 1, 1, 1, 1};", "auto table = torch::ones({8}, x.options());"),
            ("(table, y", "(table.data_ptr<float>(), y"),
        ),
        launch="float table[8] = {1, 1, 1, 1, 1, 1, 1, 1};\n"
        "k<<<(n + 255) / 256, 256>>>(table, y.data_ptr<float>(), n);",
        check=False,
    ),
    Case(
        "host_result",
        "host_memory",
        "__global__ void k(const float* x, float* y, int n, float* first) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) y[i] = x[i];\n  if (i == 0) *first = x[0];  //!\n}",
        (("float first = 0;", "auto first = torch::zeros({1}, x.options());"), ("&first", "first.data_ptr<float>()")),
        launch="float first = 0;\n"
        "k<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n, &first);",
        check=False,
    ),
    Case(
        "host_variable",
        "host_memory",
        "static float table[8];\n__global__ void k(const float* table, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = table[i % 8];  //!\n}",
        (
            ("static float", "static __device__ float"),
            ("float* address = table;", "float* address; cudaGetSymbolAddress((void**)&address, table);"),
        ),
        "table",
        launch="float* address = table;\nk<<<(n + 255) / 256, 256>>>(address, y.data_ptr<float>(), n);",
        check=False,
    ),
    Case(
        "host_constants_in_struct",
        "host_memory",
        "const float table[8] = {1, 2, 3, 4, 5, 6, 7, 8};\nstruct In { int n; const float* table; };\n"
        "__global__ void k(In in, float* y) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < in.n) y[i] = in.table[i % 8];  //!\n}",
        (
            ("const float table", "__constant__ float table"),
            ("float* address = table;", "float* address; cudaGetSymbolAddress((void**)&address, table);"),
        ),
        launch="const float* address = table;\nk<<<4, 256>>>(In{n, address}, y.data_ptr<float>());",
        check=False,
    ),
    Case(
        "host_writes_variable",
        "host_access",
        "__device__ float scale;\n__global__ void k(const float* x, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = scale * x[i];\n}",
        (("scale = 2.f;", "float two = 2.f; cudaMemcpyToSymbol(scale, &two, sizeof two);"),),
        "scale",
        launch="scale = 2.f;  //!\nk<<<4, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);",
        check=False,
    ),
    Case(
        "host_reads_variable",
        "host_access",
        "static __device__ int above;\n__global__ void k(const float* x, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) { y[i] = x[i]; if (x[i] > 0) atomicAdd(&above, 1); }\n}",
        (("int found = above;", "int found; cudaMemcpyFromSymbol(&found, above, sizeof found);"),),
        "above",
        launch="k<<<4, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);\n"
        "int found = above;  //!\nif (found > n) return x;",
        check=False,
    ),
    Case(
        "host_copies_tensor",
        "host_access",
        "  if (i < n) y[i] = x[i];\n}",
        (("memcpy(table.data(), x.data_ptr<float>(), n * sizeof(float));",
          "cudaMemcpy(table.data(), x.data_ptr<float>(), n * sizeof(float), cudaMemcpyDeviceToHost);"),),
        launch=LAUNCH + "\nstd::vector<float> table(n);\n"
        "memcpy(table.data(), x.data_ptr<float>(), n * sizeof(float));  //!\nif (table[0] > 1e30f) return x;",
        check=False,
    ),
    Case(
        "host_clears_tensor",
        "host_access",
        "  if (i < n && x[i] > 0) y[i] = x[i];\n}",
        (("memset(y.data_ptr<float>(), 0,", "cudaMemset(y.data_ptr<float>(), 0,"),),
        launch="memset(y.data_ptr<float>(), 0, n * sizeof(float));  //!\n" + LAUNCH,
        check=False,
    ),
    Case(
        "heap_past",
        "out_of_bounds",
        "  if (i >= n) return;\n  float* row = (float*)malloc(4 * sizeof(float));\n"
        "  for (int j = 0; j <= 4; j++)\n    row[j] = x[i];  //!\n  y[i] = row[3];\n  free(row);\n}",
        (("j <= 4", "j < 4"),),
        check=False,
    ),
    Case(
        "heap_unwritten",
        "uninitialised",
        "  if (i >= n) return;\n  float* row = new float[4];\n  row[0] = x[i];\n"
        "  y[i] = row[0] + row[1];  //!\n  delete[] row;\n}",
        (("row[1]", "row[0]"),),
    ),
    Case(
        "heap_freed",
        "freed",
        "  if (i >= n) return;\n  float* row = (float*)malloc(16);\n  row[0] = x[i];\n  free(row);\n"
        "  y[i] = row[0];  //!\n}",
        (("free(row);\n", "float first = row[0]; free(row);\n"), ("y[i] = row[0]", "y[i] = first")),
    ),
    Case(
        "heap_freed_twice",
        "bad_free",
        "  if (i >= n) return;\n  float* row = (float*)malloc(16);\n  row[0] = x[i];\n  y[i] = row[0];\n"
        "  free(row);\n  if (i == 7) free(row);  //!\n}",
        (("  if (i == 7) free(row);", ""),),
        check=False,
    ),
]
