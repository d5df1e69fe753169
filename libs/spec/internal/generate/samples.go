package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// sample is a call of an operation in one language.
type sample struct{ Language, Code string }

// call is the request of a sample.
type call struct {
	id, method, path string
	open             bool // no token is needed
	root             bool // the path is at the root of the host
	mediaType        string
	body             any
	hasBody          bool
	file             bool // the body is a file, not JSON
	text             bool // the answer is a text, not JSON
}

// fileName returns the name of a file in samples of the call.
func (c call) fileName() string {
	if c.id == "importMixed" {
		return "event.csv"
	}
	return "records.csv"
}

var parameter = regexp.MustCompile(`\{(\w+)\}`)

// samples returns a call in each language. Ids are in variables: $EVENT_ID in a shell, event_id in Python, eventId in
// TypeScript and Go. The Go sample uses the standard library only: the documentation of the client has its own.
func samples(c call) []sample {
	c.body = withVariables(c.id, c.body)
	return []sample{{"curl", curl(c)}, {"Python", python(c)}, {"TypeScript", typescript(c)}, {"Go", golang(c)}}
}

// withSamples adds the samples to an operation in the form known to documentation tools.
func withSamples(o map[string]any, c call) {
	var list []any
	for _, s := range samples(c) {
		lang := map[string]string{"curl": "Shell"}[s.Language]
		if lang == "" {
			lang = s.Language
		}
		list = append(list, map[string]any{"lang": lang, "label": s.Language, "source": s.Code})
	}
	o["x-codeSamples"] = list
}

func golang(c call) string {
	base := "base"
	if c.root {
		base = "host"
	}
	path, last := "", 0
	for _, m := range parameter.FindAllStringSubmatchIndex(c.path, -1) {
		name := c.path[m[2]:m[3]]
		if token.IsKeyword(name) {
			name = "record" + strings.ToUpper(name[:1]) + name[1:]
		}
		path += fmt.Sprintf(" + %q + url.PathEscape(%s)", c.path[last:m[0]], name)
		last = m[1]
	}
	if last < len(c.path) {
		path += fmt.Sprintf(" + %q", c.path[last:])
	}
	var b strings.Builder
	body := "nil"
	switch {
	case c.file:
		fmt.Fprintf(&b, "file, err := os.Open(%q)\nif err != nil {\n\treturn err\n}\ndefer file.Close()\n", c.fileName())
		body = "file"
	case c.hasBody:
		fmt.Fprintf(&b, "body := strings.NewReader(%s)\n", goText(indented(c.body, "")))
		body = "body"
	}
	fmt.Fprintf(&b, "request, err := http.NewRequestWithContext(ctx, %q, %s%s, %s)\nif err != nil {\n\treturn err\n}\n", c.method, base, path, body)
	if !c.open {
		b.WriteString("request.Header.Set(\"Authorization\", \"Bearer \"+token)\n")
	}
	if c.hasBody {
		fmt.Fprintf(&b, "request.Header.Set(\"Content-Type\", %q)\n", c.mediaType)
	}
	b.WriteString("response, err := http.DefaultClient.Do(request)\nif err != nil {\n\treturn err\n}\ndefer response.Body.Close()")
	return b.String()
}

// goText returns a text as a Go literal, over several lines if possible.
func goText(text string) string {
	if strings.Contains(text, "`") {
		return fmt.Sprintf("%q", text)
	}
	return "`" + variable.ReplaceAllStringFunc(text, func(v string) string {
		name, quote := variableOf(v)
		return quote + "` + " + name + " + `" + quote
	}) + "`"
}

func curl(c call) string {
	base := "$BASE"
	if c.root {
		base = "$HOST"
	}
	path := parameter.ReplaceAllStringFunc(c.path, func(p string) string { return "$" + strings.ToUpper(snake(p[1:len(p)-1])) })
	var b strings.Builder
	b.WriteString("curl -sS")
	if c.method != "GET" {
		b.WriteString(" -X " + c.method)
	}
	fmt.Fprintf(&b, ` "%s%s"`, base, path)
	if !c.open {
		b.WriteString(" \\\n  -H \"Authorization: Bearer $TOKEN\"")
	}
	if c.hasBody {
		fmt.Fprintf(&b, " \\\n  -H 'Content-Type: %s'", c.mediaType)
		if c.file {
			b.WriteString(" \\\n  --data-binary @" + c.fileName())
		} else {
			fmt.Fprintf(&b, " \\\n  -d '%s'", curlText(indented(c.body, "  ")))
		}
	}
	return b.String()
}

func python(c call) string {
	args := []string{}
	for _, m := range parameter.FindAllStringSubmatch(c.path, -1) {
		args = append(args, snake(m[1]))
	}
	switch {
	case c.file:
		args = append(args, fmt.Sprintf(`open(%q, "rb").read()`, c.fileName()))
	case c.hasBody:
		args = append(args, pythonLiteral(c.body, ""))
	}
	switch c.id {
	case "login":
		return `client.login(email, password)`
	case "refresh":
		return "# The client renews its access token by itself.\nclient.me()"
	case "docs":
		return "# The page you are reading."
	}
	return fmt.Sprintf("client.%s(%s)", snake(c.id), strings.Join(args, ", "))
}

func typescript(c call) string {
	var init []string
	var path []string
	for _, m := range parameter.FindAllStringSubmatch(c.path, -1) {
		path = append(path, m[1])
	}
	if len(path) > 0 {
		init = append(init, "params: { path: { "+strings.Join(path, ", ")+" } }")
	}
	switch {
	case c.file:
		init = append(init, "body: csv", "bodySerializer: (text: string) => text", `headers: { "Content-Type": "text/csv" }`)
	case c.hasBody:
		init = append(init, "body: "+variable.ReplaceAllStringFunc(indented(c.body, "  "), func(v string) string {
			name, _ := variableOf(v)
			return name
		}))
	}
	if c.text {
		init = append(init, `parseAs: "text"`)
	}
	arguments := fmt.Sprintf("%q", c.path)
	if len(init) > 0 {
		arguments += ", {\n  " + strings.Join(init, ",\n  ") + ",\n}"
	}
	if c.root {
		return fmt.Sprintf("await (await fetch(host + %q)).json();", c.path)
	}
	return fmt.Sprintf("await api.%s(%s);", c.method, arguments)
}

// indented returns JSON with two blanks for each level and the names in order.
func indented(value any, prefix string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent(prefix, "  ")
	if e.Encode(value) != nil {
		return "null"
	}
	return strings.TrimSpace(b.String())
}

func pythonLiteral(value any, prefix string) string {
	switch v := value.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		var b strings.Builder
		b.WriteString("{\n")
		for _, name := range names {
			fmt.Fprintf(&b, "%s    %q: %s,\n", prefix, name, pythonLiteral(v[name], prefix+"    "))
		}
		return b.String() + prefix + "}"
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = pythonLiteral(v[i], prefix)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return variable.ReplaceAllStringFunc(indented(value, ""), func(v string) string {
		name, _ := variableOf(v)
		return snake(name)
	})
}

// curlText returns a body within single quotes of a shell, with variables outside of them.
func curlText(body string) string {
	return variable.ReplaceAllStringFunc(strings.ReplaceAll(body, "'", `'\''`), func(v string) string {
		name, quote := variableOf(v)
		return quote + `'"$` + strings.ToUpper(snake(name)) + `"'` + quote
	})
}

var (
	wordStart = regexp.MustCompile(`(.)([A-Z][a-z]+)`)
	lowerEnd  = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

func snake(name string) string {
	name = wordStart.ReplaceAllString(name, "${1}_$2")
	return strings.ToLower(lowerEnd.ReplaceAllString(name, "${1}_$2"))
}
