package main

import (
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// commandError is the error reply to a whole command.
type commandError struct {
	code    int32
	name    string
	message string
}

func (e *commandError) reply() (bson.Raw, error) {
	return bson.Marshal(bson.D{
		{Key: "ok", Value: 0.0},
		{Key: "errmsg", Value: e.message},
		{Key: "code", Value: e.code},
		{Key: "codeName", Value: e.name},
	})
}

func notImplemented(what string) *commandError {
	return &commandError{238, "NotImplemented", what + " is not supported by the test engine"}
}

// refusal returns why a command must not reach the engine: because the engine would
// accept it and silently deviate from a server. Commands that the engine refuses itself
// are not listed here.
func refusal(c *command) *commandError {
	if !c.body.Lookup("startTransaction").IsZero() || !c.body.Lookup("autocommit").IsZero() {
		return &commandError{20, "IllegalOperation", "Transaction numbers are only allowed on a replica set member or mongos"}
	}
	switch c.name() {
	case "update":
		for _, statement := range c.list("updates") {
			update, _ := statement.Lookup("u").DocumentOK()
			if err := refuseUpdate(update); err != nil {
				return err
			}
		}
	case "findAndModify", "findandmodify":
		update, _ := c.body.Lookup("update").DocumentOK()
		return refuseUpdate(update)
	case "find":
		projection, _ := c.body.Lookup("projection").DocumentOK()
		return refuseReferences("projection", projection)
	case "aggregate":
		for _, stage := range c.list("pipeline") {
			if err := refuseStage(stage); err != nil {
				return err
			}
		}
	}
	return nil
}

// refuseUpdate refuses the operators that the engine implements in part: its $push
// appends but neither truncates, sorts nor positions, and its $pull treats a condition
// as a value.
func refuseUpdate(update bson.Raw) *commandError {
	if pushes, ok := update.Lookup("$push").DocumentOK(); ok {
		for _, push := range documentsIn(pushes) {
			for _, modifier := range []string{"$slice", "$sort", "$position"} {
				if !push.Lookup(modifier).IsZero() {
					return notImplemented("$push with " + modifier)
				}
			}
		}
	}
	if pulls, ok := update.Lookup("$pull").DocumentOK(); ok {
		if slices.ContainsFunc(documentsIn(pulls), hasOperator) {
			return notImplemented("$pull with a condition")
		}
	}
	return nil
}

// refuseStage refuses the aggregation stages with wrong results: of the sums of a
// $group only the first is right, and "$field" is treated as a string.
func refuseStage(stage bson.Raw) *commandError {
	if group, ok := stage.Lookup("$group").DocumentOK(); ok {
		if elements, err := group.Elements(); err == nil && len(elements) > 2 {
			return notImplemented("$group with more than one accumulator")
		}
	}
	for _, name := range []string{"$project", "$addFields", "$set"} {
		if fields, ok := stage.Lookup(name).DocumentOK(); ok {
			if err := refuseReferences(name, fields); err != nil {
				return err
			}
		}
	}
	return nil
}

func refuseReferences(where string, fields bson.Raw) *commandError {
	values, err := fields.Values()
	if err != nil {
		return nil
	}
	for _, v := range values {
		if s, ok := v.StringValueOK(); ok && strings.HasPrefix(s, "$") {
			return notImplemented("a reference to a field in " + where)
		}
		if d, ok := v.DocumentOK(); ok {
			if err := refuseReferences(where, d); err != nil {
				return err
			}
		}
	}
	return nil
}

// documentsIn returns the values of a document that are documents.
func documentsIn(d bson.Raw) []bson.Raw {
	values, err := d.Values()
	if err != nil {
		return nil
	}
	var documents []bson.Raw
	for _, v := range values {
		if inner, ok := v.DocumentOK(); ok {
			documents = append(documents, inner)
		}
	}
	return documents
}

func hasOperator(d bson.Raw) bool {
	elements, err := d.Elements()
	if err != nil {
		return false
	}
	for _, e := range elements {
		if strings.HasPrefix(e.Key(), "$") {
			return true
		}
		if inner, ok := e.Value().DocumentOK(); ok && hasOperator(inner) {
			return true
		}
	}
	return false
}
