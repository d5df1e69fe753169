// Package audit sends security events that occur outside the auth service to the
// audit log. A service reports its changes in a response header to the gateway; the
// gateway adds rejected requests, and sends both to auth, which stores the log.
package audit

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/authclient"
)

// Path is the path for reports to auth, on its own port. The gateway never exposes it.
const Path = "/internal/audit"

// Actions reported by services other than auth. Auth accepts no others, so that nobody who reaches it can forge a
// sign-in.
const (
	Forbidden    = "request.forbidden"
	Limited      = "request.limited"
	Organization = "organization.update"
	// RecordDeleted is the deletion of one or several records.
	RecordDeleted = "record.delete"
)

// Event is the prefix of the actions on events, which is followed by the action in
// the event's history: "event.delete".
const Event = "event."

// SupplierFactor is the prefix of the actions on the factors of suppliers:
// "supplier-factor.approve".
const SupplierFactor = "supplier-factor."

// Reportable reports whether another service than auth may report an action.
func Reportable(action string) bool {
	switch action {
	case Forbidden, Limited, Organization, RecordDeleted:
		return true
	}
	if name, ok := strings.CutPrefix(action, SupplierFactor); ok {
		return slices.Contains([]string{"create", "edit", "delete", "approve", "reject", "withdraw"}, name)
	}
	name, ok := strings.CutPrefix(action, Event)
	return ok && slices.Contains([]string{
		"create", "change", "adopt-factor-set", "delete", "propose-change", "assess-change", "approve-change", "reject-change",
		"begin-sign-off", "fail-sign-off", "sign-off", "withdraw-sign-off",
	}, name)
}

// Note describes an action. It contains no email and no secret.
type Note struct {
	Action string `json:"action"`
	// ID identifies the action among those of its kind in its organization: repeated reports are entered once. Empty:
	// every report is an entry.
	ID string `json:"id,omitempty"`
	// Actor is who acted, if ID is that of an action on an event or of a change of the organization. It may differ from
	// the caller: the last one is reported again with the next one.
	Actor string `json:"actor,omitempty"`
	// Refused is the reason for a rejection; empty if the action was done.
	Refused string `json:"refused,omitempty"`
	// Subject is the object of the action, or the rejected request.
	Subject string `json:"subject,omitempty"`
	Before  string `json:"before,omitempty"`
	After   string `json:"after,omitempty"`
}

// Report is a note and the request it is of.
type Report struct {
	Note
	Address   string `json:"address,omitempty"`
	RequestID string `json:"requestId,omitempty"`
}

// Recorder writes the audit log.
type Recorder interface {
	// Record stores an entry before it returns nil. Actor and organization are those of the access token; without one
	// they are unknown.
	Record(ctx context.Context, accessToken string, r Report) error
}

// MaxText bounds each text of a note in bytes: the log truncates longer ones.
const MaxText = 1000

// Naming returns notes that contain all ids, as many per note as fit: Before contains them, and After which one of
// how many notes it is, if there are several. It returns none for no ids.
func Naming(n Note, ids []string) []Note {
	var notes []Note
	names := ""
	for i, id := range ids {
		switch {
		case i == 0:
			names = id
		case len(names)+1+len(id) > MaxText:
			n.Before, names = names, id
			notes = append(notes, n)
		default:
			names += " " + id
		}
	}
	if len(ids) > 0 {
		n.Before = names
		notes = append(notes, n)
	}
	if len(notes) > 1 {
		for i := range notes {
			notes[i].After = fmt.Sprintf("part %d of %d", i+1, len(notes))
		}
	}
	return notes
}

// header is the header field for a note in the response of a service, once for each note. The gateway removes it,
// like all fields that begin with X-Ecf-.
const header = "X-Ecf-Audit"

// Attach sets the notes in the response of a service, replacing existing ones. There is room
// for a few, because a response header is limited to 16 KiB. A gateway of a version
// that supports one note enters the first.
func Attach(c *fiber.Ctx, notes ...Note) error {
	c.Response().Header.Del(header)
	for _, n := range notes {
		text, err := json.Marshal(n)
		if err != nil {
			return fmt.Errorf("audit: %w", err)
		}
		c.Response().Header.Add(header, base64.RawURLEncoding.EncodeToString(text))
	}
	return nil
}

// Hold returns the notes of a service's response as text for Reattach, empty if there are none. Notes without an ID
// get the given one, with an index if there are several: they are reported with each of these responses, and entered
// once.
func Hold(c *fiber.Ctx, id string) (string, error) {
	notes, err := Attached(c.Response())
	if err != nil || len(notes) == 0 {
		return "", err
	}
	for i := range notes {
		if notes[i].ID != "" {
			continue
		}
		if notes[i].ID = id; i > 0 {
			notes[i].ID += "-" + strconv.Itoa(i)
		}
	}
	if err := Attach(c, notes...); err != nil {
		return "", err
	}
	var held []string
	for _, value := range c.Response().Header.PeekAll(header) {
		held = append(held, string(value))
	}
	return strings.Join(held, " "), nil
}

// Reattach adds the notes that Hold returned to a response.
func Reattach(c *fiber.Ctx, held string) {
	for value := range strings.FieldsSeq(held) {
		c.Response().Header.Add(header, value)
	}
}

// Attached returns the notes of a service's answer, in their order.
func Attached(answer *fiber.Response) (notes []Note, err error) {
	for _, value := range answer.Header.PeekAll(header) {
		n, err := decode(string(value))
		if err != nil {
			return notes, err
		}
		notes = append(notes, n)
	}
	return notes, nil
}

func decode(value string) (n Note, err error) {
	text, err := base64.RawURLEncoding.DecodeString(value)
	if err == nil {
		err = json.Unmarshal(text, &n)
	}
	if err != nil {
		return Note{}, fmt.Errorf("audit: the note of an answer: %w", err)
	}
	return n, nil
}

// Remote is auth as a Recorder, over HTTP.
type Remote struct{ auth *authclient.Client }

var _ Recorder = (*Remote)(nil)

// NewRemote returns a Recorder that reports to the auth service at base; see authclient.New.
func NewRemote(base string, client *http.Client) *Remote {
	return &Remote{authclient.New(base, client)}
}

// Record implements Recorder.
func (r *Remote) Record(ctx context.Context, accessToken string, report Report) error {
	if err := r.auth.Post(identity.WithToken(ctx, accessToken), Path, report); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}
