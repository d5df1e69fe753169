package main

import (
	"bufio"
	"fmt"
	"net"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// session is one client's connection to the engine.
type session struct {
	turn    *sync.Mutex
	engine  net.Conn
	replies *bufio.Reader
	lastID  int32
}

// handle executes one request and returns the reply, or nil if the client wants none.
func (s *session) handle(request message) (message, error) {
	if request.opcode() != opMsg {
		// Only the first hello of a connection has the old form.
		return s.exchange(request)
	}
	c, err := parseCommand(request)
	if err != nil {
		return nil, err
	}
	reply, err := s.run(c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.name(), err)
	}
	if c.flags&flagMoreToCome != 0 {
		return nil, nil
	}
	answer := command{body: reply}
	return answer.encode(s.nextID(), request.requestID()), nil
}

// run executes a command under the lock, unless it is part of a handshake: a monitor
// must not wait behind other commands. (The engine answers hello at once, without the
// topology version that would let a driver request a stream.)
func (s *session) run(c *command) (bson.Raw, error) {
	switch c.name() {
	case "hello", "isMaster", "ismaster", "buildInfo", "buildinfo", "ping":
		return s.call(c)
	}
	s.turn.Lock()
	defer s.turn.Unlock()
	if err := refusal(c); err != nil {
		return err.reply()
	}
	switch c.name() {
	case "createIndexes":
		return s.createIndexes(c)
	case "distinct":
		// The driver sends its timeout with every command; the engine does not support
		// it for this one.
		return s.call(&command{flags: c.flags, body: without(c.body, "maxTimeMS"), sequences: c.sequences})
	case "insert":
		return s.runBatch(c, "documents", insertBatch)
	case "update":
		return s.runBatch(c, "updates", 1)
	case "findAndModify", "findandmodify":
		return s.runFindAndModify(c)
	default:
		return s.call(c)
	}
}

// call sends one command to the engine and returns the body of its reply.
func (s *session) call(c *command) (bson.Raw, error) {
	reply, err := s.exchange(c.encode(s.nextID(), 0))
	if err != nil {
		return nil, err
	}
	if reply.opcode() != opMsg {
		return nil, fmt.Errorf("%w: reply with opcode %d", errMalformed, reply.opcode())
	}
	parsed, err := parseCommand(reply)
	if err != nil {
		return nil, fmt.Errorf("reply: %w", err)
	}
	return parsed.body, nil
}

// ask runs one of the front's own commands.
func (s *session) ask(body bson.D) (bson.Raw, error) {
	raw, err := bson.Marshal(body)
	if err != nil {
		return nil, err
	}
	return s.call(&command{body: raw})
}

// exchange sends a message and reads its reply.
func (s *session) exchange(request message) (message, error) {
	if err := s.engine.SetDeadline(time.Now().Add(engineTimeout)); err != nil {
		return nil, err
	}
	if _, err := s.engine.Write(request); err != nil {
		return nil, fmt.Errorf("send to the engine: %w", err)
	}
	reply, err := readMessage(s.replies)
	if err != nil {
		return nil, fmt.Errorf("read from the engine: %w", err)
	}
	return reply, nil
}

func (s *session) nextID() int32 {
	s.lastID++
	return s.lastID
}
