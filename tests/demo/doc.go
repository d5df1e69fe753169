// Package demo plays the life of an event over HTTP against a running server, as a
// careful client would: it logs in, creates the event, posts, submits and approves its
// records, waits for the result and compares it with precalculated figures.
//
// It tolerates that the server is killed in between: a request without a response may
// have been executed, and is repeated with the same idempotency key.
package demo
