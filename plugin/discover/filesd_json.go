package discover

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/healthroute/healthroute/plugin/config"
)

// json reads the list token by token, so that a list that is too long costs no more than one that is not.
func (p *fileParser) json(data []byte) {
	r := &jsonReader{fileParser: p, data: data, decoder: json.NewDecoder(bytes.NewReader(data)), line: 1}
	r.decoder.UseNumber()
	if !r.open('[', "the file") {
		return
	}
	for number := 1; r.decoder.More(); number++ {
		if !r.group(number) {
			return
		}
	}
	if _, ok := r.next(); !ok {
		return
	}
	if _, err := r.decoder.Token(); !errors.Is(err, io.EOF) {
		r.stop(r.here(), "there is more behind the list", "one list")
	}
}

// jsonReader goes through the tokens of a file. Its methods report whether reading goes on; if not, the fault is noted.
type jsonReader struct {
	*fileParser
	data    []byte
	decoder *json.Decoder
	counted int // bytes of data whose lines were counted
	line    int // of the byte behind those
}

// here is the line on which the last token ended. No token goes over several lines.
func (r *jsonReader) here() int {
	end := min(int(r.decoder.InputOffset()), len(r.data))
	r.line += bytes.Count(r.data[r.counted:end], []byte("\n"))
	r.counted = end
	return r.line
}

// next reads a token.
func (r *jsonReader) next() (json.Token, bool) {
	token, err := r.decoder.Token()
	if err == nil {
		return token, true
	}
	line := r.here()
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		line += bytes.Count(r.data[r.counted:], []byte("\n"))
		r.stop(line, "the file ends in the middle of the list", "a whole one")
	case errors.As(err, &syntax):
		end := min(max(int(syntax.Offset), r.counted), len(r.data)) // what was skipped before the bad byte may have had lines
		r.stop(line+bytes.Count(r.data[r.counted:end], []byte("\n")), "this is not JSON: "+syntax.Error(), expectedList)
	default:
		r.stop(line, "this is not JSON: "+err.Error(), expectedList)
	}
	return nil, false
}

// open reads the beginning of a list or an object.
func (r *jsonReader) open(delimiter json.Delim, what string) bool {
	token, ok := r.next()
	if ok && token != delimiter {
		r.stop(r.here(), what+" is "+kindOf(token), kindOf(delimiter))
		return false
	}
	return ok
}

// group reads an item of the list.
func (r *jsonReader) group(number int) bool {
	g := &group{number: number}
	if !r.open('{', fmt.Sprintf("group %d", number)) {
		return false
	}
	read := map[string]bool{}
	for r.decoder.More() {
		token, ok := r.next()
		if !ok {
			return false
		}
		key, _ := token.(string) // nothing else can be a key
		if read[key] {
			r.stop(r.here(), fmt.Sprintf("group %d has %s twice", number, quote(key)), expectedGroup+", once")
			return false
		}
		read[key] = true
		switch key {
		case "targets":
			ok = r.targets(g)
		case "labels":
			ok = r.labels(g)
		default:
			ok = r.unknownKey(number, r.here(), key)
		}
		if !ok {
			return false
		}
	}
	if _, ok := r.next(); !ok {
		return false
	}
	r.close(g)
	return true
}

// unknownKey refuses a key that no group has.
func (p *fileParser) unknownKey(number, line int, key string) bool {
	p.stop(line, fmt.Sprintf("group %d has an unknown key %s", number, quote(key)), expectedGroup)
	p.problems[len(p.problems)-1].Nearest = config.Nearest(key, groupKeys)
	return false
}

func (r *jsonReader) targets(g *group) bool {
	token, ok := r.next()
	switch {
	case !ok:
		return false
	case token == nil: // Prometheus takes null for an empty list
		return true
	case token != json.Delim('['):
		r.stop(r.here(), fmt.Sprintf("targets of group %d are %s", g.number, kindOf(token)), "a list of addresses")
		return false
	}
	for r.decoder.More() {
		token, ok := r.next()
		if !ok {
			return false
		}
		text, isText := token.(string)
		if !isText {
			r.stop(r.here(), fmt.Sprintf("group %d, target %d is %s", g.number, len(g.targets)+1, kindOf(token)), "a string: "+expectedTarget)
			return false
		}
		if !r.target(g, text, r.here()) {
			return false
		}
	}
	_, ok = r.next()
	return ok
}

func (r *jsonReader) labels(g *group) bool {
	token, ok := r.next()
	switch {
	case !ok:
		return false
	case token == nil:
		return true
	case token != json.Delim('{'):
		r.stop(r.here(), fmt.Sprintf("labels of group %d are %s", g.number, kindOf(token)), `an object {"site": "a"}`)
		return false
	}
	for r.decoder.More() {
		name, ok := r.next()
		if !ok {
			return false
		}
		value, ok := r.next()
		if !ok {
			return false
		}
		word, _ := name.(string)
		switch value := value.(type) {
		case json.Delim:
			r.stop(r.here(), fmt.Sprintf("label %s of group %d is %s", quote(word), g.number, kindOf(value)), "a string")
			return false
		case string:
			r.label(g, word, value, r.here())
		case json.Number:
			r.label(g, word, value.String(), r.here())
		case bool:
			r.label(g, word, strconv.FormatBool(value), r.here())
		}
	}
	_, ok = r.next()
	return ok
}

// kindOf names the kind of a token for a message.
func kindOf(token json.Token) string {
	switch token := token.(type) {
	case json.Delim:
		if token == '[' || token == ']' {
			return "a list"
		}
		return "an object"
	case string:
		return "the string " + quote(token)
	case json.Number:
		return "the number " + quote(token.String())
	case bool:
		return strconv.FormatBool(token)
	}
	return "null"
}
