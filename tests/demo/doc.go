// Package demo plays the life of an event over HTTP against a running server,
// as a careful client would: it logs in, creates the event, posts, submits and
// approves its records, waits for the result and compares it with the one that
// was worked out beforehand.
//
// It is written to survive the server being killed in the middle. What may have
// been done although no answer came is done again, and a refusal that only says
// that it was done before counts as done.
//
// Client is of use to any test that speaks to the API.
package demo
