package units

import (
	"strings"
	"time"
	"unicode"
)

// months are the names and abbreviations of months, in lower case, as dates have them: in English, German and French first, then in
// other languages. Left out is what is another month in another of them: listopada is November in Polish, October in Croatian.
var months = map[string]time.Month{
	"jan": 1, "january": 1, "januar": 1, "jänner": 1, "janvier": 1, "feb": 2, "february": 2, "februar": 2, "février": 2,
	"mar": 3, "march": 3, "märz": 3, "mär": 3, "mrz": 3, "maerz": 3, "mars": 3, "apr": 4, "april": 4, "avril": 4, "may": 5, "mai": 5,
	"jun": 6, "june": 6, "juni": 6, "juin": 6, "jul": 7, "july": 7, "juli": 7, "juillet": 7, "aug": 8, "august": 8, "août": 8,
	"sep": 9, "sept": 9, "september": 9, "septembre": 9, "oct": 10, "october": 10, "okt": 10, "oktober": 10, "octobre": 10,
	"nov": 11, "november": 11, "novembre": 11, "dec": 12, "december": 12, "dez": 12, "dezember": 12, "décembre": 12,
	"januari": 1, "februari": 2, "maart": 3, "mei": 5, "augustus": 8,
	"enero": 1, "febrero": 2, "marzo": 3, "abril": 4, "mayo": 5, "junio": 6, "julio": 7, "agosto": 8, "septiembre": 9, "octubre": 10, "noviembre": 11, "diciembre": 12,
	"gennaio": 1, "febbraio": 2, "aprile": 4, "maggio": 5, "giugno": 6, "luglio": 7, "settembre": 9, "ottobre": 10, "dicembre": 12,
	"janeiro": 1, "fevereiro": 2, "março": 3, "maio": 5, "junho": 6, "julho": 7, "setembro": 9, "outubro": 10, "novembro": 11, "dezembro": 12,
	"marts": 3, "maj": 5, "augusti": 8,
	"tammikuuta": 1, "helmikuuta": 2, "maaliskuuta": 3, "huhtikuuta": 4, "toukokuuta": 5, "kesäkuuta": 6, "heinäkuuta": 7, "elokuuta": 8, "syyskuuta": 9, "lokakuuta": 10, "marraskuuta": 11, "joulukuuta": 12,
	"stycznia": 1, "lutego": 2, "marca": 3, "kwietnia": 4, "maja": 5, "czerwca": 6, "lipca": 7, "sierpnia": 8, "września": 9, "października": 10, "grudnia": 12,
	"ledna": 1, "února": 2, "března": 3, "dubna": 4, "května": 5, "června": 6, "července": 7, "srpna": 8, "září": 9, "října": 10, "listopadu": 11, "prosince": 12,
	"január": 1, "február": 2, "március": 3, "április": 4, "május": 5, "június": 6, "július": 7, "augusztus": 8, "szeptember": 9, "október": 10,
	"ocak": 1, "şubat": 2, "mart": 3, "nisan": 4, "mayıs": 5, "haziran": 6, "temmuz": 7, "ağustos": 8, "eylül": 9, "ekim": 10, "kasım": 11, "aralık": 12,
	"ianuarie": 1, "februarie": 2, "martie": 3, "aprilie": 4, "iunie": 6, "iulie": 7, "septembrie": 9, "octombrie": 10, "noiembrie": 11, "decembrie": 12,
	"ιανουαρίου": 1, "φεβρουαρίου": 2, "μαρτίου": 3, "απριλίου": 4, "μαΐου": 5, "ιουνίου": 6, "ιουλίου": 7, "αυγούστου": 8, "σεπτεμβρίου": 9, "οκτωβρίου": 10, "νοεμβρίου": 11, "δεκεμβρίου": 12,
}

// besideDates are words in dates without further meaning.
var besideDates = map[string]bool{
	"st": true, "nd": true, "rd": true, "th": true, "er": true, "of": true,
	"mon": true, "tue": true, "tues": true, "wed": true, "thu": true, "thur": true, "thurs": true, "fri": true, "sat": true, "sun": true,
	"monday": true, "tuesday": true, "wednesday": true, "thursday": true, "friday": true, "saturday": true, "sunday": true,
	"mo": true, "di": true, "mi": true, "do": true, "fr": true, "sa": true, "so": true,
	"montag": true, "dienstag": true, "mittwoch": true, "donnerstag": true, "freitag": true, "samstag": true, "sonnabend": true, "sonntag": true,
	"lundi": true, "mardi": true, "mercredi": true, "jeudi": true, "vendredi": true, "samedi": true, "dimanche": true,
	"de": true, "del": true, "d": true, "den": true, "dne": true,
	"lunes": true, "martes": true, "miércoles": true, "jueves": true, "viernes": true, "sábado": true, "domingo": true,
	"lunedì": true, "martedì": true, "mercoledì": true, "giovedì": true, "venerdì": true, "sabato": true, "domenica": true,
	"maandag": true, "dinsdag": true, "woensdag": true, "donderdag": true, "vrijdag": true, "zaterdag": true, "zondag": true,
}

// withMonth parses a day with a month name, such as 2 Sep 2026, 2. September 2026, Sep 2, 2026 or 02SEP2026. A year
// of two digits comes last, as spreadsheet programs write 2-Sep-26, and is in this century.
func withMonth(text string) (day string, ok bool) {
	var numbers []string
	var month time.Month
	before := 0 // number of numbers before the month
	for _, part := range runs(strings.ToLower(text)) {
		switch m := months[part]; {
		case part[0] >= '0' && part[0] <= '9':
			numbers = append(numbers, part)
		case m != 0 && month == 0:
			month, before = m, len(numbers)
		case !besideDates[part]:
			return "", false
		}
	}
	if month == 0 || len(numbers) != 2 {
		return "", false
	}
	d, year := numbers[0], numbers[1]
	switch {
	case len(year) == 4:
	case len(d) == 4 && before == 1:
		d, year = year, d
	case len(year) == 2 && before == 1:
		year = "20" + year
	default:
		return "", false
	}
	t, err := time.Parse("2 January 2006", d+" "+month.String()+" "+year)
	if err != nil || t.Year() < 1 {
		return "", false
	}
	return t.Format(time.DateOnly), true
}

// runs returns the words and the numbers of a text; a text with other characters than date separators is returned
// whole.
func runs(text string) (out []string) {
	if strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && (r < '0' || r > '9') && !strings.ContainsRune(" .,-/'\u00a0", r)
	}) || text == "" {
		return []string{"?"}
	}
	kind := func(r rune) int {
		switch {
		case r >= '0' && r <= '9':
			return 1
		case unicode.IsLetter(r):
			return 2
		}
		return 0
	}
	last, start := 0, 0
	for i, r := range text {
		k := kind(r)
		if k == last {
			continue
		}
		if last != 0 {
			out = append(out, text[start:i])
		}
		last, start = k, i
	}
	if last != 0 {
		out = append(out, text[start:])
	}
	if len(out) == 0 {
		return []string{"?"}
	}
	return out
}
