package discover

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A YAML text becomes a tree before anything can be said of it, some 300 bytes a part. Parts are counted first, so that a list that is
// too long by far is refused without a tree of it.
const (
	partsPerTarget = 64 // enough for a group of its own with twenty labels
	partsBeside    = 1000
	maxParts       = 2_000_000
)

// yaml reads the list from a tree. Anchors and aliases may be used, merge keys (<<) not.
func (p *fileParser) yaml(data []byte) {
	most := min(maxParts, p.limit*partsPerTarget+partsBeside)
	parts := bytes.Count(data, []byte("\n")) + bytes.Count(data, []byte(",")) + bytes.Count(data, []byte("- "))
	if parts > most {
		p.stop(0, fmt.Sprintf("the file has %d lines and items", parts),
			fmt.Sprintf("at most %d in YAML where the pool's `limit` is %d; JSON can be longer", most, p.limit))
		return
	}
	list, ok := p.tree(data)
	if !ok {
		return
	}
	r := &yamlReader{fileParser: p, left: most}
	items, ok := r.content(list, yaml.SequenceNode, "the file is", expectedList)
	for i := 0; ok && i < len(items); i++ {
		ok = r.group(i+1, items[i])
	}
}

// tree parses the text, which should be one document.
func (p *fileParser) tree(data []byte) (top *yaml.Node, ok bool) {
	defer func() {
		// The library says "internal error, please report" in this way. No text should take the server along.
		if fault := recover(); fault != nil {
			p.stop(0, fmt.Sprintf("this cannot be read as YAML: %v", fault), expectedList)
			top, ok = nil, false
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		p.stop(1, "the file has comments only", expectedList+", or [] if there are no targets")
		return nil, false
	case err != nil:
		p.notYAML(err)
		return nil, false
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		p.stop(second.Line, "a second document begins", "one list")
		return nil, false
	case !errors.Is(err, io.EOF):
		p.notYAML(err)
		return nil, false
	}
	return document.Content[0], true
}

// notYAML takes over an error of the library: "yaml: line 3: what is wrong".
func (p *fileParser) notYAML(err error) {
	text, line := strings.TrimPrefix(err.Error(), "yaml: "), 1
	if number, rest, found := strings.Cut(strings.TrimPrefix(text, "line "), ": "); found {
		if n, err := strconv.Atoi(number); err == nil {
			line, text = n, rest
		}
	}
	p.stop(line, "this is not YAML: "+text, expectedList)
}

// yamlReader goes through a tree. Its methods report whether reading goes on; if not, the fault is noted.
type yamlReader struct {
	*fileParser
	left int // nodes that may still be looked at: with aliases a short text can have very many
}

// follow returns what stands behind aliases.
func (r *yamlReader) follow(n *yaml.Node) *yaml.Node {
	r.left--
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// content returns the items of a list, or the keys and values of a mapping.
func (r *yamlReader) content(n *yaml.Node, kind yaml.Kind, what, expected string) ([]*yaml.Node, bool) {
	behind := r.follow(n)
	switch {
	case r.left < 0:
		r.stop(n.Line, "aliases make the file too long", "a shorter one")
		return nil, false
	case behind.Kind == kind:
		return behind.Content, true
	}
	r.stop(n.Line, what+" "+nodeKind(behind), expected)
	return nil, false
}

// group reads an item of the list.
func (r *yamlReader) group(number int, n *yaml.Node) bool {
	g := &group{number: number}
	content, ok := r.content(n, yaml.MappingNode, fmt.Sprintf("group %d is", number), "a mapping with "+expectedGroup)
	if !ok {
		return false
	}
	read := map[string]bool{}
	for i := 0; i+1 < len(content); i += 2 {
		key, value := r.follow(content[i]), r.follow(content[i+1])
		switch {
		case read[key.Value]:
			r.stop(key.Line, fmt.Sprintf("group %d has %s twice", number, quote(key.Value)), expectedGroup+", once")
			return false
		case isNull(value) && slices.Contains(groupKeys, key.Value): // Prometheus takes null for an empty one
		case key.Value == "targets":
			ok = r.targets(g, value)
		case key.Value == "labels":
			ok = r.labels(g, value)
		default:
			ok = r.unknownKey(number, key.Line, key.Value)
		}
		if !ok {
			return false
		}
		read[key.Value] = true
	}
	r.close(g)
	return true
}

func (r *yamlReader) targets(g *group, n *yaml.Node) bool {
	items, ok := r.content(n, yaml.SequenceNode, fmt.Sprintf("targets of group %d are", g.number), "a list of addresses")
	for i := 0; ok && i < len(items); i++ {
		target := r.follow(items[i])
		if target.Kind != yaml.ScalarNode {
			r.stop(items[i].Line, fmt.Sprintf("group %d, target %d is %s", g.number, i+1, nodeKind(target)), expectedTarget)
			return false
		}
		ok = r.target(g, target.Value, items[i].Line)
	}
	return ok
}

func (r *yamlReader) labels(g *group, n *yaml.Node) bool {
	content, ok := r.content(n, yaml.MappingNode, fmt.Sprintf("labels of group %d are", g.number), "a mapping as {site: a}")
	for i := 0; ok && i+1 < len(content); i += 2 {
		name, value := r.follow(content[i]), r.follow(content[i+1])
		switch {
		case name.Tag == "!!merge":
			r.stop(name.Line, fmt.Sprintf("labels of group %d have a merge key", g.number), "the labels themselves, or an alias for all of them")
			return false
		case r.left < 0:
			r.stop(name.Line, "aliases make the file too long", "a shorter one")
			return false
		case value.Kind != yaml.ScalarNode:
			r.stop(name.Line, fmt.Sprintf("label %s of group %d is %s", quote(name.Value), g.number, nodeKind(value)), "a string")
			return false
		case !isNull(value):
			r.label(g, name.Value, value.Value, content[i+1].Line)
		}
	}
	return ok
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// nodeKind names the kind of a node for a message.
func nodeKind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "a mapping"
	case yaml.ScalarNode:
		if isNull(n) {
			return "null"
		}
		return "the word " + quote(n.Value)
	}
	return "something else"
}
