// As torch/python.h.
#pragma once
#include <torch/python.h>
