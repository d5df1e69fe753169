// Package system measures the whole product over HTTP beside baselines that do
// the least of the same: a server that answers the same bytes from memory, and
// what a creation does with the engine alone, in a file of the same kind.
//
// Each round takes the product and its baseline in turns, so that both see the
// same neighbours on the machine; what is printed are ratios. Rates are those of
// clients that ask as fast as they are answered. The load of a latency is open:
// requests are sent at a steady rate whether or not the earlier ones were answered,
// so that a server that stops is not asked less often.
//
// TestSystem has everything in one process on its embedded engines, and TestAtRest that
// process when nobody asks for anything; TestSeparate has
// each service as a process on MongoDB and Redis, beside the commands that they send, by the
// driver alone; TestHop the gateway beside others that only pass requests on: fasthttp, the
// standard library's ReverseProxy and, where it is installed, nginx; TestQueue notifications
// beside tasks of asynq; TestPocketBase, where
// ECF_BENCH_POCKETBASE is set, the product beside PocketBase, built for it. TestOverload
// asks for three times as much as there can be.
//
// The product is as it is by default: each request makes a line of the log, which goes to a
// file of each process. Rows without that line say so.
//
// `go test` plays it small, to keep it working; `make bench-system` plays it in
// full, prints the tables of docs/benchmarks.md and keeps them there with a drawing of
// each; SHAPE=standalone or SHAPE=separate chooses what is started. The first line of a
// kept table says when, where and of what it was measured. It asserts no time.
package system
