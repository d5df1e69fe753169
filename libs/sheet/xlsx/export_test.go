package xlsx

import (
	"bytes"
	"context"
)

const room = 64 << 20

// CSV is WriteCSV into memory, with room for 64 MiB.
func CSV(file []byte, name string, decimalComma bool) ([]byte, error) {
	csv, _, err := CSVWith(file, Options{Sheet: name, DecimalComma: decimalComma})
	return csv, err
}

// CSVWith is CSV with options.
func CSVWith(file []byte, o Options) (csv []byte, format string, err error) {
	var b bytes.Buffer
	o.Limit = room
	format, err = WriteCSV(context.Background(), &b, file, o)
	return b.Bytes(), format, err
}
