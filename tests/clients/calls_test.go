package clients

import (
	"context"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/client"
	"github.com/eventcarbon/ecf/libs/spec"
)

// Ids that would change the path if they were inserted unescaped.
const (
	eventID  = "../users?x=1#"
	typeName = "flights%2f.."
	recordID = "a/b c"
	otherID  = "é\n"
)

// pathValues are the values of the path parameters.
func pathValues() map[string]string {
	return map[string]string{
		"eventId": eventID, "type": typeName, "recordId": recordID, "userId": otherID, "sessionId": otherID, "importId": otherID, "factorId": otherID,
		"setId": otherID, "reference": recordID, "changeId": otherID, "code": otherID, "revision": "3", "other": "7",
	}
}

// calls makes each operation once.
func calls() map[string]func(ctx context.Context, c *client.Client, o ...client.Option) error {
	ref := client.RecordRef{EventID: eventID, Type: typeName, ID: recordID}
	named := client.ReferenceRef{EventID: eventID, Type: typeName, Reference: recordID}
	record := client.RawRecord{Type: typeName, Fields: []byte(`{"passengers":1}`)}
	return map[string]func(ctx context.Context, c *client.Client, o ...client.Option) error{
		"login": func(ctx context.Context, c *client.Client, o ...client.Option) error {
			return c.Login(ctx, "a", "b", o...)
		},
		"refresh": func(ctx context.Context, c *client.Client, _ ...client.Option) error { return c.Refresh(ctx) },
		"logout":  func(ctx context.Context, c *client.Client, o ...client.Option) error { return c.Logout(ctx, o...) },
		"setUpAccount": func(ctx context.Context, c *client.Client, o ...client.Option) error {
			return c.SetUpAccount(ctx, client.SetupRequest{}, o...)
		},
		"lookUpInvitation": func(ctx context.Context, c *client.Client, o ...client.Option) error {
			_, err := c.LookUpInvitation(ctx, client.InvitationLookup{}, o...)
			return err
		},
		"acceptInvitation": func(ctx context.Context, c *client.Client, o ...client.Option) error {
			_, err := c.AcceptInvitation(ctx, client.AcceptInput{}, o...)
			return err
		},
		"updateMe": func(ctx context.Context, c *client.Client, o ...client.Option) error {
			_, err := c.UpdateMe(ctx, client.MeInput{}, o...)
			return err
		},
		"changePassword": func(ctx context.Context, c *client.Client, o ...client.Option) error {
			return c.ChangePassword(ctx, client.PasswordRequest{}, o...)
		},
		"me":              ask((*client.Client).Me),
		"listSessions":    listed((*client.Client).ListSessions),
		"endSession":      ask1((*client.Client).EndSession, otherID),
		"listUsers":       listed((*client.Client).ListUsers),
		"createUser":      ask1((*client.Client).CreateUser, client.UserInput{}),
		"createSetupLink": ask1((*client.Client).CreateSetupLink, otherID),
		"getUser":         ask1((*client.Client).GetUser, otherID),
		"updateUser":      ask2((*client.Client).UpdateUser, otherID, client.UserPatch{}),
		"deleteUser":      ask1((*client.Client).DeleteUser, otherID),

		"getOrganization":    ask((*client.Client).GetOrganization),
		"updateOrganization": ask1((*client.Client).UpdateOrganization, client.OrganizationPatch{}),
		"listMembers":        listed((*client.Client).ListMembers),
		"listOrganizations":  listed((*client.Client).ListOrganizations),
		"listAuditLog":       listed((*client.Client).ListAuditLog),

		"listSupplierFactors":      listed((*client.Client).ListSupplierFactors),
		"createSupplierFactor":     ask1((*client.Client).CreateSupplierFactor, client.SupplierFactorInput{Name: "Power"}),
		"getSupplierFactor":        ask1((*client.Client).GetSupplierFactor, otherID),
		"getSupplierFactorHistory": listed1((*client.Client).ListSupplierFactorHistory, otherID),
		"updateSupplierFactor":     ask2((*client.Client).UpdateSupplierFactor, otherID, client.SupplierFactorPatch{"validTo": nil}),
		"deleteSupplierFactor":     ask1((*client.Client).DeleteSupplierFactor, otherID),
		"approveSupplierFactor":    ask2((*client.Client).ApproveSupplierFactor, otherID, "Seen."),
		"rejectSupplierFactor":     ask2((*client.Client).RejectSupplierFactor, otherID, "No source."),
		"withdrawSupplierFactor":   ask2((*client.Client).WithdrawSupplierFactor, otherID, "Superseded."),

		"listRecordTypes":       listed((*client.Client).ListRecordTypes),
		"getRecordType":         ask1((*client.Client).GetRecordType, typeName),
		"getRecordTypeTemplate": ask1((*client.Client).GetRecordTypeTemplate, typeName),
		"getLocationIndex":      ask((*client.Client).GetLocationIndex),
		"getPlaceIndex":         ask((*client.Client).GetPlaceIndex),
		"getLocation":           ask1((*client.Client).GetLocation, otherID),
		"listFactorSets":        listed((*client.Client).ListFactorSets),
		"getFactorSet":          ask1((*client.Client).GetFactorSet, otherID),

		"listEvents":          listed((*client.Client).ListEvents),
		"createEvent":         ask1((*client.Client).CreateEvent, client.EventInput{}),
		"getEvent":            ask1((*client.Client).GetEvent, eventID),
		"updateEvent":         ask2((*client.Client).UpdateEvent, eventID, client.EventPatch{}),
		"deleteEvent":         ask1((*client.Client).DeleteEvent, eventID),
		"getEventByReference": ask1((*client.Client).GetEventByReference, recordID),
		"putEventByReference": ask2((*client.Client).PutEventByReference, recordID, client.EventPut{}),
		"exportRecords":       ask1((*client.Client).ExportRecords, eventID),
		"getEventHistory":     listed1((*client.Client).ListEventHistory, eventID),
		"signOffEvent":        ask2((*client.Client).SignOffEvent, eventID, client.SignOffInput{Revision: 1, Statement: "Final."}),
		"withdrawSignOff":     ask2((*client.Client).WithdrawSignOff, eventID, "Late invoice."),
		"listEventChanges":    ask1((*client.Client).ListEventChanges, eventID),
		"approveEventChange": func(ctx context.Context, c *client.Client, o ...client.Option) error {
			_, err := c.ApproveEventChange(ctx, eventID, otherID, "Checked.", o...)
			return err
		},
		"assessEventChange": ask2((*client.Client).AssessEventChange, eventID, otherID),
		"rejectEventChange": func(ctx context.Context, c *client.Client, o ...client.Option) error {
			_, err := c.RejectEventChange(ctx, eventID, otherID, "No.", o...)
			return err
		},
		"adoptFactorSet": ask2((*client.Client).AdoptFactorSet, eventID, "desnz-2026"),

		"listRecords": func(ctx context.Context, c *client.Client, o ...client.Option) error {
			return first(c.ListRecords(eventID, typeName).All(ctx, o...))
		},
		"createRecord":  ask2((*client.Client).CreateRecord, eventID, client.RecordInput(record)),
		"createRecords": ask2((*client.Client).CreateRecords, eventID, []client.RecordInput{record}),
		"submitRecords": ask3((*client.Client).SubmitRecords, eventID, typeName, []string{recordID}),
		"importRecords": func(ctx context.Context, c *client.Client, o ...client.Option) error {
			_, err := c.ImportRecords(ctx, eventID, typeName, strings.NewReader("from,to\n"), client.ImportOptions{Partial: true, DecimalComma: true}, o...)
			return err
		},
		"importMixed": func(ctx context.Context, c *client.Client, o ...client.Option) error {
			_, err := c.ImportMixed(ctx, eventID, strings.NewReader("type,from,to\n"), client.ImportOptions{Partial: true, DecimalComma: true}, o...)
			return err
		},
		"getRecordByReference":    ask1((*client.Client).GetRecordByReference, named),
		"putRecordByReference":    ask2((*client.Client).PutRecordByReference, named, client.RecordInput(record)),
		"deleteRecordByReference": ask1((*client.Client).DeleteRecordByReference, named),
		"withdrawRecords":         ask3((*client.Client).WithdrawRecords, eventID, typeName, []string{recordID}),
		"deleteRecords":           ask3((*client.Client).DeleteRecords, eventID, typeName, []string{recordID}),
		"listImports":             listed1((*client.Client).ListImports, eventID),
		"listImportErrors":        listed2((*client.Client).ListImportErrors, eventID, otherID),
		"getBadRows":              ask2((*client.Client).GetBadRows, eventID, otherID),
		"undoImport":              ask2((*client.Client).UndoImport, eventID, otherID),
		"submitImport":            ask2((*client.Client).SubmitImport, eventID, otherID),
		"approveImport":           ask2((*client.Client).ApproveImport, eventID, otherID),

		"getImport":        ask2((*client.Client).GetImport, eventID, otherID),
		"getRecord":        ask1((*client.Client).GetRecord, ref),
		"updateRecord":     ask2((*client.Client).UpdateRecord, ref, client.RecordPatch{"passengers": nil}),
		"deleteRecord":     ask1((*client.Client).DeleteRecord, ref),
		"getRecordHistory": listed1((*client.Client).GetRecordHistory, ref),
		"listOrigins":      listed1((*client.Client).ListOrigins, ref),
		"submitRecord":     ask1((*client.Client).SubmitRecord, ref),
		"withdrawRecord":   ask1((*client.Client).WithdrawRecord, ref),
		"claimRecord":      ask2((*client.Client).ClaimRecord, ref, ""),
		"approveRecord":    ask2((*client.Client).ApproveRecord, ref, "Good."),
		"requestChanges":   ask2((*client.Client).RequestChanges, ref, "Which bin?"),
		"rejectRecord":     ask2((*client.Client).RejectRecord, ref, "No."),
		"reopenRecord":     ask2((*client.Client).ReopenRecord, ref, "Weighed again."),

		"listReviewQueue":         listed((*client.Client).ListReviewQueue),
		"listEventReviewQueue":    listed1((*client.Client).ListEventReviewQueue, eventID),
		"requestChangesOfRecords": ask3((*client.Client).RequestChangesOfRecords, eventID, []string{recordID}, "Which bin?"),
		"rejectRecords":           ask3((*client.Client).RejectRecords, eventID, []string{recordID}, "No."),
		"reopenRecords":           ask3((*client.Client).ReopenRecords, eventID, []string{recordID}, "Weighed again."),
		"approveRecords":          ask2((*client.Client).ApproveRecords, eventID, []string{recordID}),

		"getResult":             ask1((*client.Client).GetResult, eventID),
		"listResultHistory":     listed1((*client.Client).ListResultHistory, eventID),
		"getResultRevision":     ask2((*client.Client).GetResultRevision, eventID, 3),
		"explainResultRevision": listed2((*client.Client).ExplainResultRevision, eventID, 3),
		"getRevisionReport":     ask3((*client.Client).GetRevisionReport, eventID, 3, client.Bundle),
		"compareResults":        ask3((*client.Client).CompareResults, eventID, 3, 7),
		"explainResult":         listed1((*client.Client).ExplainResult, eventID),
		"previewResult":         ask1((*client.Client).PreviewResult, eventID),
		"rehearseEvent":         ask2((*client.Client).RehearseEvent, eventID, client.RehearsalInput{}),
		"previewRows":           ask2((*client.Client).PreviewRows, eventID, client.RowsToPreview{}),
		"getReport":             ask2((*client.Client).GetReport, eventID, client.Printable),

		"health":      ask((*client.Client).Health),
		"healthLive":  ask((*client.Client).HealthLive),
		"healthReady": ask((*client.Client).HealthReady),
	}
}

// notCalled are operations that are not for API clients, or that OpenID libraries call.
var notCalled = map[string]bool{"docs": true, "openapi": true, "openidConfiguration": true, "jwks": true, "reportKeys": true}

type caller = func(ctx context.Context, c *client.Client, o ...client.Option) error

func ask[T any](f func(*client.Client, context.Context, ...client.Option) (T, error)) caller {
	return func(ctx context.Context, c *client.Client, o ...client.Option) error {
		_, err := f(c, ctx, o...)
		return err
	}
}

func ask1[A, T any](f func(*client.Client, context.Context, A, ...client.Option) (T, error), a A) caller {
	return func(ctx context.Context, c *client.Client, o ...client.Option) error {
		_, err := f(c, ctx, a, o...)
		return err
	}
}

func ask2[A, B, T any](f func(*client.Client, context.Context, A, B, ...client.Option) (T, error), a A, b B) caller {
	return func(ctx context.Context, c *client.Client, o ...client.Option) error {
		_, err := f(c, ctx, a, b, o...)
		return err
	}
}

func ask3[A, B, C, T any](f func(*client.Client, context.Context, A, B, C, ...client.Option) (T, error), a A, b B, d C) caller {
	return func(ctx context.Context, c *client.Client, o ...client.Option) error {
		_, err := f(c, ctx, a, b, d, o...)
		return err
	}
}

func listed[T any](f func(*client.Client) *client.Listing[T]) caller {
	return func(ctx context.Context, c *client.Client, o ...client.Option) error {
		return first(f(c).All(ctx, o...))
	}
}

func listed1[A, T any](f func(*client.Client, A) *client.Listing[T], a A) caller {
	return func(ctx context.Context, c *client.Client, o ...client.Option) error {
		return first(f(c, a).All(ctx, o...))
	}
}

func listed2[A, B, T any](f func(*client.Client, A, B) *client.Listing[T], a A, b B) caller {
	return func(ctx context.Context, c *client.Client, o ...client.Option) error {
		return first(f(c, a, b).All(ctx, o...))
	}
}

func first[T any](items iter.Seq2[T, error]) error {
	for _, err := range items {
		return err
	}
	return nil
}

// sent is a transport that answers everything with an empty success and records the
// request.
type sent struct{ requests []*http.Request }

func (s *sent) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
	}
	s.requests = append(s.requests, r)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"success":true,"data":{"accessToken":"t"}}`)), Request: r}, nil
}

// TestClientCalls verifies that the client has a method for every operation, which
// sends what the document says, whatever the ids contain.
func TestClientCalls(t *testing.T) {
	t.Parallel()
	d, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	paths := member(document(t), "paths")
	known := calls()
	for _, o := range d.Operations {
		call := known[o.ID]
		delete(known, o.ID)
		if call == nil {
			if !notCalled[o.ID] {
				t.Errorf("the client has no method for %s", o.ID)
			}
			continue
		}
		transport := &sent{}
		c, err := client.New("http://ecf.test/api/v2/", client.Options{HTTP: &http.Client{Transport: transport}, Tokens: client.TokenBundle{AccessToken: "a", RefreshToken: "r"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := call(t.Context(), c); err != nil || len(transport.requests) != 1 {
			t.Errorf("%s: %v, %d requests", o.ID, err, len(transport.requests))
			continue
		}
		want := o.Path
		for name, value := range pathValues() {
			want = strings.ReplaceAll(want, "{"+name+"}", url.PathEscape(value))
		}
		r := transport.requests[0]
		if got := r.URL.EscapedPath(); r.Method != o.Method || got != "/api/v2"+want || r.URL.Host != "ecf.test" {
			t.Errorf("%s: sent %s %s, want %s /api/v2%s", o.ID, r.Method, r.URL, o.Method, want)
		}
		if (r.Header.Get("Authorization") == "") != o.Public {
			t.Errorf("%s: Authorization %q", o.ID, r.Header.Get("Authorization"))
		}
		operation := member(paths, o.Path, strings.ToLower(o.Method))
		takes := func(parameter string) bool {
			for _, p := range anySlice(operation["parameters"]) {
				if member(p)["$ref"] == "#/components/parameters/"+parameter {
					return true
				}
			}
			return false
		}
		if (r.Header.Get("Idempotency-Key") != "") != takes("IdempotencyKey") {
			t.Errorf("%s: Idempotency-Key %q", o.ID, r.Header.Get("Idempotency-Key"))
		}
		if (r.Header.Get("Content-Type") != "") != (operation["requestBody"] != nil && o.ID != "claimRecord") {
			t.Errorf("%s: Content-Type %q", o.ID, r.Header.Get("Content-Type"))
		}
		if o.ID == "refresh" { // it takes no options
			continue
		}
		for parameter, option := range map[string]client.Option{"DryRun": client.DryRun(), "IfMatch": client.IfMatch(`"t"`), "IdempotencyKey": client.IdempotencyKey("k")} {
			transport.requests = nil
			if err := call(t.Context(), c, option); (err == nil) != takes(parameter) || takes(parameter) != (len(transport.requests) == 1) {
				t.Errorf("%s with %s: %v", o.ID, parameter, err)
			}
		}
	}
	for id := range known {
		t.Errorf("there is no operation %s", id)
	}
}
