//go:build !unix

package standalone

// lockDataDir does nothing where there are no advisory locks; the embedded
// database has its own against two writers at once.
func lockDataDir(string) (unlock func(), err error) { return func() {}, nil }
