package keys_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/eventcarbon/ecf/libs/infra/keys"
	"github.com/eventcarbon/ecf/libs/settings"
)

func TestAFolderThatCannotBeUsedIsNamed(t *testing.T) {
	t.Parallel()
	for code, want := range map[error]string{
		syscall.ENOTDIR: "which is a file, or lies below one: name a folder",
		syscall.EROFS:   "which is on a disk that can only be read: mount it so",
		syscall.ENOSPC:  "where there is no room left: make room",
		syscall.EDQUOT:  "where there is no room left: make room",
		syscall.EACCES:  "which the user that runs this program may not write to: give the folder, with the files in it, to that user",
		syscall.EPERM:   "which the user that runs this program may not write to",
		syscall.ENOENT:  "which is not there and cannot be made: name a folder that is there",
	} {
		for given, variable := range map[string]string{"": "ECF_DATA_DIR is /data", "/keys": "ECF_SIGNING_KEYS_DIR is /keys"} {
			var f keys.Folder
			if err := settings.Of(&f).Load(nil, func(name string) string {
				return map[string]string{"ECF_DATA_DIR": "/data", "ECF_SIGNING_KEYS_DIR": given}[name]
			}); err != nil {
				t.Fatal(err)
			}
			cause := fmt.Errorf("write key: %w", &fs.PathError{Op: "open", Path: "/somewhere/else", Err: code})
			got := f.Unusable(cause)
			if !strings.HasPrefix(got.Error(), variable+", "+want) || !errors.Is(got, code) || !strings.Contains(got.Error(), "/somewhere/else") {
				t.Errorf("%v: %v, want %s, %s", code, got, variable, want)
			}
		}
	}
	other := errors.New("the key is damaged")
	if got := keys.Unusable("ECF_DATA_DIR", "/data", other); !errors.Is(got, other) || got.Error() != other.Error() {
		t.Errorf("an error that is not of the folder becomes %v", got)
	}
	if err := keys.Unusable("ECF_DATA_DIR", "/data", nil); err != nil {
		t.Error(err)
	}
}
