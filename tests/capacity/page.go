package capacity

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// seed is that of the simulation of the page.
const seed = 19

// Page writes docs/runbooks/ten-thousand.md.
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
` + "`make bench-curve`" + ` measures (embedded engine, the server as a process of its own, one request after the
other, in turns over the sizes, each of which comes first in its turn, after a round that is not measured; half an hour and 4 GB of disk) and writes this page, its drawings and
the tables ([embedded](../benchmarks/curve.tsv), [MongoDB](../benchmarks/curve-mongodb.tsv), [bytes](../benchmarks/stored.tsv)) that all are made from. The model is ` + "`tests/capacity`" + `; with another
workload in it, ` + "`go run ./tests/cmd/capacity`" + ` works the page out again.

## Cost by size
![Processor time by size](../benchmarks/curve.svg)

Processor time is the server's, all parts and the engine included, counted in ticks of 10 ms over some
two hundred requests; what else the machine did moves it little, and the medians much. The kept run had a machine of two processors to itself, in events of up to the largest size below; read ratios. Up to 20,000 records
a result also says what they come to together, which grows with them
([benchmarks](../benchmarks.md#large-events-and-many-decisions-over-http)); beyond that it does not. The time of an approval
until it is visible is without the readings of who waited for it.

`

func (c Curve) table() string {
	var b strings.Builder
	b.WriteString("| | records | processor time | by that of the smallest | median | by that of the smallest |\n|---|--:|--:|--:|--:|--:|\n")
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

Processor time of the services, which work in one process with the driver and without sockets, by getrusage; not that of the
database, which was a process of its own and is the engine of the tests: that one reads a whole collection for each command,
so neither its times nor anybody's by the clock say anything about a server. What a server has to do is counted instead: commands and documents,
each of them found by an index. The smallest event is stored whole; of the others the sums are stored, and of their records the first
segment and the pages that are read: nothing here asks for others. Each time is the mean of twelve; the counts are of
the one that sent the most commands. The kept run was made beside much other work.

`

// commands returns the table of an engine that is asked by commands.
func (c Curve) commands() string {
	var b strings.Builder
	b.WriteString("| | records | processor time of the services | by that of the smallest | commands | documents read |\n|---|--:|--:|--:|--:|--:|\n")
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
	fmt.Fprintf(&b, `## What organizations do
Assumed, not measured. Each in a month: %s records created, submitted and approved, %s pages of lists
read, %s results, %s sign-ins; %.0f %% of that in the busiest hour of the month (22 days of 8 hours,
the busiest twice their mean). Records are kept for %.0f months. Events are of %s records. What one
organization does is log-normal with σ = %s: one in a hundred does %s times what the median one does.

## The arithmetic
| | how | |
|---|---|--:|
`, figure(w.Created), figure(w.Lists), figure(w.Results), figure(w.SignIns), 100*w.BusiestHour, w.Kept, thousands(w.Records), figure(w.Spread), figure(hundredth(w.Spread)))
	row := func(what, how, value string) { fmt.Fprintf(&b, "| %s | %s | %s |\n", what, how, value) }
	row("processor time of an organization in a month", "requests × their cost", figure(p.Seconds)+" s")
	row("approvals in the busiest hour", "organizations × approvals × part of the hour ÷ 3,600", figure(p.Approvals)+" a second")
	row("cores of all services", fmt.Sprintf("processor time of that hour ÷ 3,600 ÷ %.0f %% busy", 100*t.Busy), figure(p.Cores))
	row("of them hashing passwords (auth)", "sign-ins × their cost, likewise", figure(p.SignIn))
	row("offered to the workers", "approvals a second × processor time until visible", figure(p.Approvals*p.Service)+" cores")
	row("workers, one core each", fmt.Sprintf("fewest with which 95 of 100 wait no longer than is left of %s beside the %s that 95 of 100 take by themselves, or else do not wait: Erlang C, corrected by Allen and Cunneen for a variation of %s", duration(t.Visible*1e6), duration(p.Tail*1e6), figure(p.Variation)), thousands(p.Workers))
	row("stored", "organizations × records × months × bytes of a record, as above: on MongoDB documents and "+figure(unfilled)+" × keys, all revisions kept", figure(p.Storage.Bytes/1e9)+" GB")
	row("the largest shard by the mean one", "1 + the largest organization of all, in 99 of 100 draws, × shards ÷ organizations + √((shards − 1) e^σ² ÷ organizations)", figure(p.Storage.Uneven))
	row("shards, replica sets of three", fmt.Sprintf("stored × that ÷ %.0f GB, which a member copies in an hour at 100 MB/s", t.ShardSize/1e9), thousands(p.Storage.Shards))
	row("commands for the largest shard", "commands of each request, counted, × requests of the hour", figure(p.Commands)+" a second")
	b.WriteString("\nWhat is stored, by how it is kept:\n\n| | stored | shards | an organization, once | in a replica set of three |\n|---|--:|--:|--:|--:|\n")
	for _, s := range slices.Concat([]Storage{p.Storage}, p.Others) {
		shards := thousands(s.Shards)
		three := figure(members*s.Bytes/n/1e9) + " GB"
		if s.Engine == SQLite {
			shards, three = "–", "–" // a file
		}
		fmt.Fprintf(&b, "| %s | %s GB | %s | %s GB | %s |\n", s.words(), figure(s.Bytes/1e9), shards, figure(s.Bytes/n/1e9), three)
	}
	fmt.Fprintf(&b, `
So one organization costs, in a month:

| | |
|---|--:|
| processors, provided for the busiest hour | %s core-hours of services |
| the same without that hour's factor | %s core-hours |
| stored once %.0f months are there, once | %s GB |
| stored, in a replica set of three | %s GB |

`, figure(p.Cores/n*month/hour), figure(p.Seconds/t.Busy/hour), w.Kept, figure(p.Storage.Bytes/n/1e9), figure(members*p.Storage.Bytes/n/1e9))
	return b.String()
}

func (s Simulated) text(p Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, `## The arithmetic, simulated
The busiest hour played task by task: arrivals by chance, workers as above, and times drawn from the
measured distribution, whose shape is that seen from outside and whose mean is the processor time.
Organizations are dealt to shards %d times.

| | arithmetic | simulation |
|---|--:|--:|
| tasks of the hour | %s | %s |
| workers busy | %.0f %% | %.0f %% |
| 95 of 100 wait for a worker, at most | %s | %s |
| 95 of 100 are visible within | %s (goal %s) | %s |
| the largest shard by the mean one, 99 draws of 100 | %s | %s |

`, draws, figure(p.Approvals*hour), figure(float64(s.Tasks)), 100*p.Approvals*p.Service/float64(p.Workers), 100*s.Busy,
		duration(p.Wait*1e6), duration(s.Wait*1e6), duration((p.Wait+p.Tail)*1e6), duration(p.Targets.Visible*1e6), duration(s.Visible*1e6), figure(p.Storage.Uneven), figure(s.Uneven))
	return b.String()
}

const whatIsStored = `## What a record leaves in the store
` + "`TestStoredBytes`" + ` of ` + "`services/standalone`" + ` (` + "`make bench-stored`" + `) makes records of two types in one event, submits, approves and counts each by
itself, through the product's own workflow and worker, and adds up what each has added: the pages of the embedded engine's file, by its own
statistics; the documents of MongoDB as they are sent, and the bytes of their keys in indexes, worked out as in
[the runbook](mongodb.md#sizing). Estimated are that pages of MongoDB's indexes are two thirds full, and that nothing is compressed: Snappy,
its default, makes less of documents; without a server that was not measured. A revision has what each type of the event comes to, so of more types it is larger.

`

// table returns what a record takes, where each is counted by itself and all is kept.
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

// words say how records and what they leave are kept.
func (k Keeping) words() string {
	engine, counted, kept := "MongoDB", "each approval counted by itself", "all revisions kept, the default"
	if k.Engine == SQLite {
		engine = "the embedded engine"
	}
	if k.Burst > 1 {
		counted = fmt.Sprintf("%d approvals counted together", k.Burst)
	}
	if k.Months > 0 {
		kept = fmt.Sprintf("revisions kept for %s months ([ADR 0050](../adr/0050-retention-of-revisions.md))", figure(k.Months))
		if k.Months == 1 {
			kept = strings.Replace(kept, "1 months", "a month", 1)
		}
	}
	return fmt.Sprintf("%s, %s, %s", engine, counted, kept)
}

const closing = `## How it is laid out
- **Shard key**: the organization, first in every key ([ADR 0029](../adr/0029-mongodb-in-production.md)), so
  that one organization's requests go to one shard, or to few where its events were split. What has to ask all
  shards is the sweep for marks, once a second, in an index of what is due.
- **Replicas**: three of each service at least, for the loss of one; then by the cores above. Gateways, records,
  review and reading of results share nothing between requests but caches.
- **Redis of the cache**: sessions and rate limits, a key each, so a Redis Cluster spreads them.
- **Redis of the queue**: asynq puts the name of the queue in braces into every key of it (` + "`asynq:{interactive}:…`" + `), and its
  scripts touch keys of one queue only. On a cluster a queue therefore works and lies on one node whole: more nodes
  do not make it faster. The sets of queues, servers and workers (` + "`asynq:queues`, `asynq:servers`, `asynq:workers`" + `) have no
  braces, lie where they fall, and are written by commands of their own; cancelling by a channel reaches every node. One
  task for an event is all that waits there, or one a second of waiting, and what it says is written in the marks of records too, so
  that the queue may be lost. One primary with a replica is enough for the rate above; a second queue by a hash of
  the organization would be the next step.

## What this does not say
The processors of MongoDB's members: no server was at hand, only commands, documents and their bytes were counted. The time is
that of the embedded engine, whose own is in the cores of the services above, so those are too many and the
database's are missing. The oplog, room for an index that is built anew, files of evidence, signed revisions, and the audit log, which has an entry for each sign-in
and none for decisions about records, are not in what is stored. One process for everything saves the network between services; the gateway's hop is in it. Reports, exports, imports and
changes of the factor set are rare and bound by their own limits; they are not in the workload.
`

// What is read and written, from the repository's root.
const (
	Table        = "docs/benchmarks/curve.tsv"
	TableMongoDB = "docs/benchmarks/curve-mongodb.tsv"
	TableStored  = "docs/benchmarks/stored.tsv"
	page         = "docs/runbooks/ten-thousand.md"
)

// ReadTables reads what was measured from a folder that has what the repository's root has.
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

// Files returns the page and its drawings by their names.
func Files(m Tables) (map[string]string, error) {
	text, err := Page(m)
	if err != nil {
		return nil, err
	}
	return map[string]string{page: text, drawingOf(Table): Plot(m.Embedded), drawingOf(TableMongoDB): Plot(m.MongoDB)}, nil
}

// drawingOf names the drawing of a table.
func drawingOf(table string) string { return strings.TrimSuffix(table, "tsv") + "svg" }
