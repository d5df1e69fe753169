package monitoring

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestDashboardsAreDrawn (make draw-dashboards) uses a running system for a while and
// draws every panel of every dashboard with the data of a Prometheus, as pages and
// images in the folder ECF_DRAW, for visual inspection. A panel that is unexpectedly
// empty, or whose series cannot be distinguished, is a fault.
func TestDashboardsAreDrawn(t *testing.T) {
	to := os.Getenv("ECF_DRAW")
	if to == "" {
		t.Skip("run by make draw-dashboards")
	}
	if err := os.MkdirAll(to, 0o755); err != nil { //nolint:gosec // everybody may look
		t.Fatal(err)
	}
	s := newStack(t)
	s.start()
	address := watch(t, s.debug, "1s")
	approve := use(t, s.base)
	began := time.Now()
	// Two minutes of work, including failures.
	for rounds := 0; time.Since(began) < 2*time.Minute; rounds++ {
		approve()
		if rounds%5 == 0 {
			_, _ = get(t, "http://"+s.base+"/api/v2/events")
			res, err := client.Post("http://"+s.base+"/api/v2/auth/login", "application/json", strings.NewReader(`{"email":"user@demo.test","password":"wrong"}`))
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
		}
	}
	for _, d := range Dashboards() {
		page := fmt.Sprintf("<!doctype html><meta charset=utf-8><title>%s</title><style>%s</style><h1>%s</h1><p>%s</p><main>", d.Title, style, d.Title, html.EscapeString(d.Description))
		for _, p := range d.Panels {
			lines := p.lines(t, address, began)
			if len(lines) == 0 && !p.Quiet {
				t.Errorf("%s, %s: nothing is drawn", d.Title, p.Title)
			}
			seen := map[string]bool{}
			for _, l := range lines {
				if seen[l.name] || strings.TrimSpace(l.name) == "" {
					t.Errorf("%s, %s: a line is called %q, like another or like nothing", d.Title, p.Title, l.name)
				}
				seen[l.name] = true
			}
			page += p.draw(lines, began)
		}
		file := filepath.Join(to, d.Name+".html")
		if err := os.WriteFile(file, []byte(page+"</main>"), 0o644); err != nil { //nolint:gosec // as above
			t.Fatal(err)
		}
		picture(t, file, 120+(len(d.Panels)+1)/2*330)
	}
}

// picture makes an image of a page with Chromium, if installed.
func picture(t *testing.T, file string, height int) {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Logf("no picture of %s: chromium is not installed", file)
		return
	}
	out, err := exec.CommandContext(t.Context(), chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--user-data-dir="+t.TempDir(),
		fmt.Sprintf("--window-size=1280,%d", height), "--screenshot="+strings.TrimSuffix(file, "html")+"png", "file://"+file).CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", file, err, out)
	}
}

type line struct {
	name   string
	points [][2]float64 // seconds since 1970, value
}

var labelInLegend = regexp.MustCompile(`\{\{(\w+)\}\}`)

// lines queries a Prometheus for the data of a panel since a time.
func (p Panel) lines(t *testing.T, address string, since time.Time) []line {
	t.Helper()
	var all []line
	for _, q := range p.Queries {
		values := url.Values{"query": {q.Expr}, "start": {fmt.Sprint(since.Unix())}, "end": {fmt.Sprint(time.Now().Unix())}, "step": {"2"}}
		var body string
		testkit.Eventually(t, time.Minute, func() error {
			var status int
			if status, body = get(t, "http://"+address+"/api/v1/query_range?"+values.Encode()); status != http.StatusOK {
				return fmt.Errorf("%s: %d %s", p.Title, status, body)
			}
			return nil
		})
		var answer struct {
			Data struct {
				Result []struct {
					Metric map[string]string
					Values [][2]any
				}
			}
		}
		if err := json.Unmarshal([]byte(body), &answer); err != nil {
			t.Fatal(err)
		}
		for _, r := range answer.Data.Result {
			l := line{name: labelInLegend.ReplaceAllStringFunc(q.Legend, func(m string) string { return r.Metric[m[2:len(m)-2]] })}
			for _, v := range r.Values {
				text, _ := v[1].(string)
				at, _ := v[0].(float64)
				if value, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(value) && !math.IsInf(value, 0) {
					l.points = append(l.points, [2]float64{at, value})
				}
			}
			if len(l.points) > 0 {
				all = append(all, l)
			}
		}
	}
	slices.SortFunc(all, func(a, b line) int { return -cmp.Compare(a.last(), b.last()) })
	return all
}

func (l line) last() float64 { return l.points[len(l.points)-1][1] }

const style = `body{font:13px sans-serif;margin:16px;background:#f4f5f5;color:#1f2933}h1{margin:0}main{display:grid;grid-template-columns:1fr 1fr;gap:12px}
section{background:#fff;border:1px solid #d8dde3;border-radius:4px;padding:8px;height:300px;overflow:hidden}h2{font-size:14px;margin:0}
small{color:#677}table{font-size:11px;border-spacing:8px 0}i{display:inline-block;width:10px;height:3px;margin-right:4px;vertical-align:middle}td+td{text-align:right}`

var colours = []string{"#3274d9", "#e0752d", "#56a64b", "#c4162a", "#8f3bb8", "#e0b400", "#1f9e9e", "#7a5230", "#f2495c", "#5a6570"}

// draw returns a panel as Grafana would draw it: series from zero, and a legend with
// the last value.
func (p Panel) draw(lines []line, since time.Time) string {
	const width, height, left = 590, 150, 60
	top, from, until := 0.0, float64(since.Unix()), float64(time.Now().Unix())
	for _, l := range lines {
		for _, at := range l.points {
			top = max(top, at[1])
		}
	}
	if top == 0 {
		top = 1
	}
	out := fmt.Sprintf(`<section><h2>%s</h2><small>%s</small><svg width=%d height=%d>`, html.EscapeString(p.Title), html.EscapeString(p.Description), width, height+10)
	for _, share := range []float64{0, 0.5, 1} {
		y := 5 + height*(1-share)
		out += fmt.Sprintf(`<line x1=%d x2=%d y1=%.0f y2=%[3]f stroke="#e4e7eb"/><text x=0 y=%.0f font-size=11 fill="#677">%s</text>`, left, width, y, y+4, inUnit(share*top, p.Unit))
	}
	legend := ""
	for i, l := range lines {
		colour := colours[i%len(colours)]
		var points []string
		for _, at := range l.points {
			points = append(points, fmt.Sprintf("%.1f,%.1f", left+(at[0]-from)/(until-from)*(width-left), 5+height*(1-at[1]/top)))
		}
		out += fmt.Sprintf(`<polyline points="%s" fill=none stroke="%s" stroke-width=1.5 />`, strings.Join(points, " "), colour)
		legend += fmt.Sprintf(`<tr><td><i style="background:%s"></i>%s<td>%s`, colour, html.EscapeString(l.name), inUnit(l.last(), p.Unit))
	}
	if len(lines) == 0 {
		out += fmt.Sprintf(`<text x=%d y=%d fill="#677">no data: the good case</text>`, width/2-60, height/2)
	}
	return out + "</svg><table>" + legend + "</table></section>"
}

// inUnit formats a value in a unit of Grafana.
func inUnit(v float64, unit string) string {
	switch {
	case unit == "percentunit":
		return fmt.Sprintf("%.3g %%", v*100)
	case unit == "s" && v < 1 && v > 0:
		return fmt.Sprintf("%.3g ms", v*1000)
	case unit == "bytes" || unit == "Bps":
		return fmt.Sprintf("%.3g MiB%s", v/(1<<20), map[string]string{"Bps": "/s"}[unit])
	}
	return fmt.Sprintf("%.3g %s", v, map[string]string{"s": "s", "reqps": "req/s", "ops": "ops/s"}[unit])
}
