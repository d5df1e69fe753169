package gateway

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/spec"
	"github.com/eventcarbon/ecf/libs/web"
)

// The documentation files, as separate string variables: files of an embed.FS are
// copied to the heap when read, these are read from the executable.
var (
	//go:embed docs/reference.html
	referenceHTML []byte
	//go:embed docs/changelog.html
	changelogHTML []byte
	//go:embed docs/methodology.html
	methodologyHTML []byte
	//go:embed docs/report-bundles.html
	reportBundlesHTML []byte
	//go:embed docs/factor-packs.html
	factorPacksHTML []byte
	//go:embed docs/setup.html
	setupHTML string
	//go:embed docs/missing.html
	missingHTML string
	//go:embed docs/docs.css
	docsCSS []byte
	//go:embed docs/docs.js
	docsJS []byte
	//go:embed docs/setup.js
	setupJS []byte
)

// textPages returns the pages of api.Texts by name.
func textPages() map[string][]byte {
	return map[string][]byte{
		"changelog": changelogHTML, "methodology": methodologyHTML, "report-bundles": reportBundlesHTML, "factor-packs": factorPacksHTML,
	}
}

// docsPolicy allows the page to load styles and scripts of this server only.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// setupPolicy allows the page that sets a password to call this server only.
const setupPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// file is a static file. Its contents are created on the first request, which most
// processes never receive.
type file struct {
	contentType string
	policy      string
	plain       func() []byte
	tag         func() string
	// The compressed representations.
	brotli, gzip func() []byte
}

// docs is the documentation, ready to be served.
type docs struct {
	reference file
	setup     file
	notFound  file
	document  file
	texts     map[string]file
	assets    map[string]file
}

func newDocs(document spec.Document, issuer string) (*docs, error) {
	d := &docs{
		reference: newPage(referenceAt(issuer)), setup: newPage(as(titled(setupHTML, document))), notFound: newPage(as(titled(missingHTML, document))), texts: map[string]file{},
		document: newFile(fiber.MIMEApplicationJSON, func() []byte { return document.At(issuer) }),
		assets: map[string]file{
			"docs.css": newFile("text/css; charset=utf-8", as(docsCSS)), "docs.js": newFile("text/javascript; charset=utf-8", as(docsJS)),
			"setup.js": newFile("text/javascript; charset=utf-8", as(setupJS)),
		},
	}
	d.setup.policy = setupPolicy
	pages := textPages()
	for _, t := range api.Texts() {
		if len(pages[t.Name]) == 0 {
			return nil, fmt.Errorf("documentation: there is no page %s", t.Name)
		}
		d.texts[t.Name] = newPage(as(pages[t.Name]))
	}
	return d, nil
}

// referenceAt returns a function that creates the API reference, with the address of
// this server in its examples.
func referenceAt(issuer string) func() []byte {
	if issuer == "" {
		return as(referenceHTML)
	}
	return func() []byte {
		return bytes.ReplaceAll(referenceHTML, []byte(spec.SampleAddress), []byte(html.EscapeString(strings.TrimRight(issuer, "/"))))
	}
}

// newPage returns a page of the documentation.
func newPage(text func() []byte) file {
	page := newFile("text/html; charset=utf-8", text)
	page.policy = docsPolicy
	return page
}

func as(text []byte) func() []byte { return func() []byte { return text } }

func newFile(contentType string, text func() []byte) file {
	plain := sync.OnceValue(text)
	return file{
		contentType: contentType, plain: plain, tag: sync.OnceValue(func() string { return web.ETagOf(string(plain())) }),
		brotli: sync.OnceValue(func() []byte { return fasthttp.AppendBrotliBytesLevel(nil, plain(), staticBrotliLevel) }),
		gzip:   sync.OnceValue(func() []byte { return fasthttp.AppendGzipBytesLevel(nil, plain(), fasthttp.CompressBestCompression) }),
	}
}

// staticBrotliLevel is the brotli level of static files, which are compressed once.
const staticBrotliLevel = 9

// titled returns a page that is not generated, such as that behind one-time links. It has
// two values, both trusted. It does not use a template package, because reflection on
// method names would prevent the linker from removing unused exported methods.
func titled(page string, document spec.Document) []byte {
	return []byte(strings.NewReplacer("{{.Title}}", html.EscapeString(document.Title), "{{.Base}}", html.EscapeString(web.BasePath)).Replace(page))
}

func (d *docs) page(c *fiber.Ctx) error      { return d.reference.send(c) }
func (d *docs) setupForm(c *fiber.Ctx) error { return d.setup.send(c) }
func (d *docs) openapi(c *fiber.Ctx) error   { return d.document.send(c) }

func (d *docs) asset(c *fiber.Ctx) error {
	f, ok := d.assets[c.Params("asset")]
	if !ok {
		return notFound()
	}
	return f.send(c)
}

// send sends the file, compressed if the client accepts that.
func (f file) send(c *fiber.Ctx) error {
	c.Set(fiber.HeaderContentType, f.contentType)
	// Cached by the client, but revalidated each time: 304 unless it has changed.
	c.Set(fiber.HeaderCacheControl, "no-cache")
	c.Vary(fiber.HeaderAcceptEncoding)
	if f.policy != "" {
		c.Set(fiber.HeaderContentSecurityPolicy, f.policy)
	}
	coding := codingFor(&c.Request().Header)
	if notModified(c, f.tag(), coding) {
		return nil
	}
	var body []byte
	switch coding {
	case codingBrotli:
		body = f.brotli()
	case codingGzip:
		body = f.gzip()
	default:
		body = f.plain()
	}
	if coding != "" {
		c.Set(fiber.HeaderContentEncoding, coding)
	}
	c.Set(fiber.HeaderETag, codedTag(f.tag(), coding))
	c.Response().SetBodyRaw(body)
	return nil
}
