// The part of the runtime library that is seldom at work: it says what was found, and counts costs.
#include "variables.cpp"
#include "findings.cpp"
#include "operand.cpp"
#include "report.cpp"
#include "tensor_map.cpp"
#include "images.cpp"
#include "costs.cpp"
