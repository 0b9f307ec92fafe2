// What load_inline puts before main.cpp.
#pragma once
#include <kernelgate/standard.h>

#include <torch/all.h>
#include <torch/python.h>
