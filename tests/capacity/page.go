package capacity

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// seed seeds the simulation of the page.
const seed = 19

// Page returns docs/runbooks/ten-thousand.md.
func Page(m Tables) (string, error) {
	p, err := Work(m, Assumed(), Wanted())
	if err != nil {
		return "", err
	}
	stored, err := m.Stored.table()
	if err != nil {
		return "", err
	}
	s, err := Simulate(m.Embedded, p, seed)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(opening)
	b.WriteString(m.Embedded.table())
	b.WriteString(onMongoDB)
	b.WriteString(m.MongoDB.commands())
	b.WriteString(whatIsStored)
	b.WriteString(stored)
	b.WriteString(p.text())
	b.WriteString(s.text(p))
	b.WriteString(closing)
	return b.String(), nil
}

const opening = `# Ten thousand organizations

What a deployment of 10,000 organizations needs, from what requests cost on one machine.
` + "`make bench-curve`" + ` measures (embedded engine, the server as a process of its own, one request at a time,
alternating among the sizes in rotating order, after a warm-up round; half an hour and 4 GB of disk) and writes this page, its charts and
the tables ([embedded](../benchmarks/curve.tsv), [MongoDB](../benchmarks/curve-mongodb.tsv), [bytes](../benchmarks/stored.tsv)) from which they are generated. The model is ` + "`tests/capacity`" + `; after changing its
workload, ` + "`go run ./tests/cmd/capacity`" + ` regenerates the page.

## Cost by size
![Processor time by size](../benchmarks/curve.svg)

Processor time is that of the server, including all parts and the engine, counted in ticks of 10 ms over some
two hundred requests; other load on the machine affects it little, and the medians much. The stored run had a machine with two processors to itself, in events of up to the largest size below; compare ratios. Up to 20,000 records
a result includes checks across records, whose cost grows with their number
([benchmarks](../benchmarks.md#large-events-and-many-decisions-over-http)); beyond that it does not. The time of an approval
until it is visible excludes the polling requests.

`

func (c Curve) table() string {
	var b strings.Builder
	b.WriteString("| | records | processor time | ratio to the smallest | median | ratio to the smallest |\n|---|--:|--:|--:|--:|--:|\n")
	for _, d := range drawn {
		points := c.Of(d.operation)
		for i, p := range points {
			name := d.operation
			if i > 0 {
				name = ""
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", name, thousands(p.Records), duration(p.Processor),
				figure(p.Processor/max(points[0].Processor, 1)), duration(p.Median()), figure(p.Median()/max(points[0].Median(), 1)))
		}
	}
	return b.String() + "\n"
}

const onMongoDB = `## Cost by size on MongoDB
![Processor time by size on MongoDB](../benchmarks/curve-mongodb.svg)

Processor time, by getrusage, of the services, which run in one process with the driver and without sockets. The
database is not included: it was a separate process with the test engine, which scans a whole collection for each command,
so neither its times nor wall-clock times say anything about a MongoDB server. The work of a server is counted instead: commands and documents,
each found by an index. The smallest event is stored completely; of the others only the sums, the first
segment of records and the pages that are read. Each time is the mean of twelve; the counts are those of
the request with the most commands. The stored run was made on a busy machine.

`

// commands returns the table of commands of an engine.
func (c Curve) commands() string {
	var b strings.Builder
	b.WriteString("| | records | processor time of the services | ratio to the smallest | commands | documents read |\n|---|--:|--:|--:|--:|--:|\n")
	for _, d := range drawn {
		points := c.Of(d.operation)
		for i, p := range points {
			name := d.operation
			if i > 0 {
				name = ""
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %d | %d |\n", name, thousands(p.Records), duration(p.Processor), figure(p.Processor/max(points[0].Processor, 1)), p.Commands, p.Documents)
		}
	}
	return b.String() + "\n"
}

func (p Plan) text() string {
	w, t := p.Workload, p.Targets
	n := float64(w.Organizations)
	var b strings.Builder
	fmt.Fprintf(&b, `## Workload
Assumed, not measured. Per organization and month: %s records created, submitted and approved, %s pages of lists
read, %s results, %s sign-ins; %.0f %% of that in the busiest hour of the month (22 days of 8 hours,
the busiest with twice the mean). Records are kept for %.0f months. Events have %s records. The activity of an
organization is log-normal with σ = %s: one in a hundred has %s times the activity of the median one.

## Calculation
| | formula | |
|---|---|--:|
`, figure(w.Created), figure(w.Lists), figure(w.Results), figure(w.SignIns), 100*w.BusiestHour, w.Kept, thousands(w.Records), figure(w.Spread), figure(hundredth(w.Spread)))
	row := func(what, how, value string) { fmt.Fprintf(&b, "| %s | %s | %s |\n", what, how, value) }
	row("processor time of an organization per month", "requests × their cost", figure(p.Seconds)+" s")
	row("approvals in the busiest hour", "organizations × approvals × share of the hour ÷ 3,600", figure(p.Approvals)+" a second")
	row("cores of all services", fmt.Sprintf("processor time of that hour ÷ 3,600 ÷ a utilization of %.0f %%", 100*t.Busy), figure(p.Cores))
	row("of which password hashing (auth)", "sign-ins × their cost, likewise", figure(p.SignIn))
	row("offered load of the workers", "approvals a second × processor time until visible", figure(p.Approvals*p.Service)+" cores")
	row("workers, one core each", fmt.Sprintf("the smallest number with which the 95th percentile of the waiting time fits into %s with the 95th percentile of the service time, %s, or is zero: Erlang C with the Allen–Cunneen correction for a coefficient of variation of %s", duration(t.Visible*1e6), duration(p.Tail*1e6), figure(p.Variation)), thousands(p.Workers))
	row("stored", "organizations × records × months × bytes of a record, as above: on MongoDB documents and "+figure(unfilled)+" × keys, all revisions kept", figure(p.Storage.Bytes/1e9)+" GB")
	row("largest shard ÷ mean shard", "1 + the largest organization, in 99 of 100 draws, × shards ÷ organizations + √((shards − 1) e^σ² ÷ organizations)", figure(p.Storage.Uneven))
	row("shards, replica sets of three", fmt.Sprintf("stored × that ÷ %.0f GB, which a member copies in an hour at 100 MB/s", t.ShardSize/1e9), thousands(p.Storage.Shards))
	row("commands on the largest shard", "counted commands of each request × requests of the hour", figure(p.Commands)+" a second")
	b.WriteString("\nStorage, by engine and retention:\n\n| | stored | shards | per organization, one copy | in a replica set of three |\n|---|--:|--:|--:|--:|\n")
	for _, s := range slices.Concat([]Storage{p.Storage}, p.Others) {
		shards := thousands(s.Shards)
		three := figure(members*s.Bytes/n/1e9) + " GB"
		if s.Engine == SQLite {
			shards, three = "–", "–" // a single file
		}
		fmt.Fprintf(&b, "| %s | %s GB | %s | %s GB | %s |\n", s.words(), figure(s.Bytes/1e9), shards, figure(s.Bytes/n/1e9), three)
	}
	fmt.Fprintf(&b, `
Cost of one organization per month:

| | |
|---|--:|
| processors, provisioned for the busiest hour | %s core-hours of services |
| the same at the mean load | %s core-hours |
| stored after %.0f months, one copy | %s GB |
| stored, in a replica set of three | %s GB |

`, figure(p.Cores/n*month/hour), figure(p.Seconds/t.Busy/hour), w.Kept, figure(p.Storage.Bytes/n/1e9), figure(members*p.Storage.Bytes/n/1e9))
	return b.String()
}

func (s Simulated) text(p Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, `## Simulation
A discrete-event simulation of the busiest hour: random arrivals, workers as above, and service times drawn from the
measured distribution, which has the shape of the observed latencies and the mean of the processor time.
Organizations are assigned to shards %d times.

| | calculation | simulation |
|---|--:|--:|
| tasks of the hour | %s | %s |
| utilization of the workers | %.0f %% | %.0f %% |
| waiting time for a worker, p95 | %s | %s |
| time until visible, p95 | %s (goal %s) | %s |
| largest shard ÷ mean shard, in 99 draws of 100 | %s | %s |

`, draws, figure(p.Approvals*hour), figure(float64(s.Tasks)), 100*p.Approvals*p.Service/float64(p.Workers), 100*s.Busy,
		duration(p.Wait*1e6), duration(s.Wait*1e6), duration((p.Wait+p.Tail)*1e6), duration(p.Targets.Visible*1e6), duration(s.Visible*1e6), figure(p.Storage.Uneven), figure(s.Uneven))
	return b.String()
}

const whatIsStored = `## What a record leaves in the store
` + "`TestStoredBytes`" + ` of ` + "`services/standalone`" + ` (` + "`make bench-stored`" + `) creates records of two types in one event, submits, approves and calculates each
separately, with the product's own workflow and worker, and adds up the storage: the pages of the embedded engine's file, by its own
statistics; the documents as sent to MongoDB, and the bytes of their index keys, computed as in
[the runbook](mongodb.md#sizing). It is assumed that pages of MongoDB's indexes are two thirds full, and that nothing is compressed: Snappy,
the default, reduces documents; without a server this was not measured. A revision contains a sum of each kind of line of the event (type, group and factor), so events of many kinds have revisions many times as large: see [the conference](mongodb.md#an-event-of-many-kinds-of-lines).

`

// table returns the storage of a record if each is calculated separately and everything
// is kept.
func (s Stored) table() (string, error) {
	var b strings.Builder
	b.WriteString("| bytes for each record | rows | embedded: rows | pages | MongoDB: documents | keys of indexes |\n|---|--:|--:|--:|--:|--:|\n")
	var file, database Filled
	for _, k := range []struct{ kind, name string }{
		{Records, "the record"}, {History, "its history: created, submitted"}, {Revisions, "revisions of the result"},
		{Changes, "changes of nodes"}, {Sums, "nodes and counts of the event"},
	} {
		f, err := s.of(SQLite, 1, k.kind)
		if err != nil {
			return "", err
		}
		d, err := s.of(MongoDB, 1, k.kind)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", k.name, figure(f.Rows), figure(f.Data+f.Indexes), figure(f.Pages), figure(d.Data), figure(d.Indexes))
		file.Data, file.Pages = file.Data+f.Data+f.Indexes, file.Pages+f.Pages
		database.Data, database.Indexes = database.Data+d.Data, database.Indexes+d.Indexes
	}
	fmt.Fprintf(&b, "| all | | %s | %s | %s | %s |\n\n", figure(file.Data), figure(file.Pages), figure(database.Data), figure(database.Indexes))
	return b.String(), nil
}

// words describes how records and their revisions are kept.
func (k Keeping) words() string {
	engine, counted, kept := "MongoDB", "each approval calculated separately", "all revisions kept, the default"
	if k.Engine == SQLite {
		engine = "the embedded engine"
	}
	if k.Burst > 1 {
		counted = fmt.Sprintf("%d approvals calculated together", k.Burst)
	}
	if k.Months > 0 {
		kept = fmt.Sprintf("revisions kept for %s months ([ADR 0050](../adr/0050-retention-of-result-revisions.md))", figure(k.Months))
		if k.Months == 1 {
			kept = strings.Replace(kept, "1 months", "a month", 1)
		}
	}
	return fmt.Sprintf("%s, %s, %s", engine, counted, kept)
}

const closing = `## Topology
- **Shard key**: the organization, first in every key ([ADR 0029](../adr/0029-mongodb-in-production.md)), so
  one organization's requests go to one shard, or to few if its events were split. Only the sweep for marks queries all
  shards, once a second, in an index of pending changes.
- **Replicas**: at least three of each service, to tolerate the loss of one; then by the cores above. Gateways, records,
  review and reading of results share nothing between requests but caches.
- **Redis of the cache**: sessions and rate limits, a key each, so a Redis Cluster distributes them.
- **Redis of the queue**: asynq uses the name of the queue as the hash tag of its keys (` + "`asynq:{interactive}:…`" + `), and its
  scripts access keys of one queue only. On a cluster a queue therefore resides on one node, and more nodes
  do not make it faster. The sets of queues, servers and workers (` + "`asynq:queues`, `asynq:servers`, `asynq:workers`" + `) have no
  hash tag, reside on any node, and are written by separate commands; cancellation messages reach every node. At most one
  task per event waits there, or one per second of waiting, and the marks of records contain the same information, so
  the queue may be lost. One primary with a replica is enough for the rate above; a second queue by a hash of
  the organization would be the next step.

## Limits of this estimate
The processors of MongoDB's members are not included: no server was available, and only commands, documents and their bytes were counted. Processor time was
measured with the embedded engine, whose share is in the cores of the services above, so those are too high and the
database's are missing. Storage excludes the oplog, space for index builds, files of evidence, signed revisions, and the audit log, which has an entry for each sign-in
and none for decisions about records. A single process needs no network between services; the gateway's share is included. Reports, exports, imports and
changes of the factor set are rare and have limits of their own; they are not in the workload.
`

// Inputs and outputs, relative to the repository root.
const (
	Table        = "docs/benchmarks/curve.tsv"
	TableMongoDB = "docs/benchmarks/curve-mongodb.tsv"
	TableStored  = "docs/benchmarks/stored.tsv"
	page         = "docs/runbooks/ten-thousand.md"
)

// ReadTables reads the measurements from a directory laid out like the repository root.
func ReadTables(root fs.FS) (m Tables, err error) {
	if m.Embedded, err = read(root, Table, Read); err != nil {
		return m, err
	}
	if m.MongoDB, err = read(root, TableMongoDB, ReadMongoDB); err != nil {
		return m, err
	}
	m.Stored, err = read(root, TableStored, ReadStored)
	return m, err
}

func read[T any](root fs.FS, name string, table func(io.Reader) (T, error)) (t T, err error) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return t, err
	}
	if t, err = table(bytes.NewReader(text)); err != nil {
		return t, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// Files returns the page and its plots by name.
func Files(m Tables) (map[string]string, error) {
	text, err := Page(m)
	if err != nil {
		return nil, err
	}
	return map[string]string{page: text, drawingOf(Table): Plot(m.Embedded), drawingOf(TableMongoDB): Plot(m.MongoDB)}, nil
}

// drawingOf returns the file name of a table's plot.
func drawingOf(table string) string { return strings.TrimSuffix(table, "tsv") + "svg" }
