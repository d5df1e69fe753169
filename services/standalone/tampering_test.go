package standalone_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/standalone"
)

// worked is a copy of the database of an organization that has done a bit of
// everything, without a server.
type worked struct {
	t     *testing.T
	file  []byte
	org   string
	event string // with a result of three revisions
	other string // a second event, which was deleted
	user  string
	// factor and another are in the library of supplier factors.
	factor, another string
}

// work creates the database. It passes the verification, also under concurrent writes.
func work(t *testing.T) worked {
	t.Helper()
	a := startAudited(t)
	w := worked{t: t, org: a.org, event: a.event}
	var token string
	call := func(method, path, body string, want int) map[string]any {
		t.Helper()
		status, text := ask(t, method, a.base+path, token, body)
		var answer struct{ Data map[string]any }
		if err := json.Unmarshal([]byte(text), &answer); err != nil || status != want {
			t.Fatalf("%s %s: %d %s", method, path, status, text)
		}
		return answer.Data
	}
	current := func(revision int) {
		t.Helper()
		testkit.Eventually(t, time.Minute, func() error {
			status, text := ask(t, "GET", a.base+"/events/"+a.event+"/results", token, "")
			if status != http.StatusOK || !strings.Contains(text, `"status":"current"`) || !strings.Contains(text, fmt.Sprintf(`"revision":%d,`, revision)) {
				return fmt.Errorf("%d %s", status, text)
			}
			return nil
		})
	}
	signIn := func(email string) {
		token = call("POST", "/auth/login", `{"email":"`+email+`","password":"`+password+`"}`, http.StatusOK)["accessToken"].(string)
	}
	w.user = a.must(password+"\n", "user", "create", "--org", a.org, "--email", "u@example.test", "--role", "user")
	a.must(password+"\n", "user", "create", "--org", a.org, "--email", "a@example.test", "--role", "admin")
	gone := a.must(password+"\n", "user", "create", "--org", a.org, "--email", "gone@example.test", "--role", "user")
	a.must("", "org", "plan", "--org", a.org, "--plan", "enterprise")
	signIn("a@example.test")
	call("PATCH", "/organization", `{"policy":{"fourEyes":true,"requireReason":true}}`, http.StatusOK)
	// Proposals are in the log, and no part of the policy.
	call("PATCH", "/organization", `{"policy":{"autoApproveBelowKg":5,"spotCheckOneIn":2}}`, http.StatusAccepted)
	call("PATCH", "/organization", `{"policy":{"requireReason":false}}`, http.StatusAccepted)
	call("PATCH", "/users/"+gone, `{"role":"viewer"}`, http.StatusOK)
	call("DELETE", "/users/"+gone, "", http.StatusOK)
	w.factor = call("POST", "/supplier-factors", `{"name":"Green, Power","kgCO2ePerUnit":0.0123,"unit":"kWh","stage":"combined","source":"EPD","evidence":[{"name":"d.pdf","sha256":"`+strings.Repeat("ab", 32)+`"}]}`, http.StatusCreated)["_id"].(string)
	call("PATCH", "/supplier-factors/"+w.factor, `{"kgCO2ePerUnit":0.0124}`, http.StatusOK)
	w.another = call("POST", "/supplier-factors", `{"name":"Blue Power","kgCO2ePerUnit":0.0456,"unit":"kWh","stage":"combined","source":"EPD","evidence":[{"name":"d.pdf","sha256":"`+strings.Repeat("cd", 32)+`"}]}`, http.StatusCreated)["_id"].(string)

	signIn("u@example.test")
	at := "/events/" + a.event + "/waste"
	second := call("POST", at, `{"treatment":"landfill","weightKg":500,"externalReference":"PO 1"}`, http.StatusCreated)["_id"].(string)
	call("POST", at+"/"+second+"/submit", "", http.StatusOK)
	draft := call("POST", at, `{"treatment":"landfill","weightKg":1}`, http.StatusCreated)["_id"].(string)
	call("PATCH", at+"/"+draft, `{"weightKg":2}`, http.StatusOK)
	call("POST", at+"/"+draft+"/submit", "", http.StatusOK)
	call("POST", at+"/"+draft+"/withdraw", "", http.StatusOK)
	call("DELETE", at+"/"+call("POST", at, `{"treatment":"landfill","weightKg":3}`, http.StatusCreated)["_id"].(string), "", http.StatusOK)
	signIn("m@example.test")
	call("POST", "/supplier-factors/"+w.factor+"/approve", "", http.StatusOK)
	call("POST", at+"/"+second+"/approve", "", http.StatusOK)
	current(2)
	// The draft stays in the state of the event before.
	change := call("PATCH", "/events/"+a.event, `{"attendees":40,"comment":"They are more."}`, http.StatusAccepted)["change"].(map[string]any)["_id"].(string)
	w.other = call("POST", "/events", `{"title":"Deleted","country":"DE"}`, http.StatusCreated)["_id"].(string)
	call("DELETE", "/events/"+w.other, "", http.StatusOK)
	signIn("a@example.test")
	call("POST", "/events/"+a.event+"/changes/"+change+"/approve", `{"comment":"So they are."}`, http.StatusOK)
	current(3)
	backup := filepath.Join(t.TempDir(), "backup")
	a.must("", "backup", "--to", backup)
	file, err := os.ReadFile(filepath.Join(backup, standalone.DatabaseFile))
	if err != nil {
		t.Fatal(err)
	}
	w.file = file
	return w
}

// verified returns the output of audit verify for a copy of the database after statements.
func (w worked) verified(t *testing.T, statements string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, standalone.DatabaseFile)
	if err := os.WriteFile(path, w.file, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sqlitex.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for statement := range strings.SplitSeq(statements, ";") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		if err := db.Write(t.Context(), func(ctx context.Context, tx sqlitex.Tx) error {
			done, err := tx.ExecContext(ctx, statement)
			if err != nil {
				return err
			}
			if n, err := done.RowsAffected(); err != nil || n == 0 {
				return fmt.Errorf("it changes nothing: %w", err)
			}
			return nil
		}); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	c := &commands{t, map[string]string{"ECF_DATA_DIR": dir}}
	out, err := c.run("", "audit", "verify")
	if err != nil {
		out += err.Error()
	}
	return out, err
}

// audit verify reports every change of a database that bypasses the server and verifies everything else; without
// changes it reports nothing.
func TestAuditVerifyNamesTampering(t *testing.T) {
	t.Parallel()
	w := work(t)
	out, err := w.verified(t, "")
	if err != nil || !strings.Contains(out, w.org+": figures of 3 records and 1 results recomputed\n") {
		t.Fatalf("%v\n%s", err, out)
	}
	const anyApproved = ` WHERE id = (SELECT id FROM records WHERE status = 'approved' AND rev = 3 LIMIT 1)`
	event := " WHERE id = '" + w.event + "'"
	for _, c := range []struct{ name, statements, want string }{
		{"a record does not parse", `UPDATE records SET body = '{bad'` + anyApproved, "it cannot be read"},
		{"who made a record does not parse", `UPDATE records SET created_by = 'aaa'` + anyApproved, "it cannot be read"},
		{"an event does not parse", `UPDATE events SET body = '{bad'` + event, "event " + w.event + ": it cannot be read"},
		{"the governance of an event does not parse", `UPDATE events SET governance = '{bad'` + event, "event " + w.event + ": it cannot be read"},
		{"the team of an event does not parse", `UPDATE events SET team = '{}'` + event, "event " + w.event + ": it cannot be read"},
		{"the boundary of an event does not parse", `UPDATE events SET boundary = '{bad'` + event, "its boundary is no JSON"},
		{"the history of an event does not parse", `UPDATE event_history SET entry = '{bad'`, "its history cannot be read"},
		{"a headline does not parse", `UPDATE events SET headline = '{bad'` + event, "its result cannot be read"},
		{"a result does not parse", `UPDATE results SET doc = '{bad'`, "its result cannot be read"},
		{"a revision does not parse", `UPDATE result_revisions SET doc = '{bad'`, "one cannot be read"},
		{"a node does not parse", `UPDATE result_nodes SET doc = '{bad'`, "what it was summed from cannot be read"},
		{"a policy does not parse", `UPDATE organizations SET policy = '{bad'`, "the organization cannot be read"},
		{"a supplier factor does not parse", `UPDATE supplier_factors SET body = '{bad' WHERE id = '` + w.factor + `'`, "supplier factor " + w.factor + ": invalid character"},
		{"a supplier factor is another one", `UPDATE supplier_factors SET body = json_set(body, '$.id', 'aaa') WHERE id = '` + w.factor + `'`, "supplier factor " + w.factor + ": what is stored of it is of"},
		{"a supplier factor, beside one that does not parse", `UPDATE supplier_factors SET body = '{bad' WHERE id = '` + w.factor + `'; UPDATE supplier_factors SET body = replace(body, '0.0456', '0.0001')`, "supplier factor " + w.another + ": it was changed after revision 1"},

		{"a figure of a state the event never had", `UPDATE records SET preview = replace(preview, '"kgCO2e":', '"kgCO2e":1'), context_rev = 0` + anyApproved, "its figures are of state 0"},
		{"a figure of an earlier state, of which nothing is due", `UPDATE records SET context_rev = 1` + anyApproved, "nothing says that they are to be calculated anew"},
		{"a figure without a contribution", `UPDATE records SET preview = replace(preview, '"kgCO2e":', '"kgCO2e":1'), contribution = ''` + anyApproved, "it has no contribution"},
		{"a figure of a draft, which is of an earlier state", `UPDATE records SET preview = replace(preview, '"kgCO2e":', '"kgCO2e":1') WHERE status = 'unsubmitted' AND deleted = 0`, "the figure shown is"},
		{"a figure by another engine", `UPDATE records SET contribution = replace(contribution, '"engine":"2.', '"engine":"9.')` + anyApproved, "it was calculated by engine 9."},
		{"a result newer than its event", `UPDATE results SET doc = json_set(doc, '$.ContextRev', 7)`, "it is of state 7 of its event"},
		{"a result of an earlier state", `UPDATE results SET doc = json_set(doc, '$.ContextRev', 1)`, "it is of an earlier state of its event"},
		{"a result by another engine", `UPDATE results SET doc = json_set(doc, '$.EngineVersion', '9.9.9')`, "it was calculated by engine 9.9.9"},
		{"a result in another context", `UPDATE results SET doc = json_set(doc, '$.Context.attendees', 41)`, "its context is not that of state 2"},
		{"no result", `DELETE FROM results`, "which lists show, is not there"},
		{"no result, and none in lists", `DELETE FROM results; UPDATE events SET headline = NULL`, "2 records are approved, there is no result"},
		{"a revision with the figures of another one", `UPDATE result_revisions SET doc = json_set(doc, '$.Contribution', json((SELECT json_extract(doc, '$.Contribution') FROM result_revisions WHERE revision = 1))) WHERE revision = 2`, "revision 2 before it: it is not the one that the next revision followed"},
		{"no earlier revisions", `DELETE FROM result_revisions`, "revision 2 before it is missing"},
		{"another figure in lists", `UPDATE events SET headline = json_set(headline, '$.total.kgCO2e', 1.5)` + event, "which is not this result"},
		{"sums that a result is made of", `UPDATE result_nodes SET doc = replace(doc, '"total":"', '"total":"1')`, "the sum of waste that is kept for it (level 1, 0)"},

		{"somebody else who decided", `UPDATE records SET body = json_set(body, '$.reviewed.by.id', 'x')` + anyApproved, "its reviewedBy is not what its history says"},
		{"somebody else who submitted", `UPDATE records SET body = json_set(body, '$.submitted.by.id', 'x')` + anyApproved, "its submittedBy is not what its history says"},
		{"somebody else who made a record", `UPDATE records SET created_by = json_set(created_by, '$.id', 'x')` + anyApproved, "its createdBy is not what its history says"},
		{"another time of a record", `UPDATE records SET created_at = created_at - 1000` + anyApproved, "its createdAt is not what its history says"},
		{"another reference", `UPDATE records SET reference = 'PO 2' WHERE reference = 'PO 1'`, `its external reference is "PO 2"`},
		{"another time of an event", `UPDATE events SET created_at = created_at - 1000` + event, "its createdAt is not what its history says"},
		{"somebody else who made an event", `UPDATE events SET body = json_set(body, '$.createdBy.id', 'x')` + event, "its createdBy is not what its history says"},
		{"another supplier factor", `UPDATE supplier_factors SET body = replace(body, '0.0124', '0.0001')`, "it was changed after revision 3, by no action"},
		{"another supplier factor, without its hashes", `UPDATE supplier_factors SET body = json_remove(replace(body, '0.0124', '0.0001'), '$.history[0].hash', '$.history[1].hash', '$.history[2].hash')`, "a change that its history does not have"},
		{"no supplier factor", `DELETE FROM supplier_factors`, "the audit log tells of it, and it is not there"},
		{"no four eyes", `UPDATE organizations SET four_eyes = 0`, "its policy is not the one that its history ends with"},
		{"no policy", `UPDATE organizations SET policy = NULL`, "decisions were made under the policy of revision"},
		{"no states of the policy", `UPDATE organizations SET policy = json_remove(policy, '$.policies[0]')`, "its policies before revision"},
		{"another plan", `UPDATE organizations SET plan = 'free'`, "its plan is free, and was last set to enterprise"},
		{"a role that there is not", `UPDATE account_users SET role = 4 WHERE id = '` + w.user + `'`, "its role is Role(4), and was last set to user"},
		{"another role", `UPDATE account_users SET role = 3 WHERE id = '` + w.user + `'`, "its role is admin, and was last set to user"},
		{"no accounts", `DELETE FROM account_users`, "the audit log says that it was made, and it is not there"},

		{"no audit log", `DELETE FROM account_audit; DELETE FROM account_audit_heads`, "accounts, and no audit log"},
		{"no events and records", `DELETE FROM events; DELETE FROM event_history; DELETE FROM records; DELETE FROM history`, "event " + w.event + ": the audit log tells of it, and it is not there"},
		{"no records", `DELETE FROM records; DELETE FROM history`, "0 records are approved, and 2 were counted as they came"},
		{"not the newest record", `DELETE FROM history WHERE record IN (SELECT id FROM records WHERE status = 'unsubmitted' AND deleted = 0); DELETE FROM records WHERE seq >= 3`, "0 records are unsubmitted, and 1 were counted as they came"},
		{"not the newest event", `DELETE FROM events WHERE id = '` + w.other + `'; DELETE FROM event_history WHERE event = '` + w.other + `'`, "event " + w.other + ": the audit log tells of it, and it is not there"},
		{"no organization", `DELETE FROM organizations`, "the organization is not there, and something of it is"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, err := w.verified(t, c.statements)
			if err == nil || !strings.Contains(out, c.want) {
				t.Errorf("%v; want %q in\n%s", err, c.want, out)
			}
			// In every case the whole database was verified.
			if !strings.Contains(out, w.org+": figures of ") {
				t.Errorf("it has not come to the end:\n%s", out)
			}
		})
	}
}
