package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Sizes and opcodes of the MongoDB wire protocol.
const (
	headerSize     = 16         // length, request id, response to, opcode; four little-endian int32
	maxMessageSize = 48_000_000 // the largest message a server accepts
	opMsg          = 2013       // the opcode of commands; the first hello may be an OP_QUERY
)

// Flags of an OP_MSG.
const (
	flagChecksum   = 1 << 0  // a CRC-32C follows the sections
	flagMoreToCome = 1 << 1  // the sender wants no reply (an unacknowledged write)
	flagExhaust    = 1 << 16 // the sender accepts a stream of replies (a monitor's hello)
)

var errMalformed = errors.New("malformed message")

// message is a complete message, including its header.
type message []byte

// readMessage reads one message. It returns io.EOF only between messages.
func readMessage(r io.Reader) (message, error) {
	var header [headerSize]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return nil, err
	}
	size := int32(binary.LittleEndian.Uint32(header[:]))
	if size < headerSize || size > maxMessageSize {
		return nil, fmt.Errorf("%w: length %d", errMalformed, size)
	}
	m := make(message, size)
	copy(m, header[:])
	if _, err := io.ReadFull(r, m[headerSize:]); err != nil {
		return nil, fmt.Errorf("message cut short: %w", err)
	}
	return m, nil
}

func (m message) requestID() int32 { return int32(binary.LittleEndian.Uint32(m[4:])) }
func (m message) opcode() int32    { return int32(binary.LittleEndian.Uint32(m[12:])) }

// sequence is a document sequence of a command, outside its body: "documents" of an
// insert, "updates" of an update, "deletes" of a delete.
type sequence struct {
	name      string
	documents []bson.Raw
}

// command is a parsed OP_MSG.
type command struct {
	flags     uint32
	body      bson.Raw
	sequences []sequence
}

// parseCommand parses the sections of an OP_MSG. The result shares m's memory.
func parseCommand(m message) (*command, error) {
	rest := []byte(m[headerSize:])
	if len(rest) < 4 {
		return nil, fmt.Errorf("%w: no flags", errMalformed)
	}
	c := &command{flags: binary.LittleEndian.Uint32(rest)}
	rest = rest[4:]
	if c.flags&flagChecksum != 0 {
		if len(rest) < 4 {
			return nil, fmt.Errorf("%w: no checksum", errMalformed)
		}
		rest = rest[:len(rest)-4]
	}
	for len(rest) > 0 {
		kind := rest[0]
		var err error
		switch rest = rest[1:]; kind {
		case 0:
			c.body, rest, err = takeDocument(rest)
		case 1:
			var s sequence
			s, rest, err = takeSequence(rest)
			c.sequences = append(c.sequences, s)
		default:
			err = fmt.Errorf("%w: section of kind %d", errMalformed, kind)
		}
		if err != nil {
			return nil, err
		}
	}
	if c.body == nil {
		return nil, fmt.Errorf("%w: no body", errMalformed)
	}
	return c, c.body.Validate()
}

func takeDocument(b []byte) (bson.Raw, []byte, error) {
	if len(b) < 5 {
		return nil, nil, fmt.Errorf("%w: document cut short", errMalformed)
	}
	size := int(int32(binary.LittleEndian.Uint32(b)))
	if size < 5 || size > len(b) {
		return nil, nil, fmt.Errorf("%w: document of %d bytes", errMalformed, size)
	}
	return bson.Raw(b[:size]), b[size:], nil
}

func takeSequence(b []byte) (sequence, []byte, error) {
	if len(b) < 5 {
		return sequence{}, nil, fmt.Errorf("%w: sequence cut short", errMalformed)
	}
	size := int(int32(binary.LittleEndian.Uint32(b)))
	if size < 5 || size > len(b) {
		return sequence{}, nil, fmt.Errorf("%w: sequence of %d bytes", errMalformed, size)
	}
	in, rest := b[4:size], b[size:]
	var s sequence
	for i, c := range in {
		if c == 0 {
			s.name, in = string(in[:i]), in[i+1:]
			break
		}
	}
	if s.name == "" {
		return sequence{}, nil, fmt.Errorf("%w: sequence without a name", errMalformed)
	}
	for len(in) > 0 {
		var d bson.Raw
		var err error
		if d, in, err = takeDocument(in); err != nil {
			return sequence{}, nil, err
		}
		s.documents = append(s.documents, d)
	}
	return s, rest, nil
}

// encode encodes c as a message. It omits the checksum and the flags that change who
// sends next: the engine always replies once.
func (c *command) encode(requestID, responseTo int32) message {
	m := make(message, headerSize, headerSize+64+len(c.body))
	binary.LittleEndian.PutUint32(m[4:], uint32(requestID))
	binary.LittleEndian.PutUint32(m[8:], uint32(responseTo))
	binary.LittleEndian.PutUint32(m[12:], opMsg)
	m = binary.LittleEndian.AppendUint32(m, c.flags&^(flagChecksum|flagMoreToCome|flagExhaust))
	m = append(m, 0)
	m = append(m, c.body...)
	for _, s := range c.sequences {
		m = append(m, 1)
		start := len(m)
		m = append(m, 0, 0, 0, 0)
		m = append(append(m, s.name...), 0)
		for _, d := range s.documents {
			m = append(m, d...)
		}
		binary.LittleEndian.PutUint32(m[start:], uint32(len(m)-start))
	}
	binary.LittleEndian.PutUint32(m, uint32(len(m)))
	return m
}

// name returns the command's name, the key of the first field of its body.
func (c *command) name() string {
	elements, err := c.body.Elements()
	if err != nil || len(elements) == 0 {
		return ""
	}
	return elements[0].Key()
}

// collection returns the value of the command's first field, which is the collection's
// name for the commands inspected here.
func (c *command) collection() string {
	elements, err := c.body.Elements()
	if err != nil || len(elements) == 0 {
		return ""
	}
	s, _ := elements[0].Value().StringValueOK()
	return s
}

func (c *command) database() string {
	s, _ := c.body.Lookup("$db").StringValueOK()
	return s
}

// list returns the documents of a named list, which a client may send as a sequence or
// as an array in the body.
func (c *command) list(name string) []bson.Raw {
	for _, s := range c.sequences {
		if s.name == name {
			return s.documents
		}
	}
	array, ok := c.body.Lookup(name).ArrayOK()
	if !ok {
		return nil
	}
	values, err := array.Values()
	if err != nil {
		return nil
	}
	var documents []bson.Raw
	for _, v := range values {
		if d, ok := v.DocumentOK(); ok {
			documents = append(documents, d)
		}
	}
	return documents
}

// withList returns a copy of c with the given documents in a named list.
func (c *command) withList(name string, documents []bson.Raw) *command {
	copied := &command{flags: c.flags, sequences: []sequence{{name: name, documents: documents}}}
	for _, s := range c.sequences {
		if s.name != name {
			copied.sequences = append(copied.sequences, s)
		}
	}
	copied.body = without(c.body, name)
	return copied
}

// without returns a copy of a document without the named fields.
func without(d bson.Raw, names ...string) bson.Raw {
	elements, err := d.Elements()
	if err != nil {
		return d
	}
	out := []byte{0, 0, 0, 0}
next:
	for _, e := range elements {
		for _, name := range names {
			if e.Key() == name {
				continue next
			}
		}
		out = append(out, e...)
	}
	out = append(out, 0)
	binary.LittleEndian.PutUint32(out, uint32(len(out)))
	return out
}
