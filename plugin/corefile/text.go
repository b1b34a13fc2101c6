package corefile

import (
	"fmt"
	"strconv"
	"strings"
)

// unescape reads the TEXT of `send`: \r \n \t \\ and \xNN stand for bytes, everything else for itself.
func unescape(text string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			b.WriteByte(text[i])
			continue
		}
		i++
		if i == len(text) {
			return "", fmt.Errorf(`"\\" at the end of the text`)
		}
		switch text[i] {
		case 'r':
			b.WriteByte('\r')
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case '\\':
			b.WriteByte('\\')
		case 'x':
			digits := text[i+1 : min(i+3, len(text))]
			n, err := strconv.ParseUint(digits, 16, 8)
			if err != nil || len(digits) < 2 {
				return "", fmt.Errorf(`escape "\\x%s" without two hexadecimal digits`, digits)
			}
			b.WriteByte(byte(n))
			i += 2
		default:
			return "", fmt.Errorf("unknown escape %q", text[i-1:i+1])
		}
	}
	return b.String(), nil
}

// escape writes bytes so that unescape reads them. Of the printable ones it escapes those that the Corefile itself
// would change: a quote, and braces, which may be read as a variable or a block.
func escape(bytes string) string {
	var b strings.Builder
	for _, c := range []byte(bytes) {
		switch {
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\\':
			b.WriteString(`\\`)
		case c < ' ' || c > '~' || strings.IndexByte(`"{}`, c) >= 0:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
