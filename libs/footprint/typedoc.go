package footprint

import "strings"

// doc describes a record type to its users.
type doc struct {
	// place orders the types in results and pages; types of one place are ordered
	// by name.
	place int
	// schema is the name of the input's schema in the OpenAPI document; empty
	// means the name of the type in camel case with Input: GroundTransportInput.
	schema string
	// bought are words for the type in purchases without a spend category; spend categories have a table.
	bought      []string
	description string
	// formula describes the calculation in one line.
	formula string
	fields  []fieldDoc
	// answered are the fields that a record always has in responses, in addition to those its input requires: the
	// server derives them if they are not stated.
	answered []string
	// apart are fields of the input that responses lack: a separate operation reads them.
	apart []string
	// informative are the fields that are not meant to affect the figure: they are for people, or for checks across
	// records.
	informative []string
	// ways are the alternative ways to state a record; none if there is only one.
	ways     []way
	examples []string
	// method is the text of the type's section of the methodology page, in addition to the description and the
	// formula. Types of the first release have theirs in the page's template, where it can show tables of factors.
	method string
}

// fieldDoc documents a field; its default is JSON, or empty.
type fieldDoc struct{ name, text, fallback string }

// supplierFactorText documents the supplierFactor field of every type.
const supplierFactorText = "Factor of a supplier from the organization's library: its name, for the newest approved version that is valid on the day, or name@version. The record keeps this version."

// sharedDocs describe the fields of every type.
func sharedDocs() []fieldDoc {
	return []fieldDoc{
		{"description", "What the record is about, in your own words.", ""},
		{"date", "Day of the activity. A year other than that of the event lowers the data quality.", ""},
		{"group", "Whose activity it is. Absent: it is summed as unspecified.", ""},
		{"dataQuality", "How the amounts were determined.", `"estimated"`},
		{"externalReference", "Your own key for the record, unique within its event and type.", ""},
		{"respondents", "For a survey: the number of answers. The quantity is scaled up by population ÷ respondents.", ""},
		{"population", "For a survey: the total number of people or items that it represents.", ""},
		{"sampleCV", "For a survey: coefficient of variation of the answers.", ""},
		{"evidence", "Documents that support the record, each with a name, an address or a hash.", ""},
		{"evidence.name", "Name of the document.", ""},
		{"evidence.url", "Where it is.", ""},
		{"evidence.sha256", "Hash of its bytes.", ""},
		{"metadata", "Up to 20 texts of your own, under keys of 1 to 40 letters, digits, hyphens and underscores.", ""},
		{"stated", "Numbers as they are on paper, with their units, instead of the fields they name: {\"distanceKm\": \"112 mi\"}. They are converted exactly; the field then contains the number in its own unit, and stated the original. Each number may be given in one way only.", ""},
		{"numberFormat", "The format of the numbers in stated, given by an example. Without it, one point or comma before exactly three digits is refused as ambiguous.", ""},
	}
}

// SchemaName returns the name of the schema of a type's input in the OpenAPI
// document, and is empty for an unknown type.
func SchemaName(typ string) string {
	t, ok := find(typ)
	if !ok {
		return ""
	}
	if t.doc.schema != "" {
		return t.doc.schema
	}
	var name strings.Builder
	for word := range strings.SplitSeq(typ, "-") {
		name.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return name.String() + "Input"
}

// Method returns the text of a type's section on the page of methods; it may be
// empty.
func Method(typ string) string {
	if t, ok := find(typ); ok {
		return t.doc.method
	}
	return ""
}
