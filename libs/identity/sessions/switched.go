package sessions

import (
	"strconv"
	"strings"
)

// Switched is the sid of a token for a membership other than the first one of the session's
// person: the session, the membership and its epoch, which ends the token with the membership.
// Its state is only in auth's store and never in the copy, so nothing has to be invalidated
// when it ends.
type Switched struct {
	Session, Member string
	Epoch           int64
}

// separator occurs in no id.
const separator = "~"

// String returns the sid.
func (s Switched) String() string {
	return s.Session + separator + s.Member + separator + strconv.FormatInt(s.Epoch, 10)
}

// ParseSwitched parses the format of String, and reports whether it could.
func ParseSwitched(sid string) (s Switched, ok bool) {
	parts := strings.Split(sid, separator)
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" {
		return Switched{}, false
	}
	epoch, err := strconv.ParseInt(parts[2], 10, 64)
	s = Switched{Session: parts[0], Member: parts[1], Epoch: epoch}
	return s, err == nil && s.String() == sid
}

// SessionOf returns the id of the session named by a sid, switched or not.
func SessionOf(sid string) string {
	session, _, _ := strings.Cut(sid, separator)
	return session
}
