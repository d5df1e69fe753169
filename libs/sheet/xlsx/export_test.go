package xlsx

import (
	"bytes"
	"context"
)

// CSV is WriteCSV into memory, with room for 64 MiB.
func CSV(file []byte, name string, decimalComma bool) ([]byte, error) {
	var b bytes.Buffer
	err := WriteCSV(context.Background(), &b, file, Options{Sheet: name, DecimalComma: decimalComma, Limit: 64 << 20})
	return b.Bytes(), err
}
