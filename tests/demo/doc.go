// Package demo runs the life cycle of an event over HTTP against a running server,
// as a careful client would: it logs in, creates the event, posts, submits and
// approves its records, waits for the result and compares it with an independently
// calculated one.
//
// It survives kills of the server: requests without a response are repeated with the
// same idempotency key.
package demo
