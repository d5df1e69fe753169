package sessions

import (
	"strconv"
	"strings"
)

// Switched is what the sid of a token names when the token is of another membership
// than the first one of the session's person: the session, the membership and its
// epoch, which ends the token with the membership. Only auth can tell its state, from
// its store: it is never in the copy, so nothing has to be told of its end.
type Switched struct {
	Session, Member string
	Epoch           int64
}

// separator is in no id.
const separator = "~"

// String returns the sid.
func (s Switched) String() string {
	return s.Session + separator + s.Member + separator + strconv.FormatInt(s.Epoch, 10)
}

// ParseSwitched reads a sid that String made, and reports whether it is one.
func ParseSwitched(sid string) (s Switched, ok bool) {
	parts := strings.Split(sid, separator)
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" {
		return Switched{}, false
	}
	epoch, err := strconv.ParseInt(parts[2], 10, 64)
	s = Switched{Session: parts[0], Member: parts[1], Epoch: epoch}
	return s, err == nil && s.String() == sid
}

// SessionOf returns the id of the session that a sid names, switched or not.
func SessionOf(sid string) string {
	session, _, _ := strings.Cut(sid, separator)
	return session
}
