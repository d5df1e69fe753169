package factors

import (
	"regexp"
	"strings"
)

// Citation is the publication and location of a figure. A published set never changes, including the source texts of
// its rows; a Citation begins with the publisher and contains later corrections.
type Citation struct {
	// Publication is the publisher, the title and the edition.
	Publication string
	// Place is the sheet and cell, the id of the row, or the page.
	Place string
	// Transcription is the copy that the figure was read in; empty where it was read in
	// the publication.
	Transcription string
}

var (
	readIn = regexp.MustCompile(`^(.+?) \((?:cell-level extract|extract|copy): (.+)\)$`)
	// A repository, and the file in it.
	repository = regexp.MustCompile(`\(?github:([^\s;)]+(?: [^\s;)]+\.(?:json|xlsx|csv|ts|rda))?)\)?`)
)

// titles are the titles of publications, by their names in the sets.
var titles = strings.NewReplacer(
	// The file was revised on 10 July; 31 July is when the page of the publisher was.
	"flat file revised 31 July 2026 v1.2", "flat file v1.2 of 10 July 2026",
	"DESNZ 2026 flat file v1.2", "DESNZ, UK Government GHG conversion factors 2026, flat file v1.2 of 10 July 2026",
	"DESNZ GHG conversion factors ", "DESNZ, UK Government GHG conversion factors ",
	"DESNZ UK Government GHG conversion factors ", "DESNZ, UK Government GHG conversion factors ",
	"BEIS UK Government GHG conversion factors ", "BEIS, UK Government GHG conversion factors ",
)

// Cite parses the source of a row.
func Cite(source, location string) Citation {
	var read []string
	if m := readIn.FindStringSubmatch(source); m != nil {
		source, read = m[1], append(read, m[2])
	}
	for _, m := range repository.FindAllStringSubmatch(location, -1) {
		read = append(read, m[1])
	}
	place := repository.ReplaceAllString(location, "")
	place = strings.Trim(strings.Join(strings.Fields(strings.ReplaceAll(place, " ;", ";")), " "), " ;:,")
	return Citation{Publication: titles.Replace(source), Place: place, Transcription: strings.Join(read, "; ")}
}

// Located returns the place, and the transcription after it.
func (c Citation) Located() string {
	switch {
	case c.Transcription == "":
		return c.Place
	case c.Place == "":
		return "read in the transcription " + c.Transcription
	}
	return c.Place + "; read in the transcription " + c.Transcription
}
