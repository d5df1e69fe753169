package record

import "encoding/json"

// InputHash returns the hash of the content of a record: its event, type and input
// fields. It is Input in the entries of the record's history.
func InputHash(event EventID, typ string, fields json.RawMessage) string {
	return hashOf(string(event), typ, string(fields))
}
