package xlsx

import (
	"bytes"
	"context"
)

const room = 64 << 20

// CSV is WriteCSV into memory, with room for 64 MiB.
func CSV(file []byte, name string, decimalComma bool) ([]byte, error) {
	var b bytes.Buffer
	_, err := WriteCSV(context.Background(), &b, file, Options{Sheet: name, DecimalComma: decimalComma, Limit: room})
	return b.Bytes(), err
}

// CSVOf is CSV of a workbook whose form of numbers was not declared.
func CSVOf(file []byte, numbers func(head []string) []bool, decimalComma bool) (csv []byte, format string, err error) {
	var b bytes.Buffer
	format, err = WriteCSV(context.Background(), &b, file, Options{DecimalComma: decimalComma, Numbers: numbers, Limit: room})
	return b.Bytes(), format, err
}
