package footprint

// doc describes a record type to its users.
type doc struct {
	description string
	// formula says in one line how the type is calculated.
	formula  string
	fields   []fieldDoc
	examples []string
}

// fieldDoc says what a field means; its default is JSON, or empty.
type fieldDoc struct{ name, text, fallback string }

// sharedDocs describe the fields of every type.
func sharedDocs() []fieldDoc {
	return []fieldDoc{
		{"description", "What the record is about, in your own words.", ""},
		{"date", "Day of the activity. In another year than the event it lowers the data quality.", ""},
		{"group", "Whose activity it is. Absent, it is summed as unspecified.", ""},
		{"dataQuality", "How the amounts were found.", `"estimated"`},
		{"externalReference", "Your own key of the record, unique in its event and type.", ""},
		{"respondents", "Of a survey: how many answered. The quantity is scaled up by population ÷ respondents.", ""},
		{"population", "Of a survey: how many there are in all.", ""},
		{"sampleCV", "Of a survey: coefficient of variation of the answers.", ""},
		{"evidence", "Documents behind the record, each with a name, an address or a hash.", ""},
		{"evidence.name", "Name of the document.", ""},
		{"evidence.url", "Where it is.", ""},
		{"evidence.sha256", "Hash of its bytes.", ""},
		{"metadata", "Up to 20 texts of your own.", ""},
	}
}
