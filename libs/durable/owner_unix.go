//go:build unix

package durable

import (
	"os"
	"syscall"
)

// giveToOwner gives what root has made in a directory to the owner of the directory. For another user it does nothing.
func giveToOwner(dir *os.Root, made *os.File) error {
	if os.Geteuid() != 0 {
		return nil
	}
	above, err := dir.Stat(".")
	if err != nil {
		return err
	}
	info, err := made.Stat()
	if err != nil {
		return err
	}
	owner, ok := above.Sys().(*syscall.Stat_t)
	is, known := info.Sys().(*syscall.Stat_t)
	if !ok || !known || owner.Uid == 0 || owner.Uid == is.Uid {
		return nil
	}
	return made.Chown(int(owner.Uid), int(owner.Gid))
}
