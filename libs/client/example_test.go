package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/eventcarbon/ecf/libs/client"
)

// example answers the requests of the examples, instead of a server.
func example(answers map[string]string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, known := answers[r.Method+" "+strings.TrimPrefix(r.URL.Path, "/api/v2")]
		if !known || strings.Contains(text, `"success":false`) {
			w.WriteHeader(http.StatusBadRequest)
		}
		_, _ = w.Write([]byte(text))
	}))
}

const signedIn = `{"success":true,"data":{"accessToken":"a","idToken":"i","refreshToken":"r","expiresIn":3600,"tokenType":"Bearer"}}`

// The whole way: from an event to its footprint.
func Example() {
	server := example(map[string]string{
		"POST /auth/login":                   signedIn,
		"POST /events":                       `{"success":true,"data":{"_id":"e1","title":"Annual conference"}}`,
		"POST /events/e1/flights":            `{"success":true,"data":{"_id":"r1","eventId":"e1","type":"flights","status":"unsubmitted","footprint":{"kgCO2e":1569.434689,"low":928.659579,"high":2652.344624}}}`,
		"POST /events/e1/flights/r1/submit":  `{"success":true,"data":{"_id":"r1","eventId":"e1","type":"flights","status":"submitted"}}`,
		"POST /events/e1/flights/r1/approve": `{"success":true,"data":{"_id":"r1","eventId":"e1","type":"flights","status":"approved"}}`,
		"GET /events/e1/results":             `{"success":true,"data":{"status":"current","total":{"kgCO2e":1569.434689,"low":928.659579,"high":2652.344624},"byScope":{"scope1":0,"scope2":0,"scope3":1569.434689}}}`,
	})
	defer server.Close()
	ctx := context.Background()

	c, err := client.New(server.URL, client.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := c.Login(ctx, "manager@demo.test", "the password"); err != nil {
		log.Fatal(err)
	}
	event, err := c.CreateEvent(ctx, client.EventInput{Title: "Annual conference", Country: "GB", Attendees: new(250)})
	if err != nil {
		log.Fatal(err)
	}
	record, err := c.CreateRecord(ctx, event.ID, client.Flight{From: "LHR", To: "JFK", Class: "economy", Passengers: 2, RoundTrip: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("would add", record.Footprint.KgCO2e, "kg")
	if _, err := c.SubmitRecord(ctx, record.Ref()); err != nil {
		log.Fatal(err)
	}
	if _, err := c.ApproveRecord(ctx, record.Ref(), ""); err != nil {
		log.Fatal(err)
	}
	result, err := c.WaitForResult(ctx, event.ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s kg CO2e, between %s and %s\n", result.Total.KgCO2e, result.Total.Low, result.Total.High)
	// Output:
	// would add 1569.434689 kg
	// 1569.434689 kg CO2e, between 928.659579 and 2652.344624
}

// All errors of a request are reported together, with corrections.
func ExampleError() {
	server := example(map[string]string{
		"POST /events/e1/flights": `{"success":false,"error":{"code":"VALIDATION_ERROR","message":"The request has 2 faults.","requestId":"r-1","docs":"/api/v2/docs#error-validation-error",
			"details":[{"field":"to","code":"UNKNOWN_CODE","message":"to must be a known code; got \"JKF\".","suggestions":["JFK"]},{"field":"passengers","code":"OUT_OF_RANGE","message":"passengers must be 1 to 10000; got 0."}]}}`,
	})
	defer server.Close()
	c, err := client.New(server.URL, client.Options{})
	if err != nil {
		log.Fatal(err)
	}
	_, err = c.CreateRecord(context.Background(), "e1", client.Flight{From: "LHR", To: "JKF"})
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Code == client.CodeValidationError {
		for _, fault := range refused.Details {
			fmt.Println(fault.Field, fault.Code, fault.Suggestions)
		}
	}
	// Output:
	// to UNKNOWN_CODE [JFK]
	// passengers OUT_OF_RANGE []
}

// A list is walked over as if it had no pages.
func ExampleListing_All() {
	page := func(id string, number int) string {
		return fmt.Sprintf(`{"success":true,"data":{"items":[{"_id":%q,"title":"Meeting"}],"pagination":{"page":%d,"limit":1,"total":2,"totalPages":2}}}`, id, number)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("page") == "1" {
			_, _ = w.Write([]byte(page("e2", 1)))
			return
		}
		_, _ = w.Write([]byte(page("e1", 2)))
	}))
	defer server.Close()
	c, err := client.New(server.URL, client.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range c.ListEvents().All(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(event.ID, event.Title)
	}
	// Output:
	// e2 Meeting
	// e1 Meeting
}

// A change is made only of what was seen.
func ExampleIfMatch() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		if r.Method == http.MethodPatch {
			fmt.Println("If-Match:", r.Header.Get("If-Match"))
		}
		_, _ = w.Write([]byte(`{"success":true,"data":{"_id":"e1","title":"Annual conference"}}`))
	}))
	defer server.Close()
	ctx := context.Background()
	c, err := client.New(server.URL, client.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var meta client.Meta
	event, err := c.GetEvent(ctx, "e1", client.WithMeta(&meta))
	if err != nil {
		log.Fatal(err)
	}
	updated, err := c.UpdateEvent(ctx, event.ID, client.EventPatch{Attendees: client.Set(240), Description: client.Null[string]()}, client.IfMatch(meta.ETag))
	if client.CodeOf(err) == client.CodePreconditionFailed {
		fmt.Println("somebody was faster: read it again")
	}
	if updated.Proposed != nil {
		fmt.Println("waits for a second manager")
	} else {
		fmt.Println("changed:", updated.Done.Title)
	}
	// Output:
	// If-Match: "1"
	// changed: Annual conference
}

// A rehearsal tells what a write would come to, and stores nothing.
func ExampleDryRun() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("X-Dry-Run:", r.Header.Get("X-Dry-Run"))
		_, _ = w.Write([]byte(`{"success":true,"data":{"_id":"r1","footprint":{"kgCO2e":10.411605}}}`))
	}))
	defer server.Close()
	c, err := client.New(server.URL, client.Options{})
	if err != nil {
		log.Fatal(err)
	}
	record, err := c.CreateRecord(context.Background(), "e1", client.Waste{Treatment: "landfill", WeightKg: new(20.0)}, client.DryRun())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(record.Footprint.KgCO2e)
	// Output:
	// X-Dry-Run: true
	// 10.411605
}

// Up to 100 records are made at once; each may be refused by itself.
func ExampleClient_CreateRecords() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Items []json.RawMessage }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			log.Print(err)
		}
		fmt.Println(len(body.Items), "records to", r.URL.Path)
		_, _ = w.Write([]byte(`{"success":true,"data":{"items":[{"record":{"_id":"r1"}},{"error":{"code":"DUPLICATE_REFERENCE","message":"The reference is taken.","requestId":"q","docs":"d"}}],"succeeded":1,"failed":1}}`))
	}))
	defer server.Close()
	c, err := client.New(server.URL, client.Options{})
	if err != nil {
		log.Fatal(err)
	}
	out, err := c.CreateRecords(context.Background(), "e1", []client.RecordInput{
		client.Accommodation{Nights: 2, Rooms: 10, Common: client.Common{ExternalReference: "H-1"}},
		client.Accommodation{Nights: 3, Rooms: 4, Common: client.Common{ExternalReference: "H-1"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range out.Items {
		if o.Error != nil {
			fmt.Println(o.Error)
		} else {
			fmt.Println(o.Record.ID)
		}
	}
	// Output:
	// 2 records to /api/v2/events/e1/accommodation/batch
	// r1
	// DUPLICATE_REFERENCE: The reference is taken. (request q)
}
