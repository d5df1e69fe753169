package xlsx

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/fields"
)

// checkMerged returns the fault of cells below the headings that are merged over several rows: only the first stores
// the value, but readers see it in all. It reads on after the end of the rows.
func (r *rowReader) checkMerged(head int) error {
	for {
		token, err := r.tokens.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		e, ok := token.(xml.StartElement)
		if !ok || e.Name.Local != "mergeCell" {
			continue
		}
		area := attr(e, "ref")
		from, to, _ := strings.Cut(area, ":")
		_, first, ok := position(from)
		_, last, also := position(to)
		if ok && also && first > head && last > first {
			return fault("row "+strconv.Itoa(first), fields.NotAllowed,
				fmt.Sprintf("The cells %s are merged, so that rows %d to %d have one value between them. Split them, and write the value into each row that has it.", area, first, last))
		}
	}
}
