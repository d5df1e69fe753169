package record

import "time"

// Touched are the actors and times shown with a record, which no hash covers, in the
// form of its history entries.
type Touched struct{ of Record }

// Take takes the entries of the history one after the other.
func (t *Touched) Take(e Entry) {
	r := &t.of
	by, at := e.By, e.At
	switch e.Move {
	case Create:
		r.CreatedBy, r.CreatedAt, r.EditedBy = by, at, by
	case Edit:
		r.EditedBy = by
	case Submit:
		r.SubmittedBy, r.SubmittedAt = &by, &at
		r.ReviewedBy, r.ReviewedAt, r.ReviewComment = nil, nil, ""
	case Withdraw:
		r.SubmittedBy, r.SubmittedAt = nil, nil
	case Review, Approve, AutoApprove, RequestChanges, Reject, Reopen:
		r.ReviewedBy, r.ReviewedAt, r.ReviewComment = &by, &at, e.Comment
	}
}

// Differs returns the fields of a record whose values differ; none if they are equal.
func (t *Touched) Differs(r Record) (fields []string) {
	is := t.of
	for _, f := range []struct {
		name string
		same bool
	}{
		{"createdBy", r.CreatedBy == is.CreatedBy}, {"createdAt", r.CreatedAt.Equal(is.CreatedAt)}, {"editedBy", r.EditedBy == is.EditedBy},
		{"submittedBy", same(r.SubmittedBy, is.SubmittedBy, equals)}, {"submittedAt", same(r.SubmittedAt, is.SubmittedAt, time.Time.Equal)},
		{"reviewedBy", same(r.ReviewedBy, is.ReviewedBy, equals)}, {"reviewedAt", same(r.ReviewedAt, is.ReviewedAt, time.Time.Equal)},
		{"reviewComment", r.ReviewComment == is.ReviewComment},
	} {
		if !f.same {
			fields = append(fields, f.name)
		}
	}
	return fields
}

func equals(a, b Actor) bool { return a == b }

// same compares two optional values.
func same[T any](a, b *T, equal func(a, b T) bool) bool {
	if a == nil || b == nil {
		return a == b
	}
	return equal(*a, *b)
}
