package xlsx

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// format is how cells show a number, as far as it determines what the number is.
type format struct {
	kind kind
	// shown is the text shown next to the number, such as "t", "€" or "GBP".
	shown string
	// digits is how many the number has at least, with zeros before it, where it is shown as
	// digits alone, as postcodes are.
	digits int
}

// kind is the kind of a format.
type kind uint8

const (
	plain   kind = iota
	percent      // 10% is kept as 0.1
	moment       // a day or a time is kept as the days since an epoch
	elapsed      // a duration is kept as days, and shown in hours, minutes or seconds that count on beyond a day
)

// formats returns the formats of cells by their style.
func (a *archive) formats(part string) ([]format, error) {
	if a.parts[nameOf(part)] == nil {
		return nil, nil
	}
	own, cells, of := map[string]string{}, false, []format(nil)
	err := a.each(part, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			own[attr(e, "numFmtId")] = attr(e, "formatCode")
		case "cellStyleXfs", "dxfs":
			cells = false
		case "cellXfs":
			cells = true
		case "xf":
			if cells {
				of = append(of, formatOf(attr(e, "numFmtId"), own))
			}
		}
		return nil
	})
	return of, err
}

// formatOf returns a number format: one of the workbook's own, or a built-in one (ECMA-376 part 1, §18.8.30).
func formatOf(id string, own map[string]string) format {
	if code, ok := own[id]; ok {
		return formatBy(code)
	}
	switch n, err := strconv.Atoi(id); {
	case err != nil:
	case n == 9 || n == 10:
		return format{kind: percent}
	case n == 46:
		return format{kind: elapsed}
	case 14 <= n && n <= 22, 27 <= n && n <= 36, 45 <= n && n <= 47, 50 <= n && n <= 58:
		return format{kind: moment}
	}
	return format{}
}

// formatBy returns the format that a code describes: its first section.
func formatBy(code string) format {
	var texts, number strings.Builder
	for i := 0; i < len(code); i++ {
		switch b := code[i]; b {
		case ';':
			return shownAs(texts.String(), number.String())
		case '%':
			return format{kind: percent}
		case '_', '*': // the next character is left out, or fills the cell
			i++
		case '\\': // the next one is shown
			if i++; i < len(code) {
				texts.WriteByte(code[i])
			}
		case '"':
			end := strings.IndexByte(code[i+1:], '"')
			if end < 0 {
				return format{}
			}
			texts.WriteString(code[i+1 : i+1+end])
			i += end + 1
		case '[':
			end := strings.IndexByte(code[i:], ']')
			if end < 0 {
				return format{}
			}
			within := code[i+1 : i+end]
			if strings.Trim(strings.ToLower(within), "hms") == "" {
				return format{kind: elapsed}
			}
			if currency, ok := strings.CutPrefix(within, "$"); ok { // else a colour, or a condition
				currency, _, _ = strings.Cut(currency, "-")
				texts.WriteString(currency)
			}
			i += end
		case 'd', 'D', 'm', 'M', 'y', 'Y', 'h', 'H', 's', 'S':
			return format{kind: moment}
		case 'G', 'g': // General
			if len(code) >= i+7 && strings.EqualFold(code[i:i+7], "General") {
				i += 6
			}
		case '$':
			texts.WriteByte(b)
		default:
			if b >= 0x80 { // a sign such as €
				texts.WriteByte(b)
			} else if b != ' ' {
				number.WriteByte(b)
			}
		}
	}
	return shownAs(texts.String(), number.String())
}

// shownAs returns the format of a plain number from the texts and the digits of its code.
func shownAs(texts, number string) format {
	if strings.HasSuffix(number, ",") {
		return format{} // the number is shown as thousands, and is kept as it is
	}
	f := format{shown: strings.TrimSpace(texts)}
	if len(number) > 1 && strings.Trim(number, "0") == "" {
		f.digits = len(number)
	}
	return f
}
