package main

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"

	"github.com/eventcarbon/ecf/libs/api"
)

// page is the data of the template.
type page struct {
	Title, Version string
	Guide          template.HTML
	Chapters       []chapter // of the guide
	Groups         []group
	Schemas        []schema
	Errors         []problem
	Codes          []codeGroup
	Texts          []api.Text // pages served with the reference
}

// codeGroup is the codes of one kind.
type codeGroup struct {
	Title   string
	Entries []codeEntry
}

type codeEntry struct {
	Code, Anchor string
	Meaning      template.HTML
}

// codeGroups returns the codes, grouped by the objects that have them.
func (d *document) codeGroups() []codeGroup {
	var groups []codeGroup
	for _, kind := range []struct{ of, title string }{
		{"detail", "Codes of error.details"}, {"notice", "Codes of notices"}, {"finding", "Codes of findings"},
	} {
		g := codeGroup{Title: kind.title}
		for _, c := range d.Codes {
			if c.Of == kind.of {
				g.Entries = append(g.Entries, codeEntry{c.Code, "code-" + anchorOf(c.Code), inline(c.Meaning)})
			}
		}
		groups = append(groups, g)
	}
	return groups
}

func anchorOf(code string) string { return strings.ToLower(strings.ReplaceAll(code, "_", "-")) }

// chapter is an entry of a table of contents, with those below it.
type chapter struct {
	Anchor, Title string
	Sections      []chapter
}

type group struct {
	Anchor, Name string
	Description  template.HTML
	Operations   []operation
}

type operation struct {
	ID, Method, Path, Summary, Role string
	Description                     template.HTML
	Parameters                      []parameterRow
	BodyTypes                       []string // media types
	BodySchema                      string
	Body                            []field
	Alternatives                    []string
	Examples                        []example
	Samples                         []sample
	Answers                         []answer
}

type parameterRow struct {
	Name, In, Kind, Description, Limits string
	Required                            bool
}

type example struct{ Name, JSON string }

type answer struct {
	Status, Schema, JSON string
	Description          template.HTML
	MediaTypes           []string
}

type schema struct {
	Name, Kind   string
	Description  template.HTML
	Fields       []field
	Alternatives []string
	JSON         string
}

type problem struct {
	Code, Status, Anchor string
	Cause, Remedy        template.HTML
}

// Tables align by attribute: the pages' policy allows no inline style.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Linkify,
	extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

func html(source string) (template.HTML, error) {
	var b bytes.Buffer
	if err := markdown.Convert([]byte(source), &b); err != nil {
		return "", err
	}
	return template.HTML(b.String()), nil //nolint:gosec // made from our own document; goldmark drops raw HTML
}

// inline is html without the paragraph around a single one.
func inline(source string) template.HTML {
	text, err := html(source)
	if err != nil {
		return template.HTML(template.HTMLEscapeString(source)) //nolint:gosec // escaped
	}
	s := strings.TrimSpace(string(text))
	if strings.Count(s, "<p>") == 1 && strings.HasPrefix(s, "<p>") && strings.HasSuffix(s, "</p>") {
		s = strings.TrimSuffix(strings.TrimPrefix(s, "<p>"), "</p>")
	}
	return template.HTML(s) //nolint:gosec // as html
}

var heading = regexp.MustCompile(`<h1 id="([^"]+)">(.*?)</h1>`)

func render(source []byte) ([]byte, error) {
	d, err := parse(source)
	if err != nil {
		return nil, err
	}
	p := page{Title: d.Info.Title, Version: d.Info.Version, Texts: api.Texts()}
	if p.Guide, err = html(d.Info.Description); err != nil {
		return nil, err
	}
	for _, m := range heading.FindAllStringSubmatch(string(p.Guide), -1) {
		p.Chapters = append(p.Chapters, chapter{Anchor: m[1], Title: textOf(m[2])})
	}
	for _, tag := range d.Tags {
		p.Groups = append(p.Groups, group{Anchor: "tag-" + strings.ToLower(strings.ReplaceAll(tag.Name, " ", "-")), Name: tag.Name, Description: inline(tag.Description)})
	}
	for _, path := range d.Paths.names {
		item := d.resolve(d.root["paths"].(map[string]any)[path])
		for _, method := range methods() {
			o, ok := item[method].(map[string]any)
			if !ok {
				continue
			}
			tags := list(o, "tags")
			i := slices.IndexFunc(p.Groups, func(g group) bool { return len(tags) > 0 && g.Name == tags[0] })
			if i < 0 {
				return nil, fmt.Errorf("%s %s has no tag of the document", method, path)
			}
			p.Groups[i].Operations = append(p.Groups[i].Operations, d.operation(path, strings.ToUpper(method), item, o))
		}
	}
	for _, name := range d.Components.Schemas.names {
		s := d.root["components"].(map[string]any)["schemas"].(map[string]any)[name]
		m := d.resolve(s)
		kind, _ := d.kind(m)
		one := schema{Name: name, Kind: kind, Description: inline(text(m, "description"))}
		one.Fields, one.Alternatives = d.fields(s)
		if v, ok := d.example(s); ok {
			one.JSON = indented(v, "")
		}
		p.Schemas = append(p.Schemas, one)
	}
	for _, e := range d.Errors {
		p.Errors = append(p.Errors, problem{
			Code: e.Code, Status: fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status)),
			Anchor: "error-" + anchorOf(e.Code), Cause: inline(e.Cause), Remedy: inline(e.Remedy),
		})
	}
	p.Codes = d.codeGroups()
	t, err := template.New("page").Funcs(template.FuncMap{"inline": inline, "lower": strings.ToLower}).Parse(pageTemplate)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, p)
	return b.Bytes(), err
}

func (d *document) operation(path, method string, item, o map[string]any) operation {
	out := operation{
		ID: text(o, "operationId"), Method: method, Path: path, Summary: text(o, "summary"), Role: text(o, "x-required-role"),
		Description: inline(text(o, "description")),
	}
	for _, raw := range append(slices.Clone(list(item, "parameters")), list(o, "parameters")...) {
		p := d.resolve(raw)
		f := d.field(text(p, "name"), p["schema"], p["required"] == true)
		out.Parameters = append(out.Parameters, parameterRow{
			Name: f.Name, In: text(p, "in"), Kind: f.Kind, Description: text(p, "description"), Limits: f.Limits, Required: f.Required,
		})
	}
	content, _ := d.resolve(o["requestBody"])["content"].(map[string]any)
	out.BodyTypes = sortedKeys(content)
	for _, media := range out.BodyTypes {
		m := d.resolve(content[media])
		out.BodySchema = refName(m["schema"])
		out.Body, out.Alternatives = d.fields(m["schema"])
	}
	c, examples := d.callOf(path, method, item, o)
	out.Examples = examples
	if len(out.Examples) == 0 && c.body != nil {
		out.Examples = []example{{"", indented(c.body, "")}}
	}
	out.Samples = samples(c)
	responses, _ := o["responses"].(map[string]any)
	for _, status := range sortedKeys(responses) {
		r := d.resolve(responses[status])
		a := answer{Status: status, Description: inline(text(r, "description"))}
		content, _ := r["content"].(map[string]any)
		a.MediaTypes = sortedKeys(content)
		for _, media := range a.MediaTypes {
			m := d.resolve(content[media])
			if name := refName(m["schema"]); name != "" {
				a.Schema = name
			}
			if status < "300" && media == "application/json" {
				a.JSON = exampleOf(m)
			}
		}
		out.Answers = append(out.Answers, a)
	}
	return out
}

// callOf returns the call of an operation that samples show, and all examples of
// its body.
func (d *document) callOf(path, method string, item, o map[string]any) (c call, examples []example) {
	c = call{id: text(o, "operationId"), method: method, path: path, root: item["servers"] != nil}
	if security, ok := o["security"].([]any); ok && len(security) == 0 {
		c.open = true
	}
	content, _ := d.resolve(o["requestBody"])["content"].(map[string]any)
	for _, media := range sortedKeys(content) {
		m := d.resolve(content[media])
		c.hasBody, c.mediaType, c.file = true, media, media != "application/json"
		named, _ := m["examples"].(map[string]any)
		for _, name := range sortedKeys(named) {
			if v, ok := d.resolve(named[name])["value"]; ok {
				examples = append(examples, example{name, indented(v, "")})
				if c.body == nil {
					c.body = v
				}
			}
		}
		if c.body == nil {
			c.body = m["example"]
		}
	}
	if c.file {
		c.body = nil
	}
	answers, _ := o["responses"].(map[string]any)
	if content, ok := d.resolve(answers["200"])["content"].(map[string]any); ok {
		// An export is a table by default.
		c.text = content["application/json"] == nil || c.id == "exportRecords"
	}
	return c, examples
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// exampleOf returns the example of a response, the first one of several.
func exampleOf(media map[string]any) string {
	if v, ok := media["example"]; ok {
		return indented(v, "")
	}
	named, _ := media["examples"].(map[string]any)
	for _, name := range sortedKeys(named) {
		if m, ok := named[name].(map[string]any); ok {
			return indented(m["value"], "")
		}
	}
	return ""
}
