package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// sampled is the outcome of a sample in a language: the status of its last response,
// and its failure.
type sampled struct {
	ID     string
	Status int
	Error  string
}

// checkSampled runs a program that runs the samples and prints a line for each.
func checkSampled(t *testing.T, calls []sampleCall, out []byte, err error) {
	t.Helper()
	said := map[string]sampled{}
	for line := range strings.Lines(string(out)) {
		var one sampled
		if json.Unmarshal([]byte(line), &one) == nil {
			said[one.ID] = one
		}
	}
	if err != nil || len(said) != len(calls) {
		t.Errorf("%v, %d samples of %d ran:\n%.3000s", err, len(said), len(calls), out)
	}
	for _, call := range calls {
		if one := said[call.ID]; one.Error != "" || one.Status/100 != 2 {
			t.Errorf("%s:\n%s\n%d %s", call.ID, call.Source, one.Status, one.Error)
		}
	}
}

// pythonRunner runs the samples in samples.json, each with a client that has its token.
const pythonRunner = `import json, sys
sys.path.insert(0, sys.argv[1])
from ecf_client import Client, Meta
from ecf_client.transport import Client as Transport
statuses = []
once = Transport._once
def noted(self, *args):
    answer = once(self, *args)
    statuses.append(answer.status)
    return answer
Transport._once = noted
for call in json.load(open("samples.json")):
    names = {name.lower(): int(value) if value.isdigit() else value for name, value in call["Variables"].items()}
    names["client"] = Client(names["host"], tokens={"accessToken": names["token"], "refreshToken": names.get("refresh_token")})
    error = ""
    try:
        exec(call["Source"], names)
    except Exception as e:
        error = repr(e)
    # A sample that is a comment alone asks for nothing.
    comment = all(line.startswith("#") for line in call["Source"].splitlines())
    print(json.dumps({"ID": call["ID"], "Status": 200 if comment else statuses[-1] if statuses else 0, "Error": error}), flush=True)
`

func TestSamplesInPython(t *testing.T) {
	t.Parallel()
	client, err := filepath.Abs("../../libs/client/python")
	if err != nil {
		t.Fatal(err)
	}
	stage, calls := staged(t, "Python")
	dir := stage.dir()
	text, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "samples.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := program(t, "python3", dir, "-c", pythonRunner, client).CombinedOutput()
	checkSampled(t, calls, out, err)
}

// goRunner is the frame of the Go samples: a function for each.
const goRunner = `package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
)

var _, _, _, _ = url.PathEscape, os.Open, strings.NewReader, errors.New

type noting struct{ status int; text string }

func (n *noting) RoundTrip(r *http.Request) (*http.Response, error) {
	a, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(a.Body)
	a.Body = io.NopCloser(strings.NewReader(string(text)))
	n.status, n.text = a.StatusCode, string(text)
	return a, err
}

func main() {
	last := &noting{}
	http.DefaultClient.Transport = last
	for _, call := range calls {
		*last = noting{}
		said := ""
		if err := call.run(context.Background()); err != nil {
			said = err.Error()
		} else if last.status/100 != 2 {
			said = last.text
		}
		line, _ := json.Marshal(map[string]any{"ID": call.id, "Status": last.status, "Error": said})
		fmt.Println(string(line))
	}
}

var calls = []struct{ id string; run func(ctx context.Context) error }{
`

func TestSamplesInGo(t *testing.T) {
	t.Parallel()
	stage, calls := staged(t, "Go")
	dir := stage.dir()
	var source strings.Builder
	source.WriteString(goRunner)
	for _, call := range calls {
		fmt.Fprintf(&source, "{%q, func(ctx context.Context) error {\n", call.ID)
		for _, name := range slices.Sorted(maps.Keys(call.Variables)) {
			variable := camel(name)
			if variable == "type" {
				variable = "recordType"
			}
			fmt.Fprintf(&source, "var %s = %q\n_ = %[1]s\n", variable, call.Variables[name])
		}
		fmt.Fprintf(&source, "%s\nreturn nil\n}},\n", call.Source)
	}
	source.WriteString("}\n")
	for name, text := range map[string]string{"go.mod": "module samples\n\ngo 1.26\n", "main.go": source.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := program(t, "go", dir, "run", ".")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	checkSampled(t, calls, out, err)
}

// typescriptRunner is the frame of the TypeScript samples: a function for each,
// compiled with the client's own strict settings.
const typescriptRunner = `import { createClient } from "../src/index.js";
const last = { status: 0, text: "" };
async function noted(request: Request): Promise<Response> {
  const answer = await plain(request);
  last.status = answer.status;
  last.text = answer.ok ? "" : await answer.clone().text();
  return answer;
}
const plain = globalThis.fetch;
globalThis.fetch = (input, init) => noted(new Request(input, init));
const csv = "nights,rooms,country\\n2,3,GB\\n";
const calls: [string, () => Promise<void>][] = [];
`

// typescriptSamples returns a program that runs the samples.
func typescriptSamples(calls []sampleCall) string {
	var source strings.Builder
	source.WriteString(typescriptRunner)
	for _, call := range calls {
		fmt.Fprintf(&source, "calls.push([%q, async () => {\n", call.ID)
		for _, name := range slices.Sorted(maps.Keys(call.Variables)) {
			value := fmt.Sprintf("%q", call.Variables[name])
			if strings.Trim(call.Variables[name], "0123456789") == "" {
				value = call.Variables[name]
			}
			fmt.Fprintf(&source, "const %s = %s;\n", camel(name), value)
		}
		if call.ID == "importMixed" {
			source.WriteString("const csv = \"type,nights,rooms,weightKg,treatment\\naccommodation,2,3,,\\nwaste,,,5,landfill\\n\";\n")
		}
		fmt.Fprintf(&source, "const { api } = createClient({ url: host, tokens: { accessToken: token } });\n%s\n}]);\n", call.Source)
	}
	source.WriteString(`for (const [id, run] of calls) {
  last.status = 0;
  last.text = "";
  let error = "";
  try {
    await run();
  } catch (e) {
    error = String(e);
  }
  console.log(JSON.stringify({ ID: id, Status: last.status, Error: error || last.text }));
}
`)
	return source.String()
}

// camel converts a name to Go and TypeScript: EVENT_ID becomes eventId.
func camel(name string) string {
	words := strings.Split(strings.ToLower(name), "_")
	for i, w := range words[1:] {
		words[i+1] = string(unicode.ToUpper(rune(w[0]))) + w[1:]
	}
	return strings.Join(words, "")
}
