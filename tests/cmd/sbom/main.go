// Command sbom writes the bill of materials of Go programs, in CycloneDX 1.6, from the
// build information that the compiler embeds:
//
//	sbom -name ecf/records -version 2.1.0 bin/records >records.cdx.json
//
// Its output depends on the program only.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

type document struct {
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	SerialNumber string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	PackageURL string     `json:"purl,omitempty"`
	Hashes     []digest   `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type digest struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn,omitempty"`
}

func main() {
	name, version := flag.String("name", "", "name of the product"), flag.String("version", "devel", "version of the product")
	flag.Parse()
	if err := write(os.Stdout, *name, *version, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func write(to io.Writer, name, version string, programs []string) error {
	if len(programs) != 1 || name == "" {
		return fmt.Errorf("usage: sbom -name NAME [-version V] PROGRAM")
	}
	text, err := os.ReadFile(programs[0])
	if err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(programs[0])
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	product := component{
		Type: "application", Ref: "pkg:generic/" + name + "@" + version, Name: name, Version: version,
		PackageURL: "pkg:generic/" + name + "@" + version, Hashes: []digest{{"SHA-256", hex.EncodeToString(sum[:])}},
		Properties: []property{{"go:package", info.Path}},
	}
	for _, s := range info.Settings {
		if s.Value != "" && (strings.HasPrefix(s.Key, "GO") || strings.HasPrefix(s.Key, "CGO") || strings.HasPrefix(s.Key, "-") || strings.HasPrefix(s.Key, "vcs")) {
			product.Properties = append(product.Properties, property{"go:build:" + s.Key, s.Value})
		}
	}
	parts := []component{library("std", strings.TrimPrefix(info.GoVersion, "go"), "", "")}
	for _, m := range info.Deps {
		parts = append(parts, module(m, version))
	}
	slices.SortFunc(parts, func(a, b component) int { return strings.Compare(a.Ref, b.Ref) })
	all := dependency{Ref: product.Ref}
	out := document{Format: "CycloneDX", SpecVersion: "1.6", SerialNumber: serial(sum[:]), Version: 1, Metadata: metadata{product}, Components: parts}
	for _, p := range parts {
		all.DependsOn = append(all.DependsOn, p.Ref)
		out.Dependencies = append(out.Dependencies, dependency{Ref: p.Ref})
	}
	out.Dependencies = append([]dependency{all}, out.Dependencies...)
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

// module returns what was actually built: the replacement, if there is one. A module of
// this repository has the version of the product.
func module(m *debug.Module, version string) component {
	replaced := ""
	if m.Replace != nil {
		replaced = m.Path + "@" + m.Version
		if strings.HasPrefix(m.Replace.Path, ".") || strings.HasPrefix(m.Replace.Path, "/") || m.Replace.Version == "" {
			return library(m.Path, version, "", "")
		}
		m = m.Replace
	}
	if m.Version == "(devel)" {
		return library(m.Path, version, "", replaced)
	}
	return library(m.Path, m.Version, m.Sum, replaced)
}

func library(path, version, sum, replaced string) component {
	url := "pkg:golang/" + path + "@" + version
	c := component{Type: "library", Ref: url, Name: path, Version: version, PackageURL: url}
	if sum != "" {
		c.Properties = append(c.Properties, property{"go:sum", sum})
	}
	if replaced != "" {
		c.Properties = append(c.Properties, property{"go:replaces", replaced})
	}
	return c
}

// serial returns a UUID (version 8, RFC 9562) derived from the program's hash, so that
// it is reproducible.
func serial(sum []byte) string {
	id := slices.Clone(sum[:16])
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
