package gateway

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/spec"
	"github.com/eventcarbon/ecf/libs/web"
)

//go:embed docs/page.html docs/setup.html docs/docs.css docs/docs.js docs/setup.js docs/redoc.standalone.js.gz docs/redoc.LICENSE.txt
var docsFiles embed.FS

// docsPolicy lets the page load what comes from us and nothing else. Redoc puts
// its search index into a worker made from text, which it makes an address of,
// and its rules into style elements of its own: it makes them empty and fills
// them by script, but for one. The two hashes are those of the empty text and
// of that one.
const docsPolicy = "default-src 'none'; script-src 'self'; " +
	"style-src 'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='; " +
	"img-src 'self' data:; connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// setupPolicy lets the page that sets a password ask us, and nothing else.
const setupPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// file is one file that is served as it is.
type file struct {
	contentType string
	plain, gzip []byte
	tag         string
	policy      string
}

// docs is the documentation, ready to be sent.
type docs struct {
	html     file
	setup    file
	document file
	assets   map[string]file
}

func newDocs() (*docs, error) {
	document, err := spec.Load()
	if err != nil {
		return nil, err
	}
	d := &docs{assets: map[string]file{}}
	for name, page := range map[string]struct {
		at     *file
		policy string
	}{"page.html": {&d.html, docsPolicy}, "setup.html": {&d.setup, setupPolicy}} {
		text, err := renderPage(name, document)
		if err != nil {
			return nil, err
		}
		if *page.at, err = newFile("text/html; charset=utf-8", text); err != nil {
			return nil, err
		}
		page.at.policy = page.policy
	}
	if d.document, err = newFile(fiber.MIMEApplicationJSON, document.JSON); err != nil {
		return nil, err
	}
	for name, contentType := range map[string]string{
		"docs.css": "text/css; charset=utf-8", "docs.js": "text/javascript; charset=utf-8",
		"setup.js": "text/javascript; charset=utf-8", "redoc.LICENSE.txt": "text/plain; charset=utf-8",
	} {
		text, err := docsFiles.ReadFile("docs/" + name)
		if err != nil {
			return nil, fmt.Errorf("documentation: %w", err)
		}
		if d.assets[name], err = newFile(contentType, text); err != nil {
			return nil, err
		}
	}
	d.assets["redoc.standalone.js"], err = readCompressed("redoc.standalone.js")
	return d, err
}

func newFile(contentType string, plain []byte) (file, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(plain)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return file{}, fmt.Errorf("documentation: compress: %w", err)
	}
	return file{contentType: contentType, plain: plain, gzip: b.Bytes(), tag: web.ETagOf(string(plain))}, nil
}

// readCompressed reads a script that is kept compressed.
func readCompressed(name string) (file, error) {
	packed, err := docsFiles.ReadFile("docs/" + name + ".gz")
	if err != nil {
		return file{}, fmt.Errorf("documentation: %w", err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return file{}, fmt.Errorf("documentation: %s: %w", name, err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		return file{}, fmt.Errorf("documentation: %s: %w", name, err)
	}
	return file{contentType: "text/javascript; charset=utf-8", plain: plain, gzip: packed, tag: web.ETagOf(string(plain))}, nil
}

type errorEntry struct {
	Code          apperr.Code
	Status        string
	Anchor        string
	Cause, Remedy template.HTML
}

// renderPage makes a page. The errors are in it as plain HTML: the answers of
// the service lead there, and a script must not be needed to follow them.
func renderPage(name string, document spec.Document) ([]byte, error) {
	var head struct {
		Info struct {
			Title string `json:"title"`
		} `json:"info"`
	}
	if err := json.Unmarshal(document.JSON, &head); err != nil {
		return nil, fmt.Errorf("documentation: %w", err)
	}
	var entries []errorEntry
	for _, e := range document.Errors {
		_, anchor, _ := strings.Cut(web.DocsOf(e.Code), "#")
		entries = append(entries, errorEntry{
			Code: e.Code, Status: fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status)), Anchor: anchor,
			Cause: codeSpans(e.Cause), Remedy: codeSpans(e.Remedy),
		})
	}
	page, err := template.ParseFS(docsFiles, "docs/"+name)
	if err != nil {
		return nil, fmt.Errorf("documentation: %w", err)
	}
	var b bytes.Buffer
	if err := page.Execute(&b, map[string]any{"Title": head.Info.Title, "Base": web.BasePath, "Errors": entries}); err != nil {
		return nil, fmt.Errorf("documentation: %w", err)
	}
	return b.Bytes(), nil
}

// codeSpans turns `text` into code elements and escapes everything else.
func codeSpans(text string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		escaped := template.HTMLEscapeString(part)
		if i%2 == 1 {
			escaped = "<code>" + escaped + "</code>"
		}
		b.WriteString(escaped)
	}
	return template.HTML(b.String()) //nolint:gosec // every part was escaped above
}

func (d *docs) page(c *fiber.Ctx) error      { return d.html.send(c) }
func (d *docs) setupPage(c *fiber.Ctx) error { return d.setup.send(c) }
func (d *docs) openapi(c *fiber.Ctx) error   { return d.document.send(c) }

func (d *docs) asset(c *fiber.Ctx) error {
	f, ok := d.assets[c.Params("asset")]
	if !ok {
		return notFound()
	}
	return f.send(c)
}

// send answers with the file, compressed where the client takes that.
func (f file) send(c *fiber.Ctx) error {
	c.Set(fiber.HeaderContentType, f.contentType)
	// Kept by the client, and asked for again each time: 304 unless it changed.
	c.Set(fiber.HeaderCacheControl, "no-cache")
	c.Vary(fiber.HeaderAcceptEncoding)
	if f.policy != "" {
		c.Set(fiber.HeaderContentSecurityPolicy, f.policy)
	}
	tag, body := f.tag, f.plain
	// Without the field anything would be acceptable; a client that says nothing
	// is not known to unpack.
	if c.Get(fiber.HeaderAcceptEncoding) != "" && c.AcceptsEncodings("gzip", "identity") == "gzip" {
		// Another representation has another strong tag.
		tag, body = strings.TrimSuffix(f.tag, `"`)+`-gzip"`, f.gzip
		c.Set(fiber.HeaderContentEncoding, "gzip")
	}
	if web.NotModified(c, tag) {
		c.Response().Header.Del(fiber.HeaderContentEncoding)
		return web.SendNotModified(c, tag)
	}
	c.Set(fiber.HeaderETag, tag)
	c.Response().SetBodyRaw(body)
	return nil
}
