package testkit

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// RedisDisk gives the server a small disk, on which it writes an append-only file
// configured like the shipped one, and which FillDisk fills. The disk is removed with
// the server. It needs user namespaces; without them there is no disk, see HasDisk.
func RedisDisk(size int) RedisOption { return func(s *RedisServer) { s.disk = size } }

// HasDisk reports whether the server has its own disk.
func (s *RedisServer) HasDisk() bool { return s.disk > 0 }

// onDisk returns the shell command prefix that starts a command with a private disk
// mounted at the server's directory.
func (s *RedisServer) onDisk() []string {
	return []string{"-Urm", "sh", "-c", fmt.Sprintf(`mount -t tmpfs -o size=%d,mode=0700 small '%s' && exec "$0" "$@"`, s.disk, s.dir)}
}

// checkDisk removes the disk from the options if it cannot be mounted.
func (s *RedisServer) checkDisk() {
	if s.disk == 0 {
		return
	}
	if out, err := exec.Command("unshare", append(s.onDisk(), "true")...).CombinedOutput(); err != nil {
		s.t.Logf("this machine does not let a test mount a disk: %v %s", err, out)
		s.disk = 0
	}
}

func (s *RedisServer) launchOnDisk(args []string) *Proc {
	args = append(args, "--appendonly", "yes", "--appendfsync", "everysec", "--auto-aof-rewrite-min-size", fmt.Sprint(s.disk/4))
	return Process(s.t, "unshare", append(append(s.onDisk(), s.path), args...), nil)
}

func (s *RedisServer) ballast() string {
	return fmt.Sprintf("/proc/%d/root%s", s.proc.PID(), filepath.Join(s.dir, "ballast"))
}

// FillDisk fills the server's disk: until RoomOnDisk, it refuses every write (MISCONF)
// and answers reads.
func (s *RedisServer) FillDisk() {
	s.t.Helper()
	file, err := os.Create(s.ballast())
	if err != nil {
		s.t.Fatalf("fill the disk of Redis: %v", err)
	}
	for piece := make([]byte, 64<<10); len(piece) > 0; {
		if _, err := file.Write(piece); err != nil {
			piece = piece[:len(piece)/2]
		}
	}
	_ = file.Close()
	// The last page of its file has some room left.
	err = poll(redisLimit, func() error {
		err := s.command("SET testkit:ballast "+strings.Repeat("x", 1000), "+OK")
		if err == nil {
			return errors.New("a write is accepted")
		}
		if !strings.Contains(err.Error(), "MISCONF") {
			return err
		}
		return nil
	})
	if err != nil {
		s.t.Fatalf("fill the disk of Redis: %v", err)
	}
}

// RoomOnDisk undoes FillDisk and waits until the server accepts writes.
func (s *RedisServer) RoomOnDisk() {
	s.t.Helper()
	if err := os.Remove(s.ballast()); err != nil {
		s.t.Fatalf("make room on the disk of Redis: %v", err)
	}
	err := poll(redisLimit, func() error {
		return errors.Join(s.command("SET testkit:ballast x", "+OK"), s.command("DEL testkit:ballast", ":1"))
	})
	if err != nil {
		s.t.Fatalf("make room on the disk of Redis: %v", err)
	}
}
