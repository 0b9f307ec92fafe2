// threadIdx and its kin come with the language itself; this header exists to be included.
#pragma once
#include <vector_types.h>
