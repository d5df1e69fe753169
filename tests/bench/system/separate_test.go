package system

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestSeparate prints the table of separate processes. The database is that of
// ECF_MONGODB_URI or the test engine, which is much slower than a server and only shows
// that everything runs. The table is stored only if it was measured on a server.
func TestSeparate(t *testing.T) {
	p := planned(t)
	if !p.full {
		testkit.OnlyLong(t)
	}
	engine := os.Getenv("ECF_MONGODB_URI") == ""
	if engine {
		p = brief
	}
	d := startSeparate(t)
	s := d.system
	list := s.fill(p.records)
	for range p.events - 2 {
		s.event()
	}
	page, events := "/events/"+list+"/flights?limit=25", "/events?limit=25"
	created := s.creation(s.event()) // another event, so that the tag of the list does not change
	// The first list of events counts the contents of each event, for which the test
	// engine takes longer than the request timeout; a repetition continues from the
	// counts made.
	testkit.Eventually(t, 2*time.Minute, func() error {
		status, body, _ := s.ask(http.MethodGet, events, nil, http.Header{"Authorization": {"Bearer " + s.token}})
		if status != http.StatusOK {
			return fmt.Errorf("list of events: %d %s", status, body)
		}
		return nil
	})
	again := d.recorded()
	s.print(p,
		again.beside(s.read("list of 25 records", page, "", 0), page),
		s.read("the same, If-None-Match", page, s.tag(page), 0),
		again.beside(s.read("list of 25 events", events, "", 0), events),
		again.besideCreation(created),
		s.signingIn(),
	)
	s.visible(p)
	if engine {
		t.Log("the test engine is not a MongoDB server: the tables are not stored")
		return
	}
	s.about = []string{d.server(t)}
	s.keep("separate")
}

// otherGateway names the program of another version of the gateway, which TestHop
// compares with this one: the effect of a change is smaller than the difference between
// two runs.
const otherGateway = "ECF_BENCH_GATEWAY"

// TestHop prints the table of the gateway's hop; the gateway is a separate process.
func TestHop(t *testing.T) {
	p := planned(t)
	if !p.full {
		testkit.OnlyLong(t)
	}
	startSeparate(t).hops(p)
}

// deployment runs each service as a process, on one database and one Redis.
type deployment struct {
	*system
	// uri is the address of the database, and raw a driver connected to it.
	uri string
	raw *mongo.Database
	// env is the environment of all processes.
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
		"ECF_SIGNING_KEYS_DIR="+filepath.Join(t.TempDir(), "keys"), "ECF_PEER_SECRET=a-secret-of-the-services-of-a-bench")}
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
	debug := freeAddress(t)
	logged(t, program(t, "calculation"), []string{"--role=work"}, append(slices.Clone(d.env), "ECF_DEBUG_ADDR="+debug)).WaitHTTP("http://" + debug + "/health/ready")
	d.start(t, "gateway", service["gateway"]).WaitHTTP("http://" + service["gateway"] + "/api/v2/health/ready")
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	d.uri, d.raw = named(""), client.Database(database)
	d.system = &system{t: t, url: "http://" + service["gateway"]}
	d.token = d.signIn(email)
	return d
}

// start starts a service; later settings win.
func (d *deployment) start(t *testing.T, name, address string, more ...string) *testkit.Proc {
	t.Helper()
	return logged(t, program(t, name), nil, append(append([]string{"ECF_ADDR=" + address}, d.env...), more...))
}

// command runs ecf and returns the first line of its output.
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

// server returns name and version of the database server.
func (d *deployment) server(t *testing.T) string {
	t.Helper()
	info, err := d.raw.RunCommand(t.Context(), bson.D{{Key: "buildInfo", Value: 1}}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	// MongoDB permits it to monitoring users only, and has nothing to add.
	status, _ := d.raw.RunCommand(t.Context(), bson.D{{Key: "serverStatus", Value: 1}}).Raw()
	return serverName(info, status)
}

// serverName returns name and version of the server with these replies to buildInfo and
// serverStatus; the latter may be empty. A compatible server reports the version of MongoDB
// that it imitates: FerretDB adds its own, in the one reply or the other, and times
// measured on it must not be published as those of MongoDB.
func serverName(info, status bson.Raw) string {
	imitated := "MongoDB " + info.Lookup("version").StringValue()
	for _, own := range []bson.RawValue{info.Lookup("ferretdbVersion"), status.Lookup("ferretdb", "version")} {
		if version, ok := own.StringValueOK(); ok {
			return "FerretDB " + version + ", as " + imitated
		}
	}
	return imitated
}

// recording is a gateway and a records service on the database of the deployment whose
// commands are recorded.
type recording struct {
	*system
	d *deployment
	r *recorder
}

func (d *deployment) recorded() *recording {
	d.t.Helper()
	var hello struct {
		Primary string `bson:"primary"`
	}
	if err := d.raw.RunCommand(d.t.Context(), bson.D{{Key: "hello", Value: 1}}).Decode(&hello); err != nil {
		d.t.Fatal(err)
	}
	r, uri := newRecorder(d.t, d.uri, hello.Primary)
	records, gateway := freeAddress(d.t), freeAddress(d.t)
	d.start(d.t, "records", records, "ECF_MONGODB_URI="+uri).WaitHTTP("http://" + records + "/health/ready")
	d.start(d.t, "gateway", gateway, "ECF_RECORDS_URL=http://"+records).WaitHTTP("http://" + gateway + "/api/v2/health/ready")
	return &recording{&system{t: d.t, url: "http://" + gateway, token: d.token}, d, r}
}

// beside compares a list with the commands sent by the driver alone, with the same
// indexes: those that validate a cached page, which is what is measured of it, and
// those that read one.
func (again *recording) beside(w work, path string) work {
	again.t.Helper()
	ask := func() { again.read("", path, "", 0) }
	first := readOnly(again.t, again.r.during(ask))
	second := readOnly(again.t, again.r.during(ask))
	again.t.Logf("%s: %d commands if nothing is cached, %s; %d afterwards, %s", w.name, len(first), names(first), len(second), names(second))
	w.baselines = append(w.baselines,
		baseline{"the same commands by the driver alone, the page remembered", repeated(replayed(again.d.raw, second))},
		baseline{"the same commands by the driver alone, the page read", repeated(replayed(again.d.raw, first))})
	return w
}

// besideCreation compares creations with their commands sent by the driver alone.
func (again *recording) besideCreation(w work) work {
	again.t.Helper()
	var target vegeta.Target
	if err := w.product(&target); err != nil {
		again.t.Fatal(err)
	}
	path := strings.TrimPrefix(target.URL, again.d.url+"/api/v2")
	commands := again.r.during(func() { again.made(path, target.Body, http.StatusCreated) })
	again.t.Logf("%s: %d commands, %s", w.name, len(commands), names(commands))
	do := replayedCreation(again.t, again.d.raw, commands)
	if err := do(again.t.Context()); err != nil {
		again.t.Fatal(err)
	}
	w.baselines = []baseline{{"the same commands by the driver alone", repeated(do)}}
	return w
}

// hops measures what the gateway adds to a service that answers 4.7 kB immediately,
// compared with other reverse proxies.
func (d *deployment) hops(p plan) {
	d.t.Helper()
	// With an entity tag, as services answer: otherwise the gateway computes one.
	backend := d.bare(http.StatusOK, bytes.Repeat([]byte(`{"a":1234},`), 4700/11), http.Header{"Etag": {`"tag"`}})
	// A separate process, which uses that server as the records service.
	run := func(program string, settings ...string) string {
		address := freeAddress(d.t)
		logged(d.t, program, nil, append(append(slices.Clone(d.env), "ECF_ADDR="+address, "ECF_RECORDS_URL="+backend), settings...)).WaitHTTP("http://" + address + "/api/v2/health/live")
		return "http://" + address
	}
	gateway := program(d.t, "gateway")
	path := "/api/v2/events/0123456789abcdefghjkmnpqrs"
	header := http.Header{"Authorization": {"Bearer " + d.token}, "Accept-Encoding": {"identity"}}
	to := func(name, base string) work {
		return work{name: name, status: http.StatusOK, product: vegeta.NewStaticTargeter(vegeta.Target{Method: http.MethodGet, URL: base + path, Header: header})}
	}
	all := []work{to("the server itself", backend), to("gateway", run(gateway)), to("fasthttp, passing on", peer(d.t, "fasthttp", peerBackend+"="+backend)),
		to("fasthttp, 16 KiB buffers", peer(d.t, "buffered", peerBackend+"="+backend)), to("ReverseProxy", peer(d.t, "reverse", peerBackend+"="+backend)),
		to("gateway, without a log of requests", run(gateway, quietly))}
	if nginx := nginxHop(d.t, backend); nginx != "" {
		all = append(all, to("nginx", nginx))
	}
	if other := os.Getenv(otherGateway); other != "" {
		all = append(all, to(otherGateway, run(other)))
	}
	var hops []func(time.Duration) float64
	for _, w := range all {
		hops = append(hops, func(turn time.Duration) float64 { return d.saturate(w, turn) })
	}
	rates := p.alternate(d.t, hops...)
	// In turns as well: with the load on the same CPUs, a 99th percentile differs more
	// between rounds than between hops.
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
		switch {
		case w.name == otherGateway:
			d.t.Logf("the gateway has %.3f of its rate", median(ratios(rates[1], rates[i])))
			continue
		case i == 2:
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
