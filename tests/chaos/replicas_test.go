package chaos

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// replicate starts a second process of a service, which the second gateway uses instead of the first one.
func (d *deployment) replicate(service, setting string) (first, second *part) {
	d.t.Helper()
	first, gateway := d.part(service), d.part("gateway 2")
	addr, debug := address(d.t), address(d.t)
	second = &part{
		t: d.t, name: service + " 2", path: first.path, args: first.args, ready: "http://" + addr + "/health/ready", debug: debug,
		env: append(slices.Clone(first.env), "ECF_ADDR="+addr, "ECF_DEBUG_ADDR="+debug),
	}
	d.parts = append(d.parts, second)
	second.start()
	gateway.stop()
	gateway.env = append(slices.Clone(gateway.env), setting+"=http://"+addr)
	gateway.start()
	return first, second
}

func (d *deployment) part(name string) *part {
	d.t.Helper()
	at := slices.IndexFunc(d.parts, func(p *part) bool { return p.name == name })
	if at < 0 {
		d.t.Fatalf("there is no %s", name)
	}
	return d.parts[at]
}

// TestHungReplicas: a process hangs during writes until another one has executed them under their idempotency keys, and
// then goes on with what it had begun. Each write is executed once.
func TestHungReplicas(t *testing.T) {
	testkit.OnlyLong(t)
	d := separate(t)
	var all []*part
	for _, of := range [][2]string{{"records", "ECF_RECORDS_URL"}, {"review", "ECF_REVIEW_URL"}} {
		first, second := d.replicate(of[0], of[1])
		all = append(all, first, second)
	}
	d.awaitReady()
	random := testkit.Rand(t)
	people := d.team(random, 4)
	d.measure(people)
	// Another process takes an idempotency key over after five seconds.
	const past = 7 * time.Second
	for round := range 3 {
		t.Logf("round %d", round+1)
		d.play(random, people, func() []act {
			var acts []act
			at := time.Duration(0)
			for _, n := range random.Perm(len(all)) {
				p := all[n]
				at += time.Duration(300+random.IntN(700)) * time.Millisecond
				acts = append(acts,
					act{at: at, what: "hang " + p.name, do: func() { p.signal(syscall.SIGSTOP) }},
					act{at: at + past, what: fmt.Sprint("end of hang ", p.name), do: func() { p.signal(syscall.SIGCONT) }})
				at += past
			}
			return acts
		})
		if t.Failed() {
			return
		}
	}
}
