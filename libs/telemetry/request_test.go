package telemetry_test

import (
	"bytes"
	"context"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/eventcarbon/ecf/libs/telemetry"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// texts are values of a line, the last of which need escapes in JSON.
var texts = []string{"", "GET", "/api/v2/events/:eventId", "01h4k~ <&>'", `say "so"`, `back\slash`, "line\nend", "é", "\x7f", "\u2028", "bad \xff"}

// TestLineOfARequest verifies that the directly formatted line is byte for byte that of slog.
func TestLineOfARequest(t *testing.T) {
	t.Parallel()
	random := testkit.Rand(t)
	traced := trace.ContextWithSpanContext(t.Context(), trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}}))
	for range 2000 {
		r := randomRequest(random)
		ctx, level := t.Context(), slog.LevelInfo
		switch random.IntN(10) {
		case 0:
			ctx = traced
		case 1:
			level = slog.LevelWarn
		case 2:
			level = slog.LevelDebug // below the level of the log
		}
		service := []string{"gateway", `a "service"`}[random.IntN(2)]
		var got, want bytes.Buffer
		lines := telemetry.NewLines(&got)
		telemetry.LogRequest(ctx, telemetry.Logger(lines, service), level, r)
		lines.Flush()
		telemetry.LogRequest(ctx, telemetry.Logger(&want, service), level, r)
		if got.String() != want.String() {
			t.Fatalf("the line is\n%s\nwant\n%s", &got, &want)
		}
		if level >= slog.LevelInfo && strings.Count(want.String(), "\n") != 1 {
			t.Fatalf("no line: %q", &want)
		}
	}
}

func randomRequest(random *rand.Rand) telemetry.Request {
	text := func() string {
		if random.IntN(2) == 0 {
			return texts[random.IntN(4)]
		}
		return texts[random.IntN(len(texts))]
	}
	if random.IntN(2) == 0 {
		text = func() string { return texts[random.IntN(4)] } // one without escapes
	}
	r := telemetry.Request{At: time.Unix(random.Int64N(1<<33), random.Int64N(1e9)), Took: time.Duration(random.Int64N(1 << random.IntN(40))), Status: random.IntN(600),
		Method: text(), Route: text(), ID: text(), Org: text(), Actor: text(), Code: text()}
	if random.IntN(8) == 0 {
		r.Error, r.Stack = text(), text()
	}
	if random.IntN(2) == 0 {
		r.At = r.At.UTC()
	}
	return r
}

// TestLineOfARequestSaysWhatItsLoggerSays verifies that request lines have the additional
// attributes of their logger.
func TestLineOfARequestSaysWhatItsLoggerSays(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	lines := telemetry.NewLines(&out)
	telemetry.LogRequest(t.Context(), telemetry.Logger(lines, "test").With("shard", "s7"), slog.LevelInfo, telemetry.Request{Method: "GET"})
	lines.Flush()
	if !strings.Contains(out.String(), `"shard":"s7"`) {
		t.Errorf("%s", out.String())
	}
}

// lineAllocations is the maximum number of allocations of a request line: none.
const lineAllocations = 0

func TestAllocationsOfALine(t *testing.T) {
	testkit.WithoutRace(t)
	log, r := lineOf()
	if got := testing.AllocsPerRun(300, func() { telemetry.LogRequest(context.Background(), log, slog.LevelInfo, r) }); got > lineAllocations {
		t.Errorf("a line allocates %v times, want at most %d", got, lineAllocations)
	}
}

// BenchmarkLineOfARequest formats the line of a list request at the gateway.
func BenchmarkLineOfARequest(b *testing.B) {
	log, r := lineOf()
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		telemetry.LogRequest(ctx, log, slog.LevelInfo, r)
	}
}

type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

func lineOf() (*slog.Logger, telemetry.Request) {
	const id = "0123456789abcdefghjkmnpqrs"
	return telemetry.Logger(telemetry.NewLines(nowhere{}), "gateway"), telemetry.Request{At: time.Now(), Took: 432 * time.Microsecond,
		Method: "GET", Route: "/api/v2/events/:eventId/flights", Status: 200, ID: id, Org: id, Actor: id}
}

// TestLinesOfOneSecond compares lines with times of a few seconds, zones and fractions with
// those of slog.
func TestLinesOfOneSecond(t *testing.T) {
	t.Parallel()
	random := testkit.Rand(t)
	var got, want bytes.Buffer
	lines := telemetry.NewLines(&got)
	log, other := telemetry.Logger(lines, "test"), telemetry.Logger(&want, "test")
	zones := []*time.Location{time.UTC, time.FixedZone("A", 3600), time.FixedZone("B", -12600), time.Local}
	fractions := []int64{0, 1, 100, 120_000_000, 999_999_999, 50_000}
	for range 2000 {
		r := telemetry.Request{At: time.Unix(random.Int64N(4), fractions[random.IntN(len(fractions))]).In(zones[random.IntN(len(zones))]),
			Took: time.Duration(random.Int64N(2_000_000_000) * []int64{-1, 1, 1000, 1_000_000}[random.IntN(4)]), Method: "GET"}
		telemetry.LogRequest(t.Context(), log, slog.LevelInfo, r)
		telemetry.LogRequest(t.Context(), other, slog.LevelInfo, r)
	}
	lines.Flush()
	gotLines, wantLines := strings.Split(got.String(), "\n"), strings.Split(want.String(), "\n")
	for i, line := range wantLines {
		if i >= len(gotLines) || gotLines[i] != line {
			t.Fatalf("line %d is\n%s\nwant\n%s", i, gotLines[min(i, len(gotLines)-1)], line)
		}
	}
}
