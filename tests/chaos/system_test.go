package chaos

import (
	"bytes"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

const password = "a long enough password"

// redisDisk is the size, in bytes, of the disk of Redis, which fills up.
const redisDisk = 32 << 20

// part is one process of a deployment, which can be killed and restarted.
type part struct {
	t    *testing.T
	name string
	path string
	args []string
	env  []string
	// ready is a URL that answers 200 when the part works.
	ready string
	// debug is the address of its debug port; status means that it has a page about the
	// recalculation there.
	debug  string
	status bool
	// skewed means that its clock can be set wrong.
	skewed bool
	proc   *testkit.Proc // nil while it is stopped
	// quiet is its number of goroutines at rest.
	quiet int
}

func (p *part) start() {
	if p.proc == nil {
		p.proc = testkit.Process(p.t, p.path, p.args, p.env)
	}
}

func (p *part) kill() {
	if p.proc != nil {
		p.proc.Kill()
		p.proc = nil
	}
}

// stop stops it with SIGTERM.
func (p *part) stop() {
	if p.proc != nil {
		if err := p.proc.Stop(); err != nil {
			p.t.Errorf("%s did not stop cleanly: %v", p.name, err)
		}
		p.proc = nil
	}
}

// deployment is a running system.
type deployment struct {
	// enter is a command prefix for the server's mount namespace; empty if it has none.
	enter []string
	t     *testing.T
	parts []*part
	bases []string // of the gateways
	// user and manager are the accounts' emails.
	user, manager string
	org           string
	seen          tally
	// admin is the environment in which bin/ecf reaches the same database without a
	// link.
	admin []string
	// rest is how long an approval takes to be in the result without faults.
	rest time.Duration
	// yard is how long the yardstick took then.
	yard  time.Duration
	moves int // acknowledged in all rounds

	redis                *testkit.RedisServer // nil if embedded
	redisLink, mongoLink *link                // nil if there is none
}

// awaitReady waits until everything works.
func (d *deployment) awaitReady() {
	d.t.Helper()
	for _, p := range d.parts {
		p.proc.WaitHTTP(p.ready)
	}
}

func address(t *testing.T) string { return fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t)) }

// limits returns limits that are too high to matter here.
func limits() []string {
	return []string{"ECF_AUTH_RATE_LIMIT=10000/1m", "ECF_WRITE_RATE_LIMIT=100000/1m", "ECF_SWEEP_INTERVAL=200ms"}
}

// single runs everything in one process on the embedded engines; wrap, if given, is the
// command prefix that starts it.
func single(t *testing.T, data string, wrap ...string) *deployment {
	t.Helper()
	addr, debug := address(t), address(t)
	p := &part{
		t: t, name: "ecf", path: testkit.Binary(t, "services/standalone/cmd/ecf"), args: []string{"serve"},
		ready: "http://" + addr + "/api/v2/health/ready", debug: debug, status: true,
		env: append(limits(), "ECF_ADDR="+addr, "ECF_DEBUG_ADDR="+debug, "ECF_DATA_DIR="+data, "ECF_DEMO=true", "ECF_DEMO_PASSWORD="+password,
			"ECF_ISSUER=http://"+addr),
	}
	if len(wrap) > 0 {
		p.args = append(append(wrap[1:], p.path), p.args...)
		p.path = wrap[0]
	}
	d := &deployment{t: t, parts: []*part{p}, bases: []string{"http://" + addr}, user: "user@demo.test", manager: "manager@demo.test"}
	d.admin = p.env
	p.start()
	d.awaitReady()
	d.learnOrg()
	return d
}

// separate runs each service as a process, gateway and worker twice, on a database and
// a queue behind links that can fail. The named ones have a clock that can be set
// wrong.
func separate(t *testing.T, skewed ...string) *deployment {
	t.Helper()
	d := &deployment{t: t, user: "user@separate.test", manager: "manager@separate.test"}
	uri, database := testkit.MongoDB(t)
	direct := []string{"ECF_MONGODB_URI=" + named(t, uri, database, ""), "ECF_MONGODB_AUTH_URI=" + named(t, uri, database+"_auth", "")}
	link := ""
	if host := hostOf(t, uri); host != "" {
		d.mongoLink = newLink(t, host)
		link = d.mongoLink.addr()
	} else {
		t.Log("the URI of the database does not name a single server: its connections do not fail")
	}
	_, d.redis = testkit.Redis(t, testkit.RedisDisk(redisDisk))
	d.redisLink = newLink(t, d.redis.Addr())

	gateways := []string{address(t), address(t)}
	auth, records, review, calculation := address(t), address(t), address(t), address(t)
	own := append(limits(),
		"ECF_AUTH_URL=http://"+auth, "ECF_RECORDS_URL=http://"+records, "ECF_REVIEW_URL=http://"+review, "ECF_CALCULATION_URL=http://"+calculation,
		"ECF_ISSUER=http://"+gateways[0], "ECF_SIGNING_KEYS_DIR="+filepath.Join(t.TempDir(), "keys"),
		"ECF_REDIS_URL=redis://"+d.redisLink.addr()+"/0")
	if len(skewed) == 0 {
		// With a wrong clock auth rejects the proofs of services, which no drill is
		// about.
		own = append(own, "ECF_PEER_SECRET=a-secret-of-the-services-of-a-test")
	}
	env := append([]string{"ECF_MONGODB_URI=" + named(t, uri, database, link), "ECF_MONGODB_AUTH_URI=" + named(t, uri, database+"_auth", link)}, own...)
	add := func(name, service, addr, debug, ready string, args ...string) *part {
		p := &part{
			t: t, name: name, path: testkit.Binary(t, "services/"+service+"/cmd/"+service), args: args, ready: ready, debug: debug,
			env: append([]string{"ECF_ADDR=" + addr, "ECF_DEBUG_ADDR=" + debug}, env...),
		}
		if p.skewed = slices.Contains(skewed, name); p.skewed {
			p.path, p.args = testkit.Binary(t, "tests/cmd/skewed"), append([]string{service}, args...)
		}
		d.parts = append(d.parts, p)
		return p
	}
	const ready = "/health/ready" // of a service; that of the gateway is below the base path
	add("auth", "auth", auth, address(t), "http://"+auth+ready)
	add("records", "records", records, address(t), "http://"+records+ready)
	add("review", "review", review, address(t), "http://"+review+ready)
	add("results", "calculation", calculation, address(t), "http://"+calculation+ready, "--role=serve")
	for n := range 2 {
		debug := address(t)
		add(fmt.Sprint("worker ", n+1), "calculation", address(t), debug, "http://"+debug+"/health/ready", "--role=work").status = true
	}
	for n, addr := range gateways {
		add(fmt.Sprint("gateway ", n+1), "gateway", addr, address(t), "http://"+addr+"/api/v2"+ready)
		d.bases = append(d.bases, "http://"+addr)
	}

	ecf := testkit.Binary(t, "services/standalone/cmd/ecf")
	d.admin = append(direct, own...)
	org := command(t, ecf, d.admin, "", "org", "create", "--name", "Apart Ltd", "--plan", "enterprise")
	for _, role := range []string{"user", "manager"} {
		command(t, ecf, d.admin, password+"\n", "user", "create", "--org", org, "--email", role+"@separate.test", "--role", role)
	}
	for _, p := range d.parts {
		p.start()
	}
	d.awaitReady()
	d.learnOrg()
	return d
}

// hostOf returns host and port of a MongoDB URI that names one server, or "".
func hostOf(t *testing.T, uri string) string {
	t.Helper()
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "mongodb" || strings.Contains(u.Host, ",") || u.Query().Get("tls") == "true" {
		return ""
	}
	if u.Port() == "" {
		return u.Host + ":27017"
	}
	return u.Host
}

// named returns a MongoDB URI with the database's name and, if link is given, with that
// as the host.
func named(t *testing.T, uri, database, link string) string {
	t.Helper()
	if link == "" && hostOf(t, uri) == "" {
		address, query, _ := strings.Cut(uri, "?")
		return strings.TrimSuffix(address, "/") + "/" + database + "?" + query
	}
	u, err := url.Parse(uri)
	if err != nil {
		t.Fatal("the URI of MongoDB cannot be parsed")
	}
	query := u.Query()
	if u.User != nil && query.Get("authSource") == "" {
		query.Set("authSource", "admin")
	}
	if link != "" {
		// A member of a replica set would name its own address, bypassing the link.
		u.Host = link
		query.Del("replicaSet")
		query.Set("directConnection", "true")
	}
	u.Path, u.RawQuery = "/"+database, query.Encode()
	return u.String()
}

// command runs a program to its end and returns the first line of its output.
func command(t *testing.T, path string, env []string, input string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = append([]string{"PATH=/usr/bin:/bin"}, env...)
	cmd.Stdin = strings.NewReader(input)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(args, " "), err, out.String(), problems.String())
	}
	line, _, _ := strings.Cut(out.String(), "\n")
	return line
}

// learnOrg reads the id of the accounts' organization.
func (d *deployment) learnOrg() {
	d.t.Helper()
	c := d.client(1, d.user)
	var o struct {
		ID string `json:"_id"`
	}
	if err := c.get(d.t.Context(), "/organization", &o); err != nil {
		d.t.Fatal(err)
	}
	d.org = o.ID
}

// signal sends a signal to a running part.
func (p *part) signal(s syscall.Signal) {
	if p.proc != nil {
		p.proc.Signal(s)
	}
}
