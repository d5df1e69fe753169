package sheet

import (
	"bytes"
	"fmt"
	"slices"

	"golang.org/x/text/encoding/charmap"

	"github.com/eventcarbon/ecf/libs/fields"
)

// Encodings are the encodings a file may be declared to be in.
func Encodings() []string { return []string{"utf-8", "windows-1252"} }

// UTF8 returns a file in UTF-8 that is in a declared encoding. A byte that the
// encoding does not have is a VALIDATION_ERROR.
func UTF8(file []byte, encoding string) ([]byte, error) {
	if encoding != "windows-1252" {
		return file, nil
	}
	if at := slices.IndexFunc(file, func(b byte) bool { return b == 0x81 || b == 0x8d || b == 0x8f || b == 0x90 || b == 0x9d }); at >= 0 {
		return nil, headFault(fields.BadFormat, fmt.Sprintf("The file is not in Windows-1252: it has the byte %#x in line %d.", file[at], 1+bytes.Count(file[:at], []byte("\n"))))
	}
	out, err := charmap.Windows1252.NewDecoder().Bytes(file)
	if err != nil {
		return nil, fmt.Errorf("sheet: windows-1252: %w", err)
	}
	return out, nil
}
