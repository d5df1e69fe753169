// Command generate generates what is served of the API's description from the
// OpenAPI document, which is written by hand: the document as JSON with an
// example of every request and response body, the pages of the reference and of related
// texts, as plain HTML without scripts, and the types of the Go client.
//
//	generate REPOSITORY
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	stdhtml "html"
	"html/template"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/spec/internal/models"
)

var (
	//go:embed page.tmpl
	pageTemplate string
	//go:embed chapters.tmpl
	chaptersTemplate string
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

func run(args []string, stderr io.Writer) int {
	if len(args) != 1 {
		fmt.Fprintln(stderr, "usage: generate REPOSITORY")
		return 2
	}
	files, err := generated(args[0])
	for name, content := range files {
		if err == nil {
			err = os.WriteFile(name, content, 0o644) //nolint:gosec // pages and a document that everybody may read
		}
	}
	if err != nil {
		fmt.Fprintln(stderr, "generate:", err)
		return 1
	}
	return 0
}

// generated returns the content of each generated file, by name.
func generated(repository string) (map[string][]byte, error) {
	source, err := os.ReadFile(filepath.Join(repository, "libs/spec/openapi.yaml")) //nolint:gosec // named by the developer
	if err != nil {
		return nil, err
	}
	document, reference, err := made(source)
	if err != nil {
		return nil, err
	}
	pages := filepath.Join(repository, "services/gateway/docs")
	files := map[string][]byte{
		filepath.Join(repository, "libs/spec/openapi.json"): document,
		filepath.Join(pages, "reference.html"):              reference,
	}
	types, err := models.Client(document)
	if err != nil {
		return nil, err
	}
	for name, source := range types {
		files[filepath.Join(repository, "libs/client", name)] = source
	}
	for _, t := range api.Texts() {
		source, err := os.ReadFile(filepath.Join(repository, t.Source)) //nolint:gosec // as above
		if err != nil {
			return nil, err
		}
		if files[filepath.Join(pages, t.Name+".html")], err = renderChapters(t.Title, source); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func renderChapters(title string, source []byte) ([]byte, error) {
	body, err := html(string(source))
	if err != nil {
		return nil, err
	}
	t, err := template.New("chapters").Parse(chaptersTemplate)
	if err != nil {
		return nil, err
	}
	body = linked(body)
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{"Title": title, "Body": body, "Chapters": chaptersOf(body), "Texts": api.Texts()})
	return b.Bytes(), err
}

var subheading = regexp.MustCompile(`<h([23]) id="([^"]+)">(.*?)</h[23]>`)

// chaptersOf returns the chapters of a text, with their sections.
func chaptersOf(body template.HTML) (chapters []chapter) {
	for _, m := range subheading.FindAllStringSubmatch(string(body), -1) {
		one, last := chapter{Anchor: m[2], Title: textOf(m[3])}, len(chapters)-1
		if m[1] == "3" && last >= 0 {
			chapters[last].Sections = append(chapters[last].Sections, one)
		} else {
			chapters = append(chapters, one)
		}
	}
	return chapters
}

var element = regexp.MustCompile(`<[^>]*>`)

// textOf returns the text of a heading, without the elements in it.
func textOf(heading string) string {
	return stdhtml.UnescapeString(element.ReplaceAllString(heading, ""))
}

var anchor = regexp.MustCompile(`(?s)<a href="([^"]*)">(.*?)</a>`)

// linked returns body with links that lead somewhere where it is served: to the
// page of a text that is served too, and as the file's name to any other file of
// the repository.
func linked(body template.HTML) template.HTML {
	return template.HTML(anchor.ReplaceAllStringFunc(string(body), func(link string) string { //nolint:gosec // as it was
		m := anchor.FindStringSubmatch(link)
		file, fragment, _ := strings.Cut(m[1], "#")
		if file == "" || strings.Contains(file, "://") || strings.HasPrefix(file, "/") {
			return link
		}
		for _, t := range api.Texts() {
			if path.Base(t.Source) != path.Base(file) {
				continue
			}
			if fragment != "" {
				fragment = "#" + fragment
			}
			return `<a href="` + t.Path() + fragment + `">` + m[2] + `</a>`
		}
		if m[2] == file {
			return "<code>" + file + "</code>"
		}
		return m[2] + " (<code>" + file + "</code>)"
	}))
}

// made returns the served document and the page of the documentation.
func made(source []byte) (served, reference []byte, err error) {
	text, err := yaml.YAMLToJSON(source)
	if err != nil {
		return nil, nil, err
	}
	if served, err = withExamples(text); err != nil {
		return nil, nil, err
	}
	reference, err = render(served)
	return served, reference, err
}

// withExamples returns the document with an example, from the schema, of each body and each successful response that
// has none. The order of members is preserved.
func withExamples(source []byte) ([]byte, error) {
	d, err := parse(source)
	if err != nil {
		return nil, err
	}
	paths := d.root["paths"].(map[string]any)
	for _, path := range d.Paths.names {
		for _, method := range methods() {
			o, ok := d.resolve(paths[path])[method].(map[string]any)
			if !ok {
				continue
			}
			d.exemplify(d.resolve(o["requestBody"]))
			c, _ := d.callOf(path, strings.ToUpper(method), d.resolve(paths[path]), o)
			withSamples(o, c)
			responses, _ := o["responses"].(map[string]any)
			for status, r := range responses {
				if status < "300" {
					d.exemplify(d.resolve(r))
				}
			}
		}
	}
	ordered, err := inOrder(source, d.root)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = json.Indent(&b, ordered, "", " ")
	b.WriteByte('\n')
	return b.Bytes(), err
}

func methods() []string { return []string{"get", "post", "put", "patch", "delete"} }

// exemplify adds examples to a body or a response in JSON. If it may be one of several named schemas, it adds one for
// each.
func (d *document) exemplify(body map[string]any) {
	content, _ := body["content"].(map[string]any)
	media, ok := content["application/json"].(map[string]any)
	if !ok || media["example"] != nil || media["examples"] != nil {
		return
	}
	schema := d.resolve(media["schema"])
	examples := map[string]any{}
	for _, part := range list(schema, "anyOf") {
		if name := refName(part); name != "" {
			if v, ok := d.example(part); ok {
				examples[name] = map[string]any{"value": v}
			}
		}
	}
	if len(examples) > 0 {
		media["examples"] = examples
	} else if v, ok := d.example(media["schema"]); ok {
		media["example"] = v
	}
}
