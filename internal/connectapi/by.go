package connectapi

import (
	"strings"
	"unicode"
)

const agentMost = 80 // bytes of a program's name that are kept

// by is who makes the request: a name only where it was verified, the address,
// and the program by its own account.
func (c *call) by() string {
	var who []string
	if name, _, given := c.r.BasicAuth(); given && c.Named {
		who = append(who, name)
	}
	if c.r.TLS != nil && len(c.r.TLS.VerifiedChains) > 0 {
		who = append(who, c.r.TLS.VerifiedChains[0][0].Subject.String())
	}
	who = append(who, "from "+c.r.RemoteAddr)
	if agent := printable(c.r.UserAgent()); agent != "" {
		who = append(who, "by "+agent)
	}
	return strings.Join(who, " ")
}

func printable(text string) string {
	text = text[:min(len(text), agentMost)]
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
}
