"""Whether a result is right: comparing, and how near to float64 it has to be, which `grade` alone says."""
