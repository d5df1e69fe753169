package gateway

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/spec"
	"github.com/eventcarbon/ecf/libs/web"
)

//go:embed docs
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
	plain       []byte
	tag         string
	policy      string
	// The compressed forms, made when they are asked for first.
	brotli, gzip func() []byte
}

// docs is the documentation, ready to be sent.
type docs struct {
	reference file
	setup     file
	document  file
	texts     map[string]file
	assets    map[string]file
}

func newDocs(document spec.Document, issuer string) (*docs, error) {
	d := &docs{texts: map[string]file{}, assets: map[string]file{}}
	var err error
	if d.reference, err = newPage("reference"); err != nil {
		return nil, err
	}
	for _, t := range api.Texts() {
		if d.texts[t.Name], err = newPage(t.Name); err != nil {
			return nil, err
		}
	}
	setup, err := renderSetup(document)
	if err != nil {
		return nil, err
	}
	d.setup = newFile("text/html; charset=utf-8", setup)
	d.setup.policy = setupPolicy
	served, err := document.At(issuer)
	if err != nil {
		return nil, err
	}
	d.document = newFile(fiber.MIMEApplicationJSON, served)
	for name, contentType := range map[string]string{
		"docs.css": "text/css; charset=utf-8", "docs.js": "text/javascript; charset=utf-8",
		"setup.js": "text/javascript; charset=utf-8",
	} {
		text, err := docsFiles.ReadFile("docs/" + name)
		if err != nil {
			return nil, fmt.Errorf("documentation: %w", err)
		}
		d.assets[name] = newFile(contentType, text)
	}
	return d, nil
}

// newPage returns the page of the documentation that has this name.
func newPage(name string) (file, error) {
	text, err := docsFiles.ReadFile("docs/" + name + ".html")
	if err != nil {
		return file{}, fmt.Errorf("documentation: %w", err)
	}
	page := newFile("text/html; charset=utf-8", text)
	page.policy = docsPolicy
	return page, nil
}

func newFile(contentType string, plain []byte) file {
	return file{
		contentType: contentType, plain: plain, tag: web.ETagOf(string(plain)),
		brotli: sync.OnceValue(func() []byte { return fasthttp.AppendBrotliBytesLevel(nil, plain, staticBrotliLevel) }),
		gzip:   sync.OnceValue(func() []byte { return fasthttp.AppendGzipBytesLevel(nil, plain, fasthttp.CompressBestCompression) }),
	}
}

// staticBrotliLevel is that of files, which are compressed once.
const staticBrotliLevel = 9

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

func (d *docs) page(c *fiber.Ctx) error      { return d.reference.send(c) }
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
	coding, body := codingFor(c), f.plain
	if notModified(c, f.tag, coding) {
		return nil
	}
	switch coding {
	case codingBrotli:
		body = f.brotli()
	case codingGzip:
		body = f.gzip()
	}
	if coding != "" {
		c.Set(fiber.HeaderContentEncoding, coding)
	}
	c.Set(fiber.HeaderETag, codedTag(f.tag, coding))
	c.Response().SetBodyRaw(body)
	return nil
}
