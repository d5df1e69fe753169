// Command platforms prints a line "OS/ARCHITECTURE DIGEST" for the image of each
// platform of an index, which it reads from standard input or from an OCI image layout.
// Attachments of the images, such as build attestations, are omitted.
//
//	platforms [-layout DIR]
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	layout := flag.String("layout", "", "folder of an OCI image layout")
	flag.Parse()
	lines, err := platforms(*layout, os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "platforms:", err)
		os.Exit(1)
	}
	for _, line := range lines {
		fmt.Println(line)
	}
}

// index has the used fields of an image index, of the OCI's image specification 1.1 or
// Docker's.
type index struct {
	Manifests []struct {
		MediaType   string            `json:"mediaType"`
		Digest      string            `json:"digest"`
		Annotations map[string]string `json:"annotations"`
		Platform    struct {
			OS           string `json:"os"`
			Architecture string `json:"architecture"`
			Variant      string `json:"variant"`
		} `json:"platform"`
	} `json:"manifests"`
}

func platforms(layout string, in io.Reader) ([]string, error) {
	var text []byte
	var err error
	if layout == "" {
		text, err = io.ReadAll(in)
	} else {
		text, err = os.ReadFile(filepath.Join(layout, "index.json"))
	}
	if err != nil {
		return nil, err
	}
	var found index
	if err := json.Unmarshal(text, &found); err != nil {
		return nil, err
	}
	// The index of a layout refers to that of an image with several platforms.
	if m := found.Manifests; layout != "" && len(m) == 1 && (strings.HasSuffix(m[0].MediaType, ".index.v1+json") || strings.HasSuffix(m[0].MediaType, ".list.v2+json")) {
		algorithm, hash, _ := strings.Cut(m[0].Digest, ":")
		if text, err = os.ReadFile(filepath.Join(layout, "blobs", algorithm, hash)); err != nil {
			return nil, err
		}
		found = index{}
		if err := json.Unmarshal(text, &found); err != nil {
			return nil, err
		}
	}
	var lines []string
	for _, m := range found.Manifests {
		if m.Annotations["vnd.docker.reference.type"] == "attestation-manifest" {
			continue
		}
		if m.Digest == "" || m.Platform.OS == "" || m.Platform.Architecture == "" {
			return nil, errors.New("a manifest of the index has no digest or no platform")
		}
		platform := m.Platform.OS + "/" + m.Platform.Architecture
		if m.Platform.Variant != "" {
			platform += "/" + m.Platform.Variant
		}
		lines = append(lines, platform+" "+m.Digest)
	}
	if len(lines) == 0 {
		return nil, errors.New("there is no image in the index")
	}
	slices.Sort(lines)
	return lines, nil
}
