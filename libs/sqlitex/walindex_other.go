//go:build !linux && !darwin

package sqlitex

import (
	"os"
	"path/filepath"
)

type fileID string

func identify(path string) (fileID, error) {
	absolute, err := filepath.Abs(path)
	return fileID(absolute), err
}

// walIndex is not read here.
type walIndex struct{}

func mapIndex(*os.File) *walIndex { return nil }

func (x *walIndex) unmap() error { return nil }

func (x *walIndex) header() (h indexHeader, ok bool) { return h, false }

func (x *walIndex) written() uint32 { return 0 }
