// Package console serves the web console: the page for every path of the console, and
// scripts and styles with content-hashed names. They are built by "make console" and
// embedded.
package console

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/web"
)

//go:embed all:dist
var built embed.FS

// AssetsPath is the path prefix of scripts and styles.
const AssetsPath = "/assets/"

// noncePlaceholder is replaced in the built page by the nonce of each response.
const noncePlaceholder = "__NONCE__"

// policy allows the console to load resources of this server only. Style elements
// created by the component library carry the nonce.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-" + noncePlaceholder + "'; " +
	"img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; frame-src 'self'; manifest-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// reserved are the path prefixes that do not belong to the console.
var reserved = func() []string {
	paths := []string{web.BasePath, "/session", "/docs", "/health", "/.well-known", "/assets"}
	for _, t := range api.Texts() {
		paths = append(paths, t.Path())
	}
	return paths
}()

// asset is a file, compressed with brotli and gzip. It is read from the executable for
// each request: a browser requests it once and caches it permanently.
type asset struct {
	contentType string
	name        string // without .br or .gz
	tag         func() string
}

// Files are the files of the console, ready to be served.
type Files struct {
	dist   fs.FS
	page   string
	assets map[string]asset
}

// New returns the embedded files; the page contains the version.
func New(version string) (*Files, error) {
	dist, err := fs.Sub(built, "dist")
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	return newFiles(dist, version)
}

func newFiles(dist fs.FS, version string) (*Files, error) {
	page, err := fs.ReadFile(dist, "index.html")
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	named := strings.Replace(string(page), "<title>", `<meta name="version" content="`+html.EscapeString(version)+`" /><title>`, 1)
	f := &Files{dist: dist, page: named, assets: map[string]asset{}}
	names, err := fs.Glob(dist, "assets/*.br")
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	for _, name := range names {
		plain := strings.TrimSuffix(name, ".br")
		if _, err := fs.Stat(dist, plain+".gz"); err != nil {
			return nil, fmt.Errorf("console: %w", err)
		}
		a := asset{contentType: contentType(plain), name: plain}
		a.tag = sync.OnceValue(func() string {
			packed, _ := fs.ReadFile(dist, plain+".gz") // exists: Stat succeeded
			return web.ETagOf(string(packed))
		})
		f.assets["/"+plain] = a
	}
	return f, nil
}

func contentType(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".json":
		return fiber.MIMEApplicationJSON
	case ".txt":
		return fiber.MIMETextPlainCharsetUTF8
	}
	if t := mime.TypeByExtension(path.Ext(name)); t != "" {
		return t
	}
	return fiber.MIMEOctetStream
}

// Use is the middleware that answers GET and HEAD requests for assets, and for any path
// that is not reserved if the client accepts text/html explicitly. It passes everything
// else on to the routes.
func (f *Files) Use(c *fiber.Ctx) error {
	if m := c.Method(); m != http.MethodGet && m != http.MethodHead {
		return c.Next()
	}
	p := c.Path()
	if strings.HasPrefix(p, AssetsPath) {
		a, ok := f.assets[p]
		if !ok {
			return apperr.New(apperr.NotFound, "There is no such file. The console may have been updated: reload the page.")
		}
		return f.send(c, a)
	}
	if isReserved(p) || !NamesHTML(c.Get(fiber.HeaderAccept)) {
		return c.Next()
	}
	return f.sendPage(c)
}

func isReserved(p string) bool {
	for _, prefix := range reserved {
		if below, ok := strings.CutPrefix(p, prefix); ok && (below == "" || below[0] == '/') {
			return true
		}
	}
	return false
}

// NamesHTML reports whether an Accept field names text/html itself. Clients that accept
// anything get the response for programs.
func NamesHTML(accept string) bool {
	for part := range strings.SplitSeq(accept, ",") {
		mediaType, parameters, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(strings.TrimSpace(mediaType), fiber.MIMETextHTML) {
			return !strings.Contains(strings.ReplaceAll(parameters, " ", "")+";", "q=0;")
		}
	}
	return false
}

func (f *Files) sendPage(c *fiber.Ctx) error {
	var b [18]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand terminates the program instead
	nonce := base64.RawURLEncoding.EncodeToString(b[:])
	c.Set(fiber.HeaderContentSecurityPolicy, strings.ReplaceAll(policy, noncePlaceholder, nonce))
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set("Cross-Origin-Opener-Policy", "same-origin")
	c.Vary(fiber.HeaderAccept)
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	return c.SendString(strings.ReplaceAll(f.page, noncePlaceholder, nonce))
}

// send sends an asset. Its name changes with its content, so it may be cached
// permanently.
func (f *Files) send(c *fiber.Ctx, a asset) error {
	c.Set(fiber.HeaderContentType, a.contentType)
	c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
	c.Vary(fiber.HeaderAcceptEncoding)
	encoding, form := web.PreferredCoding(c.Get(fiber.HeaderAcceptEncoding), web.CodingBrotli, web.CodingGzip), ".gz"
	if encoding == web.CodingBrotli {
		form = ".br"
	}
	// Each representation has its own strong entity tag.
	tag := a.tag()
	if encoding != "" {
		tag = strings.TrimSuffix(tag, `"`) + "-" + encoding + `"`
	}
	if web.NotModified(c, tag) {
		return web.SendNotModified(c, tag)
	}
	body, err := fs.ReadFile(f.dist, a.name+form)
	if err != nil {
		return fmt.Errorf("console: %w", err)
	}
	if encoding == "" {
		if body, err = unpack(body); err != nil {
			return err
		}
	} else {
		c.Set(fiber.HeaderContentEncoding, encoding)
	}
	c.Set(fiber.HeaderETag, tag)
	c.Response().SetBodyRaw(body)
	return nil
}

func unpack(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	return plain, nil
}
