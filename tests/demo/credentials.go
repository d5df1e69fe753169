package demo

import (
	"fmt"
	"os"
	"strings"
)

// Account holds login credentials.
type Account struct{ Email, Password string }

// Credentials are the accounts of the demo organization, by role.
type Credentials struct {
	URL      string
	Accounts map[string]Account
}

// ReadCredentials reads the file that the server writes when it creates the demo
// organization. Its lines are
//
//	url http://127.0.0.1:8080
//	<role> <email> <password>
func ReadCredentials(path string) (Credentials, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Credentials{}, err
	}
	c := Credentials{Accounts: map[string]Account{}}
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.SplitN(line, " ", 3) // a password may contain spaces
		switch {
		case words[0] == "url" && len(words) == 2:
			c.URL = words[1]
		case words[0] != "url" && len(words) == 3:
			c.Accounts[words[0]] = Account{words[1], words[2]}
		default:
			// The line may contain a password, so it is not shown.
			return Credentials{}, fmt.Errorf("%s: line %d is not understood", path, i+1)
		}
	}
	return c, nil
}
