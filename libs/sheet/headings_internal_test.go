package sheet

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// Each heading of a type's fields means one of them.
func TestHeadingsMeanOneField(t *testing.T) {
	t.Parallel()
	for _, typ := range append(footprint.Types(), footprint.OriginRows) {
		names := map[string]string{}
		for _, c := range Columns(typ) {
			for _, head := range c.headings {
				if other := names[head]; other != "" && other != c.Name {
					t.Errorf("%s: %q is %s and %s", typ, head, other, c.Name)
				}
				names[head] = c.Name
			}
		}
	}
}
