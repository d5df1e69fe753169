// Package client speaks to the API of the service in Go.
//
// A [Client] is made once for a server, logs in, and is then used from as many
// goroutines as one likes:
//
//	c, err := client.New("https://footprint.example.org", client.Options{})
//	…
//	err = c.Login(ctx, "jo@example.org", password)
//	…
//	event, err := c.CreateEvent(ctx, client.EventInput{Title: "Annual conference", Country: "GB"})
//	record, err := c.CreateRecord(ctx, event.ID, client.Flight{From: "LHR", To: "JFK", Passengers: 2})
//
// There is a method for every operation of the API, of the same name; the types
// are those of the OpenAPI document, and a test holds them to it.
//
// # What it takes care of
//
//   - Tokens. When the access token has expired, it is refreshed once, however
//     many requests find out at the same time, and they are sent again.
//   - Repeating. What was refused for now (429, 503) and what got no answer is
//     sent again after a growing, random pause, or after as long as Retry-After
//     asks for; see [Options.Patience]. Only requests that cannot do harm twice
//     are repeated: reads, dry runs, creations and moves, which carry an
//     Idempotency-Key that stays the same over the attempts of a call, and
//     PATCH and DELETE with [IfMatch]. What has not reached the server at all,
//     or was over a rate limit, is repeated in any case.
//   - Lists. [Listing.All] walks over all pages.
//   - Waiting. [Client.WaitForResult] and [Client.WaitForImport].
//
// # Errors
//
// A refusal by the server is an [*Error] with the code of the API, every fault
// that was found, and the id of the request to quote. A 304 is [ErrNotModified].
// A request that got no answer is [ErrNoAnswer]: nobody knows whether it was
// carried out.
//
//	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Code == client.CodeValidationError {
//		for _, fault := range refused.Details { … }
//	}
//
// # Amounts
//
// Masses of CO2 equivalent are [Kilograms], which add up exactly. Numbers that
// are sent are float64. In inputs and answers a pointer is nil where the field
// is absent; new(2.5) makes one.
package client
