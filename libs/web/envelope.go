package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/plainjson"
)

type success struct {
	Success bool `json:"success"`
	Data    any  `json:"data"`
}

// OK answers 200 with data in the envelope.
func OK(c *fiber.Ctx, data any) error { return Answer(c, http.StatusOK, data) }

// Created answers 201 with data in the envelope and, if location is not empty, the
// Location of the new resource.
func Created(c *fiber.Ctx, data any, location string) error {
	if location != "" {
		c.Set(fiber.HeaderLocation, location)
	}
	return Answer(c, http.StatusCreated, data)
}

// Answer answers with data in the envelope and a success status. If data is an object,
// the notices of the request are added to it.
func Answer(c *fiber.Ctx, status int, data any) error {
	if notices := noticesOf(c); len(notices) > 0 {
		var err error
		if data, err = withNotices(data, notices); err != nil {
			return err
		}
	}
	body, err := Encode(data)
	if err != nil {
		return err
	}
	return JSON(c, status, body)
}

// withNotices returns data with the field notices, if it is an object.
func withNotices(data any, notices []fields.Notice) (any, error) {
	object, err := encode(data)
	if err != nil || len(object) < 2 || object[0] != '{' {
		return data, err
	}
	list, err := encode(notices)
	if err != nil {
		return nil, err
	}
	out := object[:len(object)-1]
	if len(out) > 1 {
		out = append(out, ',')
	}
	out = append(append(append(out, `"notices":`...), list...), '}')
	return json.RawMessage(out), nil
}

// Encode returns the bytes that OK would send, for responses that are stored and sent
// again.
func Encode(data any) ([]byte, error) {
	var appendTo func(b []byte) ([]byte, error)
	switch of := data.(type) {
	case appender:
		appendTo = of.AppendJSON
	case list:
		// A struct that embeds a List has its methods too, and other members.
		if reflect.TypeOf(of.self()) == reflect.TypeOf(data) {
			appendTo = of.appendJSON
		}
	}
	if appendTo == nil {
		return encode(success{Success: true, Data: data})
	}
	b, err := appendTo([]byte(`{"success":true,"data":`))
	if err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return append(b, '}'), nil
}

// appender is data that appends its own JSON, compact and as encode would write it.
type appender interface {
	AppendJSON(b []byte) ([]byte, error)
}

// list is a List.
type list interface {
	self() any
	appendJSON(b []byte) ([]byte, error)
}

// encode does not escape <, > and &: responses are application/json with nosniff, and
// texts are returned unchanged.
func encode(v any) ([]byte, error) {
	text, err := plainjson.MarshalUnescaped(v)
	if err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return text, nil
}

func writeJSON(c *fiber.Ctx, status int, v any) error {
	body, err := encode(v)
	if err != nil {
		return err
	}
	return JSON(c, status, body)
}

// JSON answers with a body that is JSON already. The bytes must not be changed
// afterwards.
func JSON(c *fiber.Ctx, status int, body []byte) error {
	c.Status(status)
	c.Response().Header.SetContentType(fiber.MIMEApplicationJSON)
	c.Response().SetBodyRaw(body)
	return nil
}
