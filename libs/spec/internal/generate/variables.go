package main

import (
	"maps"
	"regexp"
	"strings"
)

// inVariables names the members of bodies that nobody can copy from a sample, by
// operation: ids, tokens and passwords, which are in variables as the ids of paths
// are. A list has the variable as its only item.
var inVariables = map[string]map[string]string{
	"login":                   {"email": "email", "password": "password"},
	"refresh":                 {"refreshToken": "refreshToken"},
	"setUpAccount":            {"setupToken": "setupToken"},
	"acceptInvitation":        {"token": "setupToken"},
	"updateMe":                {"defaultOrganization": "organizationId"},
	"changePassword":          {"currentPassword": "password"},
	"adoptFactorSet":          {"factorSet": "setId"},
	"signOffEvent":            {"revision": "revision"},
	"submitRecords":           {"ids": "recordId"},
	"withdrawRecords":         {"ids": "recordId"},
	"deleteRecords":           {"ids": "recordId"},
	"approveRecords":          {"ids": "recordId"},
	"requestChangesOfRecords": {"ids": "recordId"},
	"rejectRecords":           {"ids": "recordId"},
	"reopenRecords":           {"ids": "recordId"},
}

// variable finds the marks that withVariables leaves in a body that was written as
// JSON: of a text in quotes, of a number without them.
var variable = regexp.MustCompile(`"\\u0001#?\w+\\u0001"`)

// withVariables returns a body with marks in place of what is in variables.
func withVariables(id string, body any) any {
	names := inVariables[id]
	members, ok := body.(map[string]any)
	if !ok || names == nil {
		return body
	}
	members = maps.Clone(members)
	for member, name := range names {
		switch members[member].(type) {
		case nil:
		case string:
			members[member] = "\x01" + name + "\x01"
		case []any:
			members[member] = []any{"\x01" + name + "\x01"}
		default:
			members[member] = "\x01#" + name + "\x01"
		}
	}
	return members
}

// variableOf returns the name of the variable that a mark stands for, and the quote
// that its value has around it in JSON: none for a number.
func variableOf(mark string) (name, quote string) {
	name, number := strings.CutPrefix(strings.ReplaceAll(strings.Trim(mark, `"`), `\u0001`, ""), "#")
	if number {
		return name, ""
	}
	return name, `"`
}
