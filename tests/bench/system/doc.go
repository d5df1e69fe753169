// Package system measures the whole product over HTTP against baselines that do the
// least of the same work: a server that answers the same bytes from memory, and the
// statements of a creation executed on the engine alone, in a file of the same kind.
//
// Each round alternates the product and its baseline, so that both see the same load on
// the machine; the results are ratios. Rates come from closed-loop clients, which send
// as fast as they are answered. Latencies come from an open loop: requests are sent at
// a steady rate whether or not earlier ones were answered, so that a server that stalls
// does not get fewer requests.
//
// TestSystem runs everything in one process on its embedded engines, and TestAtRest
// measures that process while it is idle. TestSeparate runs each service as a process
// on MongoDB and Redis, against the same commands sent by the driver alone. TestHop
// compares the gateway with other reverse proxies: fasthttp, the standard library's
// ReverseProxy and, if installed, nginx. TestQueue compares notifications with tasks of
// asynq. TestPocketBase, if ECF_BENCH_POCKETBASE is set, compares the product with
// PocketBase, which it builds. TestOverload sends three times as many requests as the
// product can answer.
//
// The product has its default settings: each request writes a log line, which goes to a
// file of each process. Rows without that line say so.
//
// `go test` runs it in brief, to keep it working; `make bench-system` runs it in full,
// prints the tables of docs/benchmarks.md and stores them there with a plot of each;
// SHAPE=standalone or SHAPE=separate selects what is started. The first line of a
// stored table says when, where and on what it was measured. It asserts no time.
package system
