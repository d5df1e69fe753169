// Package client is the Go client of the API.
//
// A [Client] is created once for a server, logs in, and is safe for concurrent
// use by multiple goroutines:
//
//	c, err := client.New("https://footprint.example.org", client.Options{})
//	…
//	err = c.Login(ctx, "jo@example.org", password)
//	…
//	event, err := c.CreateEvent(ctx, client.EventInput{Title: "Annual conference", Country: "GB"})
//	record, err := c.CreateRecord(ctx, event.ID, client.Flight{From: "LHR", To: "JFK", Passengers: 2})
//
// There is a method for every operation of the API, of the same name; the types
// are those of the OpenAPI document, and a test compares them with it.
//
// # Features
//
//   - Tokens. When the access token has expired, it is refreshed once, however
//     many requests fail for it at the same time, and they are retried.
//   - Retries. Requests refused temporarily (429, 503) or without a response are
//     retried with exponential backoff and jitter, or after the time given by
//     Retry-After; see [Options.Patience]. Only idempotent requests are retried:
//     reads, dry runs, creations, transitions and deletions of records, which
//     carry an Idempotency-Key that is the same for all attempts of a call,
//     replacements by reference, and PATCH and DELETE with [IfMatch]. Requests that did not reach the server, or exceeded a rate
//     limit, are retried in any case.
//   - Lists. [Listing.All] iterates over all pages.
//   - Waiting. [Client.WaitForResult] and [Client.WaitForImport].
//
// # Errors
//
// An error response of the server is an [*Error] with the code of the API, all
// validation errors, and the id of the request. A 304 is [ErrNotModified]. A
// request without a response is [ErrNoAnswer]: whether it was executed is
// unknown.
//
//	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Code == client.CodeValidationError {
//		for _, fault := range refused.Details { … }
//	}
//
// # Amounts
//
// Masses of CO2 equivalent are [Kilograms], which add up exactly. Other numbers
// in requests are float64. In inputs and responses a pointer is nil if the field
// is absent; new(2.5) creates one.
package client
