package web_test

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/web"
)

// TestPreferredCoding verifies the choice by weight and then by order, and that a weight that cannot be read excludes a coding, for all
// that send responses.
func TestPreferredCoding(t *testing.T) {
	t.Parallel()
	for accepted, want := range map[string]string{
		"": "", "br": "br", "gzip": "gzip", "gzip, br": "br", "gzip, deflate, br, zstd": "br", "GZIP": "gzip", "x-gzip": "", "*": "", "identity": "",
		"br;q=0.5, gzip": "gzip", "br; q=0.5, gzip;q=0.5": "br", "br;q=0": "", "br;q=0.000, gzip;Q=0.1": "gzip", "identity;q=1, br;q=0.1": "br",
		"br;q=x": "", "br;q=x, gzip": "gzip", "br;q=": "", "gzip;level=9": "gzip", ";q=1": "", ",,": "", "br;q=-1": "", "br;q=nan": "", "brx": "",
	} {
		if got := web.PreferredCoding(accepted, web.CodingBrotli, web.CodingGzip); got != want {
			t.Errorf("%q: %q, want %q", accepted, got, want)
		}
	}
	if got := web.PreferredCoding("br, gzip", web.CodingGzip, web.CodingBrotli); got != web.CodingGzip {
		t.Errorf("the first of those offered: %q", got)
	}
}
