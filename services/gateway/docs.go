package gateway

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/spec"
	"github.com/eventcarbon/ecf/libs/web"
)

//go:embed docs/reference.html docs/methodology.html docs/setup.html docs/docs.css docs/docs.js docs/setup.js
var docsFiles embed.FS

// docsPolicy lets the page load its style and its script from us, and nothing else.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

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
	html        file
	methodology file
	setup       file
	document    file
	assets      map[string]file
}

func newDocs() (*docs, error) {
	document, err := spec.Load()
	if err != nil {
		return nil, err
	}
	d := &docs{assets: map[string]file{}}
	for name, page := range map[string]*file{"reference.html": &d.html, "methodology.html": &d.methodology} {
		text, err := docsFiles.ReadFile("docs/" + name)
		if err != nil {
			return nil, fmt.Errorf("documentation: %w", err)
		}
		if *page, err = newFile("text/html; charset=utf-8", text); err != nil {
			return nil, err
		}
		page.policy = docsPolicy
	}
	setup, err := renderSetup(document)
	if err != nil {
		return nil, err
	}
	if d.setup, err = newFile("text/html; charset=utf-8", setup); err != nil {
		return nil, err
	}
	d.setup.policy = setupPolicy
	if d.document, err = newFile(fiber.MIMEApplicationJSON, document.JSON); err != nil {
		return nil, err
	}
	for name, contentType := range map[string]string{
		"docs.css": "text/css; charset=utf-8", "docs.js": "text/javascript; charset=utf-8",
		"setup.js": "text/javascript; charset=utf-8",
	} {
		text, err := docsFiles.ReadFile("docs/" + name)
		if err != nil {
			return nil, fmt.Errorf("documentation: %w", err)
		}
		if d.assets[name], err = newFile(contentType, text); err != nil {
			return nil, err
		}
	}
	return d, nil
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

// renderSetup returns the page behind one-time links.
func renderSetup(document spec.Document) ([]byte, error) {
	var head struct {
		Info struct {
			Title string `json:"title"`
		} `json:"info"`
	}
	if err := json.Unmarshal(document.JSON, &head); err != nil {
		return nil, fmt.Errorf("documentation: %w", err)
	}
	page, err := template.ParseFS(docsFiles, "docs/setup.html")
	if err != nil {
		return nil, fmt.Errorf("documentation: %w", err)
	}
	var b bytes.Buffer
	if err := page.Execute(&b, map[string]any{"Title": head.Info.Title, "Base": web.BasePath}); err != nil {
		return nil, fmt.Errorf("documentation: %w", err)
	}
	return b.Bytes(), nil
}

func (d *docs) page(c *fiber.Ctx) error            { return d.html.send(c) }
func (d *docs) methodologyPage(c *fiber.Ctx) error { return d.methodology.send(c) }
func (d *docs) setupPage(c *fiber.Ctx) error       { return d.setup.send(c) }
func (d *docs) openapi(c *fiber.Ctx) error         { return d.document.send(c) }

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
