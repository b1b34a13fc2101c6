package probe

import (
	"bytes"
	"slices"
	"strings"
)

// The services here speak in lines that end in CRLF; a lone LF ends one too.

// redis answers an inline PING (Redis serialization protocol, inline commands). A server that wants a password first, or that serves
// others only, works as well; one that still loads its data or is busy does not.
var redis = greeting{
	server: redisServer,
	hello:  "PING\r\n",
	judge: func(reply []byte) (bool, *finding) {
		if !begins(reply, "+PONG") && !begins(reply, "-") {
			return stranger(redisServer, reply)
		}
		line, whole := firstLine(reply)
		switch {
		case !whole:
			return false, nil
		case string(line) == "+PONG":
			return true, nil
		case slices.Contains([]string{"-NOAUTH", "-NOPERM", "-DENIED"}, firstWord(line)):
			return true, nil
		case firstWord(line) == "-"+strings.ToUpper(firstWord(line)[1:]) && len(firstWord(line)) > 1:
			return refusal(line)
		}
		return stranger(redisServer, reply)
	},
}

// smtp opens with 220, on several lines if it likes (RFC 5321, 3.1 and 4.2); 554 and 421 are its ways to say no.
var smtp = greeting{
	server: smtpServer,
	judge: func(reply []byte) (bool, *finding) {
		for rest := reply; ; {
			if !begins(rest, "220") && !begins(rest, "421") && !begins(rest, "554") {
				return stranger(smtpServer, reply)
			}
			line, whole := firstLine(rest)
			switch {
			case !whole:
				return false, nil
			case line[0] != '2':
				return refusal(line)
			case len(line) == 3 || line[3] == ' ':
				return true, nil
			case line[3] != '-':
				return stranger(smtpServer, reply)
			}
			if _, rest, _ = bytes.Cut(rest, []byte("\n")); len(rest) == 0 {
				return false, nil
			}
		}
	},
	bye: "QUIT\r\n",
}

// imap opens with OK, with PREAUTH where the connection is known already, or with BYE (RFC 9051, 7.1).
var imap = greeting{
	server: imapServer,
	judge: func(reply []byte) (bool, *finding) {
		if !begins(reply, "* ") {
			return stranger(imapServer, reply)
		}
		line, whole := firstLine(reply)
		if !whole {
			return false, nil
		}
		switch word := strings.ToUpper(firstWord(line[2:])); word {
		case "OK", "PREAUTH":
			return true, nil
		case "BYE":
			return refusal(line)
		}
		return stranger(imapServer, reply)
	},
	bye: "a LOGOUT\r\n",
}

// begins reports whether the reply begins with the text, as far as it has come.
func begins(reply []byte, text string) bool {
	n := min(len(reply), len(text))
	return string(reply[:n]) == text[:n]
}

// firstLine is the reply up to its first line end, and whether that has come.
func firstLine(reply []byte) (line []byte, whole bool) {
	line, _, whole = bytes.Cut(reply, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), whole
}

func firstWord(line []byte) string {
	word, _, _ := bytes.Cut(line, []byte(" "))
	return string(word)
}
