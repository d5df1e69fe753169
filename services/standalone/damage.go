package standalone

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// reportDamagedLog logs that commits in the write-ahead log of a database that is opened next cannot be applied. It does
// not prevent the start: after a loss of power such commits need not have been acknowledged.
func reportDamagedLog(ctx context.Context, env app.Env, path string) {
	damage, err := sqlitex.SetDamagedLogAside(ctx, path)
	if env.Logger == nil {
		return
	}
	if damage.Commits > 0 {
		env.Logger.ErrorContext(ctx, "the write-ahead log is damaged, and commits in it are lost", "commits", damage.Commits, "frame", damage.Frame, "copy", damage.Copy)
	}
	if err != nil {
		env.Logger.ErrorContext(ctx, "a damaged write-ahead log could not be read or copied", "error", err.Error())
	}
}

// verifyFile prints what is wrong with the file of the embedded engine in dir, and returns the number of lines.
func verifyFile(ctx context.Context, out io.Writer, stores *stores, dir string) (broken int, err error) {
	if stores.damage == nil {
		return 0, nil
	}
	lines, err := stores.damage(ctx)
	if err != nil {
		return 0, err
	}
	copies, err := sqlitex.DamagedLogs(filepath.Join(dir, DatabaseFile))
	if err != nil {
		return 0, err
	}
	for _, path := range copies {
		lines = append(lines, fmt.Sprintf("commits were lost with a damaged write-ahead log; remove its copy %s once that is clarified", filepath.Base(path)))
	}
	for _, line := range lines {
		if _, err := fmt.Fprintf(out, "%s: %s\n", DatabaseFile, line); err != nil {
			return 0, err
		}
	}
	return len(lines), nil
}
