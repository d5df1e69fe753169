package xlsx

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// format is how cells show a number, as far as that says what the number is.
type format uint8

const (
	plain   format = iota
	percent        // 10% is kept as 0.1
	moment         // a day or a time is kept as the days since an epoch
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

// formatOf returns the format of a number: one of a workbook's own, or one that the standard
// knows (ECMA-376 part 1, §18.8.30).
func formatOf(id string, own map[string]string) format {
	if code, ok := own[id]; ok {
		return formatBy(code)
	}
	switch n, err := strconv.Atoi(id); {
	case err != nil:
		return plain
	case n == 9 || n == 10:
		return percent
	case 14 <= n && n <= 22, 27 <= n && n <= 36, 45 <= n && n <= 47, 50 <= n && n <= 58:
		return moment
	}
	return plain
}

// formatBy returns the format that a code describes: its first section, without texts.
func formatBy(code string) format {
	for i := 0; i < len(code); i++ {
		switch b := code[i]; b {
		case ';':
			return plain
		case '%':
			return percent
		case '\\', '_', '*': // the next character is shown, or left out
			i++
		case '"':
			end := strings.IndexByte(code[i+1:], '"')
			if end < 0 {
				return plain
			}
			i += end + 1
		case '[':
			end := strings.IndexByte(code[i:], ']')
			if end < 0 {
				return plain
			}
			if strings.Trim(strings.ToLower(code[i+1:i+end]), "hms") == "" {
				return moment // [h] counts on beyond a day
			}
			i += end // a colour, a condition, a currency
		case 'd', 'D', 'm', 'M', 'y', 'Y', 'h', 'H', 's', 'S':
			return moment
		case 'G', 'g': // General
			if len(code) >= i+7 && strings.EqualFold(code[i:i+7], "General") {
				i += 6
			}
		}
	}
	return plain
}
