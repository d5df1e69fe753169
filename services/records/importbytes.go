package records

import (
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/records/imports"
)

// rowBytes is what a record of a row takes at least: preview and contribution are calculated later.
const rowBytes = 3 << 10

// importBytes returns about how many bytes an import will store: the file, and its rows again as records.
func importBytes(file *web.File, i record.Import, rows int64) int64 {
	return 2*int64(file.Size()) + min(rows, imports.MaxRows(i))*rowBytes
}
