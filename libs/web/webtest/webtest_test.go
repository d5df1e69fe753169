package webtest_test

import (
	"testing"
	"unsafe"

	"github.com/eventcarbon/ecf/libs/web/webtest"
)

// TestAPrincipalOutlivesItsRequest verifies that a principal does not change when the
// buffer of its token is reused.
func TestAPrincipalOutlivesItsRequest(t *testing.T) {
	t.Parallel()
	buffer := []byte("org1.ada.user")
	p, err := webtest.Tokens{}.Verify(t.Context(), unsafe.String(&buffer[0], len(buffer)))
	if err != nil {
		t.Fatal(err)
	}
	copy(buffer, "xxxxxxxxxxxxx")
	if p.Org != "org1" || p.UserID != "ada" || p.Name != "ada" {
		t.Errorf("it changed to %+v", p)
	}
}
