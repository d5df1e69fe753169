package imports

import (
	"fmt"
	"runtime/debug"
)

// Panic is a panic outside the goroutine of a request, where it would otherwise end the
// process.
type Panic struct {
	Value any
	Stack string
}

func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Recovered calls do, and returns a *Panic if it panics.
func Recovered(do func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Panic{Value: v, Stack: string(debug.Stack())}
		}
	}()
	return do()
}
