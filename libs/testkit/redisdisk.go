package testkit

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// RedisDisk gives the server a small disk of its own, on which it writes an
// append-only file as the shipped one does, and which FillDisk fills. What is on it
// ends with the server. A machine where users have no namespaces of their own has no
// such disk; see HasDisk.
func RedisDisk(size int) RedisOption { return func(s *RedisServer) { s.disk = size } }

// HasDisk reports whether the server has a disk of its own.
func (s *RedisServer) HasDisk() bool { return s.disk > 0 }

// onDisk is what a shell runs to start a command with a disk at the server's folder,
// which nobody else sees.
func (s *RedisServer) onDisk() []string {
	return []string{"-Urm", "sh", "-c", fmt.Sprintf(`mount -t tmpfs -o size=%d,mode=0700 small '%s' && exec "$0" "$@"`, s.disk, s.dir)}
}

// checkDisk leaves the server without a disk where there can be none.
func (s *RedisServer) checkDisk() {
	if s.disk == 0 {
		return
	}
	if out, err := exec.Command("unshare", append(s.onDisk(), "true")...).CombinedOutput(); err != nil {
		s.t.Logf("this machine does not let a test have a disk of its own: %v %s", err, out)
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

// FillDisk fills the server's disk: from now on it refuses every write (MISCONF), and
// answers reads, until RoomOnDisk.
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
	// Its file has some room left in its last page.
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

// RoomOnDisk ends a FillDisk, and waits until the server writes again.
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
