package record

import "encoding/json"

// InputHash returns the hash of what a record says: its event, type and input
// fields. Entries of its history carry it as Input.
func InputHash(event EventID, typ string, fields json.RawMessage) string {
	return hashOf(string(event), typ, string(fields))
}
