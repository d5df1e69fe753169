package web_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/web"
)

func TestBounded(t *testing.T) {
	t.Parallel()
	large := fiber.ErrRequestEntityTooLarge
	for size, want := range map[int]error{0: io.EOF, 9: io.EOF, 10: io.EOF, 11: large, 1000: large} {
		body := web.NewBounded(strings.NewReader(strings.Repeat("x", size)), 10)
		text, err := io.ReadAll(body)
		if len(text) != min(size, 10) || !errors.Is(body.Err(), want) || (err == nil) != errors.Is(want, io.EOF) {
			t.Errorf("%d bytes: read %d, %v, and it says %v; want %v", size, len(text), err, body.Err(), want)
		}
	}
}

// TestReadBody verifies that a body shorter than announced is an error.
func TestReadBody(t *testing.T) {
	t.Parallel()
	for announced, want := range map[int]string{-1: "body", 4: "body", 3: "bod"} {
		if text, err := web.ReadBody(strings.NewReader("body"), announced); err != nil || string(text) != want {
			t.Errorf("%d announced: %q, %v; want %q", announced, text, err, want)
		}
	}
	if _, err := web.ReadBody(strings.NewReader("body"), 5); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("one too few: %v", err)
	}
}
