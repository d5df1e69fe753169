// Package demo plays the life of an event over HTTP against a running server,
// as a careful client would: it logs in, creates the event, posts, submits and
// approves its records, waits for the result and compares it with the one that
// was worked out beforehand.
//
// It survives the server being killed in the middle: what may have been done
// although no answer came, the client asks for again under the same idempotency
// key.
package demo
