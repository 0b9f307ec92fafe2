// Conversions of containers come with pybind11.h here.
#pragma once
#include <pybind11/pybind11.h>
