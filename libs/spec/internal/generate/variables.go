package main

import (
	"maps"
	"regexp"
	"strings"
)

// inVariables are the members of bodies that cannot be copied from a sample, by operation: ids, tokens and passwords,
// which are in variables like the ids in paths. A list has the variable as its only item.
var inVariables = map[string]map[string]string{
	"login":                   {"email": "email", "password": "password"},
	"refresh":                 {"refreshToken": "refreshToken"},
	"setUpAccount":            {"setupToken": "setupToken"},
	"lookUpInvitation":        {"token": "setupToken"},
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

// variable matches the marks of withVariables in JSON: of a string in quotes, of a number without.
var variable = regexp.MustCompile(`"\\u0001#?\w+\\u0001"`)

// withVariables returns a body with marks in place of values in variables.
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

// variableOf returns the name of a mark's variable, and the quote around its value in JSON: none for a number.
func variableOf(mark string) (name, quote string) {
	name, number := strings.CutPrefix(strings.ReplaceAll(strings.Trim(mark, `"`), `\u0001`, ""), "#")
	if number {
		return name, ""
	}
	return name, `"`
}
