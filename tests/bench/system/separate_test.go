package system

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestSeparate prints the table of separate processes: the database is that of
// ECF_MONGODB_URI, or the test engine, which is much slower than a server.
func TestSeparate(t *testing.T) {
	p := planned(t)
	if !p.full {
		testkit.OnlyLong(t)
	}
	d := startSeparate(t)
	s := d.system
	list := s.fill(p.records)
	for range p.events - 2 {
		s.event()
	}
	page := "/events/" + list + "/flights?limit=25"
	// The first list of events counts what is in each, which the test engine takes seconds for.
	testkit.Eventually(t, time.Minute, func() error {
		if status, body, _ := s.ask(http.MethodGet, "/events?limit=25", nil, http.Header{"Authorization": {"Bearer " + s.token}}); status != http.StatusOK {
			return fmt.Errorf("%d %s", status, body)
		}
		return nil
	})
	s.print(p,
		beside(s.read("list of 25 records", page, "", 0), "a find of 25 documents of that size", d.find()),
		s.read("the same, If-None-Match", page, s.tag(page), 0),
		s.read("list of 25 events", "/events?limit=25", "", 0),
		beside(s.creation(s.event()), "an insert of the same bytes, majority", d.insert()),
	)
	s.keep("separate")
}

// TestHop prints the table of the gateway's hop, its gateway being a process of its own.
func TestHop(t *testing.T) {
	p := planned(t)
	if !p.full {
		testkit.OnlyLong(t)
	}
	startSeparate(t).hops(p)
}

// deployment is each service as a process, on one database and one Redis.
type deployment struct {
	*system
	raw *mongo.Collection
	// env is what all processes have.
	env []string
}

func startSeparate(t *testing.T) *deployment {
	t.Helper()
	uri, database := testkit.MongoDB(t)
	base, query, _ := strings.Cut(uri, "?")
	named := func(suffix string) string {
		return strings.TrimSuffix(base, "/") + "/" + database + suffix + "?" + query
	}
	redis, _ := testkit.Redis(t)
	service := map[string]string{}
	d := &deployment{env: append(settings(), "ECF_MONGODB_URI="+named(""), "ECF_MONGODB_AUTH_URI="+named("_auth"), "ECF_REDIS_URL="+redis,
		"ECF_SIGNING_KEYS_DIR="+filepath.Join(t.TempDir(), "keys"))}
	for _, name := range []string{"auth", "records", "review", "calculation", "gateway"} {
		service[name] = freeAddress(t)
		if name != "gateway" {
			d.env = append(d.env, "ECF_"+strings.ToUpper(name)+"_URL=http://"+service[name])
		}
	}
	d.env = append(d.env, "ECF_ISSUER=http://"+service["gateway"])
	ecf := program(t, "ecf")
	org := d.command(t, ecf, "", "org", "create", "--name", "Bench Ltd", "--plan", "enterprise")
	d.command(t, ecf, password+"\n", "user", "create", "--org", org, "--email", email, "--role", "manager")
	for _, name := range []string{"auth", "records", "review", "calculation"} {
		d.start(t, name, service[name]).WaitHTTP("http://" + service[name] + "/health/ready")
	}
	d.start(t, "gateway", service["gateway"]).WaitHTTP("http://" + service["gateway"] + "/api/v2/health/ready")
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	d.raw = client.Database(database).Collection("bench")
	d.system = &system{t: t, url: "http://" + service["gateway"]}
	d.token = d.signIn(email)
	return d
}

// start starts a service; later settings win.
func (d *deployment) start(t *testing.T, name, address string, more ...string) *testkit.Proc {
	t.Helper()
	return logged(t, program(t, name), nil, append(append([]string{"ECF_ADDR=" + address}, d.env...), more...))
}

// command runs ecf and returns the first line that it prints.
func (d *deployment) command(t *testing.T, path, input string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), path, args...)
	var out, problems bytes.Buffer
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = append([]string{"PATH=/usr/bin:/bin"}, d.env...), strings.NewReader(input), &out, &problems
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(args, " "), err, out.String(), problems.String())
	}
	line, _, _ := strings.Cut(out.String(), "\n")
	return line
}

// beside sets what the driver does by itself beside a work.
func beside(w work, name string, do func(context.Context) error) work {
	w.baselines = []baseline{{name, repeated(do)}}
	return w
}

// stored has about the bytes of a record.
func stored(n int64) bson.D {
	return bson.D{{Key: "org", Value: "bench"}, {Key: "n", Value: n}, {Key: "body", Value: strings.Repeat("x", 560)}}
}

func (d *deployment) find() func(context.Context) error {
	d.t.Helper()
	for n := range int64(50) {
		if _, err := d.raw.InsertOne(d.t.Context(), stored(n)); err != nil {
			d.t.Fatal(err)
		}
	}
	return func(ctx context.Context) error {
		cursor, err := d.raw.Find(ctx, bson.D{{Key: "org", Value: "bench"}}, options.Find().SetLimit(25))
		if err != nil {
			return err
		}
		var all []bson.Raw
		return cursor.All(ctx, &all)
	}
}

func (d *deployment) insert() func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := d.raw.InsertOne(ctx, stored(-1))
		return err
	}
}

// hops measures what the gateway adds to a service that answers 4.7 kB at once,
// beside those that only pass requests on.
func (d *deployment) hops(p plan) {
	d.t.Helper()
	// With a tag, as services answer: the gateway makes one where there is none.
	backend := d.bare(http.StatusOK, bytes.Repeat([]byte(`{"a":1234},`), 4700/11), http.Header{"Etag": {`"tag"`}})
	// Its own process, which takes that server for the records service.
	gateway := func(settings ...string) string {
		address := freeAddress(d.t)
		d.start(d.t, "gateway", address, append([]string{"ECF_ADDR=" + address, "ECF_RECORDS_URL=" + backend}, settings...)...).WaitHTTP("http://" + address + "/api/v2/health/live")
		return "http://" + address
	}
	path := "/api/v2/events/0123456789abcdefghjkmnpqrs"
	header := http.Header{"Authorization": {"Bearer " + d.token}, "Accept-Encoding": {"identity"}}
	to := func(name, base string) work {
		return work{name: name, status: http.StatusOK, product: vegeta.NewStaticTargeter(vegeta.Target{Method: http.MethodGet, URL: base + path, Header: header})}
	}
	all := []work{to("the server itself", backend), to("gateway", gateway()), to("fasthttp, passing on", peer(d.t, "fasthttp", peerBackend+"="+backend)),
		to("fasthttp, 16 KiB buffers", peer(d.t, "buffered", peerBackend+"="+backend)), to("ReverseProxy", peer(d.t, "reverse", peerBackend+"="+backend)),
		to("gateway, without a log of requests", gateway(quietly))}
	if nginx := nginxHop(d.t, backend); nginx != "" {
		all = append(all, to("nginx", nginx))
	}
	rates := make([][]float64, len(all))
	for range p.rounds {
		for i, w := range all {
			rates[i] = append(rates[i], d.saturate(w, p.each))
		}
	}
	// In turns as well: a 99th percentile beside the load on the same processors differs more
	// from one round to the next than between hops.
	steady := steadyRate(median(rates[1]))
	p50, p99 := make([][]float64, len(all)), make([][]float64, len(all))
	for range p.rounds {
		for i, w := range all {
			m := d.attack(w, steady, p.each)
			p50[i], p99[i] = append(p50[i], float64(m.Latencies.P50)), append(p99[i], float64(m.Latencies.P99))
		}
	}
	d.t.Logf("%-26s %12s %14s %14s   %s", "a hop, 4.7 kB", "a second", "of the server", "of fasthttp's", fmt.Sprintf("at %d a second: p50, p99, of fasthttp's", steady.Freq))
	for i, w := range all {
		middle, late := time.Duration(median(p50[i])), time.Duration(median(p99[i]))
		d.t.Logf("%-26s %12.0f %14.3f %14.3f   %v, %v, %.2f", w.name, median(rates[i]), median(ratios(rates[i], rates[0])), median(ratios(rates[i], rates[2])),
			middle.Round(10*time.Microsecond), late.Round(10*time.Microsecond), median(ratios(p99[i], p99[2])))
		if i == 2 {
			continue
		}
		r := Row{Work: w.name, Beside: "a bare fasthttp hop", Rate: median(rates[i]), BesideRate: median(rates[2]), Ratio: median(ratios(rates[i], rates[2])), P50: middle, P99: late}
		if i == 1 {
			r.Goal = 0.92
		}
		d.rows = append(d.rows, r)
	}
	d.keep("hop")
}
