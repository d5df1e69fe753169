package record

import (
	"context"
	"time"

	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// ImportStatus is how far an import is.
type ImportStatus string

// The states of an import. Before Importing nothing of it exists; from then on
// it will be completed, unless who uploaded it may not go on or it cannot.
const (
	Receiving  ImportStatus = "receiving"  // the file is being stored
	Validating ImportStatus = "validating" // every row is looked at
	Importing  ImportStatus = "importing"  // the rows become records
	Completed  ImportStatus = "completed"
	// Failed: nothing was imported, or the import was aborted and Imported is the
	// number of imported records.
	Failed ImportStatus = "failed"
)

// Import is a file on its way to become records. Its JSON is the stored form.
type Import struct {
	ID     string       `json:"id"`
	Org    OrgID        `json:"org"`
	Event  EventID      `json:"event"`
	Type   string       `json:"type"`
	Status ImportStatus `json:"status"`
	Rev    int64        `json:"rev"` // 1 when made, +1 with every change

	// HasFile: the parts of the file have not been removed yet.
	HasFile bool `json:"hasFile,omitempty"`

	By        Actor     `json:"by"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`

	// Partial imports the good rows of a file that has bad ones too.
	Partial bool `json:"partial,omitempty"`
	// DecimalComma: numbers are written 2,5.
	DecimalComma bool `json:"decimalComma,omitempty"`
	// NumberFormat and DateOrder are how numbers and days are written; empty where
	// that was not declared, and the numbers of the file do not settle it.
	NumberFormat string `json:"numberFormat,omitempty"`
	DateOrder    string `json:"dateOrder,omitempty"`
	// Doubts: a number with two readings, such as 1.200, is refused, since the file may mean
	// either.
	Doubts bool `json:"doubts,omitempty"`
	// Columns are the columns that were chosen in place of their headings, each as letters, a colon and a heading. The stored
	// file has these headings.
	Columns []string `json:"columns,omitempty"`
	// HeadRow is the number of the row of headings; 0 if not specified, for the first row that is not empty.
	HeadRow int64 `json:"headRow,omitempty"`
	// Rules are those that the file is read by, as of the release that took it.
	Rules int `json:"rules,omitempty"`

	// WholeRecords: the rows of a file of attendee travel are records, as an export
	// has them, and not origins.
	WholeRecords bool `json:"wholeRecords,omitempty"`
	// To is where the people of a file of origins travel; empty: to the event's place.
	To string `json:"to,omitempty"`
	// Context is that of the event at the commit point: rows are imported in the context in which they were
	// validated, even if the event changes.
	Context    *footprint.EventContext `json:"context,omitempty"`
	ContextRev int64                   `json:"contextRev,omitempty"`

	Rows int64 `json:"rows"` // data rows looked at
	Bad  int64 `json:"bad"`  // of them, those that cannot be imported
	// Faults is the number of faults in the bad rows; Errors holds the first ones.
	Faults int64 `json:"faults"`
	// Done is the number of data rows that are done with, Imported how many
	// became records.
	Done     int64      `json:"done"`
	Imported int64      `json:"imported"`
	Errors   []RowError `json:"errors,omitempty"` // the first ones
	Ignored  []string   `json:"ignored,omitempty"`
	Seed     string     `json:"seed"` // the ids of the records are derived from it

	// Notices describe rows of the file that existing records may repeat.
	Notices []fields.Notice `json:"notices,omitempty"`

	// OnDuplicate determines the handling of a row whose reference a record has: empty
	// refuses it, skip keeps the record, update sets the row's fields. Updated,
	// Unchanged and Skipped count processed rows of this kind.
	OnDuplicate string `json:"onDuplicate,omitempty"`
	Updated     int64  `json:"updated,omitempty"`
	Unchanged   int64  `json:"unchanged,omitempty"`
	Skipped     int64  `json:"skipped,omitempty"`
	// Hash is the SHA-256 of the type, the sheet and the file as it was sent, in hexadecimal. Columns are no part of it: with
	// other ones, the rows of a file are still the same things.
	Hash string `json:"hash,omitempty"`
	// BadParts is the number of parts with the bad rows and all their errors, see
	// BadPartsID; 0: none, or they were removed.
	BadParts int64 `json:"badParts,omitempty"`
	// Undone is set once the import was undone.
	Undone *Undone `json:"undone,omitempty"`

	Lease time.Time `json:"lease"`
}

// Undone records who undid an import, and what was removed.
type Undone struct {
	By      Actor     `json:"by"`
	At      time.Time `json:"at"`
	Removed int64     `json:"removed"`
	// Left is how many records of the import there were after the last undo: changed, submitted or approved ones.
	Left int64 `json:"left,omitempty"`
}

// TakenBack reports whether the import was undone and left nothing: its file may be imported again.
func (i Import) TakenBack() bool { return i.Undone != nil && i.Undone.Left == 0 }

// BadPartsID is the id under which the parts with the bad rows are stored.
func (i Import) BadPartsID() string { return i.ID + "/bad" }

// Open reports whether there is still something to do, if only to remove the
// file.
func (i Import) Open() bool { return i.HasFile || !i.Finished() }

// Finished reports whether the import has ended.
func (i Import) Finished() bool { return i.Status == Completed || i.Status == Failed }

// RowError is what is wrong with a cell of a file.
type RowError struct {
	// Row counts as spreadsheets do: from 1, empty rows included.
	Row int64 `json:"row"`
	// Column is the heading of the column, or the field's name if there is no column.
	Column      string   `json:"column,omitempty"`
	Code        string   `json:"code"`
	Message     string   `json:"message"`
	Suggestions []string `json:"suggestions,omitempty"`
	// RecordID is the id of the conflicting record, if there is one.
	RecordID string `json:"recordId,omitempty"`
}

// OpenImport names an import that is not finished.
type OpenImport struct {
	Org   OrgID
	Event EventID
	ID    string
}

// Imports are the files of a tenant on their way to become records.
type Imports interface {
	// InsertImport stores a new import; ErrDuplicate if its id is taken.
	InsertImport(ctx context.Context, org OrgID, i Import) error
	// Import reads an import of an event; ErrNotFound.
	Import(ctx context.Context, org OrgID, event EventID, id string) (Import, error)
	// ReplaceImport stores i where the stored Rev is prevRev, else ErrConflict.
	ReplaceImport(ctx context.Context, org OrgID, i Import, prevRev int64) error
	// PutImportPart stores the n-th part of the file, from 0. It succeeds if the part exists.
	PutImportPart(ctx context.Context, org OrgID, id string, n int64, part []byte) error
	// ImportPart reads a part; ErrNotFound after the last.
	ImportPart(ctx context.Context, org OrgID, id string, n int64) ([]byte, error)
	// DropImportParts removes the file.
	DropImportParts(ctx context.Context, org OrgID, id string) error
	// EventImports lists the imports of an event, newest first (CreatedAt, then ID),
	// skipping skip and at most limit of them, and counts them all.
	EventImports(ctx context.Context, org OrgID, event EventID, skip, limit int64) (page []Import, total int64, err error)
	// ImportsOfFile lists the newest imports of an event whose file has this hash, at most
	// MaxImportsOfFile of them (CreatedAt, then ID).
	ImportsOfFile(ctx context.Context, org OrgID, event EventID, hash string) ([]Import, error)
	// OpenImports lists up to limit imports of all organizations that are not
	// finished, by rising id, from after that on. It is the sweeper's, and has no tenant.
	OpenImports(ctx context.Context, after string, limit int) ([]OpenImport, error)
}

// MaxImportsOfFile bounds what ImportsOfFile returns.
const MaxImportsOfFile = 100
