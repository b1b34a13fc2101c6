package state

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Encode writes the state as the text of a file. Equal states give equal texts. Texts that are not UTF-8 are made so. It fails for times that no
// calendar has.
func Encode(s State) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	h := header{
		Format: format, Version: version, Taken: stampOf(s.Health.Taken),
		Overrides: len(s.Admin), Latches: len(s.Health.Latches), Sources: len(s.Sources), Checks: len(s.Health.Checks),
	}
	if err := e.Encode(h); err != nil {
		return nil, err
	}
	for _, standing := range s.Admin {
		if err := e.Encode(overrideLineOf(standing)); err != nil {
			return nil, fmt.Errorf("override of %s: %w", standing.Object, err)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.Health.Latches)) {
		if err := e.Encode(latchLine{key, s.Health.Latches[key]}); err != nil {
			return nil, fmt.Errorf("latch %s: %w", key, err)
		}
	}
	for _, source := range s.Sources {
		if err := e.Encode(sourceLineOf(source)); err != nil {
			return nil, fmt.Errorf("list of pool %s: %w", source.Key.Pool, err)
		}
	}
	for _, k := range s.Health.Checks {
		if err := e.Encode(checkLineOf(k, s.Health.Taken)); err != nil {
			return nil, fmt.Errorf("check %s: %w", k.Name, err)
		}
	}
	return append(b.Bytes(), sealOf(b.Bytes())...), nil
}

// sealOf is the last line: how many lines come before it, and their checksum. There is one way to write it, so that no bit of it can change.
func sealOf(lines []byte) []byte {
	sum := sha256.Sum256(lines)
	seal, err := json.Marshal(trailer{Lines: bytes.Count(lines, []byte("\n")), Checksum: hex.EncodeToString(sum[:])})
	if err != nil {
		panic(err) // a number and letters
	}
	return append(seal, '\n')
}
