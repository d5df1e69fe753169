package mongostore

import (
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
)

// recordDoc is a record.Record.
type recordDoc struct {
	ID        string        `bson:"_id"`
	Org       string        `bson:"org"`
	Event     string        `bson:"event"`
	Type      string        `bson:"type"`
	Seq       int64         `bson:"seq"`
	CreatedBy actorDoc      `bson:"createdBy"`
	CreatedAt bson.DateTime `bson:"createdAt"`
	Mark      string        `bson:"mark"`
	Fence     int64         `bson:"fence,omitempty"` // absent: 0
	Untallied int64         `bson:"untallied"`       // see tally
	State     recordState   `bson:",inline"`
}

// recordState holds the fields of a record that a replacement stores.
type recordState struct {
	Rev           int64         `bson:"rev"`
	Status        string        `bson:"status"`
	Deleted       bool          `bson:"deleted"`
	RefKey        string        `bson:"refKey"`
	Reference     string        `bson:"reference"`
	Fields        string        `bson:"fields"`
	Notices       []noticeDoc   `bson:"notices"`
	Preview       string        `bson:"preview"`
	Contribution  string        `bson:"contribution"`
	ContextRev    int64         `bson:"contextRev"`
	UpdatedAt     bson.DateTime `bson:"updatedAt"`
	EditedBy      actorDoc      `bson:"editedBy"`
	Submitted     stampDoc      `bson:"submitted"`
	Reviewed      stampDoc      `bson:"reviewed"`
	ReviewComment string        `bson:"reviewComment"`
	Last          entryDoc      `bson:"last"`
}

// stampDoc is a time and an actor, each as far as known.
type stampDoc struct {
	At *bson.DateTime `bson:"at,omitempty"`
	By *actorDoc      `bson:"by,omitempty"`
}

func stampToDoc(at *time.Time, by *record.Actor) stampDoc {
	var d stampDoc
	if at != nil {
		ms := date(*at)
		d.At = &ms
	}
	if by != nil {
		a := actorToDoc(*by)
		d.By = &a
	}
	return d
}

func stampFromDoc(d stampDoc) (at *time.Time, by *record.Actor, err error) {
	if d.At != nil {
		t := instant(*d.At)
		at = &t
	}
	if d.By != nil {
		a, err := actorFromDoc(*d.By)
		if err != nil {
			return nil, nil, err
		}
		by = &a
	}
	return at, by, nil
}

// noticeDoc is a footprint.Notice.
type noticeDoc struct {
	Code        string   `bson:"code"`
	Message     string   `bson:"message"`
	Field       string   `bson:"field,omitempty"`
	Suggestions []string `bson:"suggestions,omitempty"`
}

func recordStateOf(r record.Record) recordState {
	notices := make([]noticeDoc, len(r.Notices))
	for i, n := range r.Notices {
		notices[i] = noticeDoc{Code: n.Code, Message: n.Message, Field: n.Field, Suggestions: n.Suggestions}
	}
	return recordState{
		Rev: r.Rev, Status: string(r.Status), Deleted: r.Deleted, RefKey: r.RefKey(), Reference: r.Reference,
		Fields: string(r.Fields), Notices: notices, Preview: string(r.Preview),
		Contribution: string(r.Contribution), ContextRev: r.ContextRev,
		UpdatedAt: date(r.UpdatedAt), EditedBy: actorToDoc(r.EditedBy),
		Submitted: stampToDoc(r.SubmittedAt, r.SubmittedBy), Reviewed: stampToDoc(r.ReviewedAt, r.ReviewedBy),
		ReviewComment: r.ReviewComment, Last: entryToDoc(r.Last),
	}
}

func recordFromDoc(d recordDoc) (record.Record, error) {
	state := d.State
	r := record.Record{
		ID: record.ID(d.ID), Org: record.OrgID(d.Org), Event: record.EventID(d.Event), Type: d.Type,
		Seq: d.Seq, Rev: state.Rev, Status: record.Status(state.Status),
		Fields: raw(state.Fields), Reference: state.Reference, Preview: raw(state.Preview),
		Contribution: raw(state.Contribution), ContextRev: state.ContextRev,
		CreatedAt: instant(d.CreatedAt), UpdatedAt: instant(state.UpdatedAt),
		ReviewComment: state.ReviewComment, Mark: d.Mark, Fence: d.Fence, Deleted: state.Deleted,
	}
	for _, n := range state.Notices {
		r.Notices = append(r.Notices, footprint.Notice{Code: n.Code, Message: n.Message, Field: n.Field, Suggestions: n.Suggestions})
	}
	if err := fillActors(&r, d); err != nil {
		return record.Record{}, fmt.Errorf("record %s: %w", d.ID, err)
	}
	return r, nil
}

// fillActors sets the actors of the record.
func fillActors(r *record.Record, d recordDoc) (err error) {
	state := d.State
	if r.CreatedBy, err = actorFromDoc(d.CreatedBy); err != nil {
		return err
	}
	if r.EditedBy, err = actorFromDoc(state.EditedBy); err != nil {
		return err
	}
	if r.SubmittedAt, r.SubmittedBy, err = stampFromDoc(state.Submitted); err != nil {
		return err
	}
	if r.ReviewedAt, r.ReviewedBy, err = stampFromDoc(state.Reviewed); err != nil {
		return err
	}
	r.Last, err = entryFromDoc(state.Last)
	return err
}

// entryDoc is a record.Entry.
type entryDoc struct {
	Rev       int64                   `bson:"rev"`
	Move      string                  `bson:"move"`
	From      string                  `bson:"from"`
	To        string                  `bson:"to"`
	By        actorDoc                `bson:"by"`
	At        bson.DateTime           `bson:"at"`
	Comment   string                  `bson:"comment,omitempty"`
	Changed   []string                `bson:"changed,omitempty"`
	Input     string                  `bson:"input,omitempty"`
	Once      string                  `bson:"once,omitempty"`
	FourEyes  bool                    `bson:"fourEyes,omitempty"`
	PolicyRev int64                   `bson:"policyRev,omitempty"`
	Origins   *footprint.OriginCounts `bson:"origins,omitempty"`
	Salt      string                  `bson:"salt,omitempty"`
	Prev      string                  `bson:"prev"`
	Hash      string                  `bson:"hash"`
}

// historyDoc is an entry stored separately from its record.
type historyDoc struct {
	Org    string   `bson:"org"`
	Event  string   `bson:"event"`
	Record string   `bson:"record"`
	Entry  entryDoc `bson:",inline"`
}

func entryToDoc(e record.Entry) entryDoc {
	return entryDoc{
		Rev: e.Rev, Move: string(e.Move), From: string(e.From), To: string(e.To), By: actorToDoc(e.By), At: date(e.At),
		Comment: e.Comment, Changed: e.Changed, Input: e.Input, Once: e.Once, Prev: e.Prev, Hash: e.Hash,
		FourEyes: e.FourEyes, PolicyRev: e.PolicyRev, Origins: e.Origins, Salt: e.Salt,
	}
}

func entryFromDoc(d entryDoc) (record.Entry, error) {
	by, err := actorFromDoc(d.By)
	if err != nil {
		return record.Entry{}, fmt.Errorf("history entry %d: %w", d.Rev, err)
	}
	return record.Entry{
		Rev: d.Rev, Move: record.Move(d.Move), From: record.Status(d.From), To: record.Status(d.To), By: by, At: instant(d.At),
		Comment: d.Comment, Changed: d.Changed, Input: d.Input, Once: d.Once, Prev: d.Prev, Hash: d.Hash,
		FourEyes: d.FourEyes, PolicyRev: d.PolicyRev, Origins: d.Origins, Salt: d.Salt,
	}, nil
}
