package records

import (
	"errors"
	"io"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/records/imports"
)

// rowBytes is what a record of a row takes at least: preview and contribution are calculated later.
const rowBytes = 3 << 10

// importBytes returns about how many bytes an import will store: the file, and its rows again as records. Of a file
// with line breaks within cells it is more.
func importBytes(file *web.File, i record.Import) (int64, error) {
	lines, read := int64(0), make([]byte, 64<<10)
	for from := file.Reader(); ; {
		n, err := from.Read(read)
		for _, b := range read[:n] {
			if b == '\n' {
				lines++
			}
		}
		if errors.Is(err, io.EOF) {
			return 2*int64(file.Size()) + min(lines, imports.MaxRows(i))*rowBytes, nil
		}
		if err != nil {
			return 0, err
		}
	}
}
