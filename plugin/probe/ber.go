package probe

// berState is how much of an element has come.
type berState int

const (
	berWhole berState = iota
	berPart           // more must come
	berNone           // it is no such element
)

// element finds the content of the element at the beginning of text, and what stands behind it. Lengths are definite, in the short form or
// the long one of at most four bytes (RFC 4511, 5.1).
func element(text []byte, tag byte) (content, rest []byte, state berState) {
	if len(text) > 0 && text[0] != tag {
		return nil, nil, berNone
	}
	if len(text) < 2 {
		return nil, nil, berPart
	}
	length, at := int(text[1]), 2
	if length >= 0x80 {
		bytes := length & 0x7f
		if bytes == 0 || bytes > 4 {
			return nil, nil, berNone
		}
		if len(text) < at+bytes {
			return nil, nil, berPart
		}
		length = 0
		for _, b := range text[at : at+bytes] {
			length = length<<8 | int(b)
		}
		at += bytes
	}
	switch {
	case length > maxCompared:
		return nil, nil, berNone
	case len(text) < at+length:
		return nil, nil, berPart
	}
	return text[at : at+length], text[at+length:], berWhole
}
