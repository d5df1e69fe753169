// Package monitoring generates the Grafana dashboards of deploy/monitoring from one
// list of panels; its tests compare rules, dashboards and runbooks with the metrics of
// the running programs.
package monitoring

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Query is one series of a panel.
type Query struct{ Expr, Legend string }

// Panel is one graph. Unit is a unit of Grafana.
type Panel struct {
	Title, Description, Unit string
	Queries                  []Query
	// Quiet means that the panel shows faults or what few deployments have, so it is normally empty.
	Quiet bool
}

// Dashboard is one page of panels.
type Dashboard struct {
	Name, Title, Description string
	Panels                   []Panel
}

// File returns the file name of the dashboard.
func (d Dashboard) File() string { return d.Name + ".json" }

// JSON returns the dashboard as Grafana's provisioning reads it.
func (d Dashboard) JSON() ([]byte, error) {
	const width, height = 12, 8
	panels := make([]map[string]any, 0, len(d.Panels))
	for i, p := range d.Panels {
		targets := make([]map[string]any, 0, len(p.Queries))
		for k, q := range p.Queries {
			targets = append(targets, map[string]any{
				"datasource": source, "refId": string(rune('A' + k)), "expr": q.Expr, "legendFormat": q.Legend, "exemplar": true,
			})
		}
		panels = append(panels, map[string]any{
			"id": i + 1, "type": "timeseries", "title": p.Title, "description": p.Description, "datasource": source,
			"gridPos":     map[string]int{"h": height, "w": width, "x": i % 2 * width, "y": i / 2 * height},
			"fieldConfig": map[string]any{"defaults": map[string]any{"unit": p.Unit, "min": 0, "custom": map[string]any{"fillOpacity": 8, "showPoints": "never"}}, "overrides": []any{}},
			"options":     map[string]any{"legend": map[string]any{"displayMode": "table", "placement": "bottom", "calcs": []string{"lastNotNull", "max"}}, "tooltip": map[string]any{"mode": "multi", "sort": "desc"}},
			"targets":     targets,
		})
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(map[string]any{
		"uid": "ecf-" + d.Name, "title": d.Title, "description": d.Description, "tags": []string{"ecf"}, "editable": false,
		"schemaVersion": 41, "version": 1, "timezone": "utc", "refresh": "30s", "time": map[string]string{"from": "now-3h", "to": "now"},
		"templating": map[string]any{"list": []any{}}, "annotations": map[string]any{"list": []any{}},
		"links":  []any{map[string]any{"title": "All dashboards", "type": "dashboards", "tags": []string{"ecf"}, "asDropdown": true, "includeVars": true, "keepTime": true}},
		"panels": panels,
	})
	return text.Bytes(), err
}

var source = map[string]string{"type": "prometheus", "uid": "prometheus"}

// quantiles returns the queries for the median and the tail of a histogram.
func quantiles(metric, selector, by string) []Query {
	var out []Query
	group := "le"
	legend := ""
	if by != "" {
		group, legend = "le, "+by, " {{"+by+"}}"
	}
	for _, q := range []string{"0.50", "0.95", "0.99"} {
		out = append(out, Query{fmt.Sprintf(`histogram_quantile(%s, sum by (%s) (rate(%s_bucket{%s}[5m])))`, q, group, metric, selector), "p" + q[2:] + legend})
	}
	return out
}
