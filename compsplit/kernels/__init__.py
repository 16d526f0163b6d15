"""The few hot loops: pure functions on integer arrays, compiled by numba when they first run."""
