// Package system benchmarks the whole product over HTTP against baselines: a server
// that serves the same bytes from memory, and the statements of a creation executed with
// the engine alone, in a file of the same kind.
//
// Each round alternates between the product and its baseline, so that other processes on the
// machine affect both equally; ratios are printed. Throughput is measured with a closed loop,
// latency with an open loop: requests are sent at a steady rate whether or not earlier ones
// were answered, which avoids coordinated omission.
//
// TestSystem runs everything in one process on its embedded engines, and TestAtRest that
// process when idle. TestSeparate runs each service as a process on MongoDB and Redis, and
// compares with the same commands sent by the bare driver. TestHop compares the gateway with
// plain proxies: fasthttp, the standard library's ReverseProxy and, if installed, nginx.
// TestQueue compares notifications with tasks of asynq. TestPocketBase, if
// ECF_BENCH_POCKETBASE is set, compares the product with PocketBase, which it builds.
// TestOverload offers three times the saturation throughput.
//
// The product runs with default settings: each request writes a log line, to a
// file of each process. Rows without the access log say so.
//
// `go test` runs a short version as a smoke test; `make bench-system` runs the
// complete one, prints the tables of docs/benchmarks.md and stores them there with a chart of
// each; SHAPE=standalone or SHAPE=separate selects what is started. The first line of a
// stored table has the date, the machine and the versions. No time is asserted.
package system
