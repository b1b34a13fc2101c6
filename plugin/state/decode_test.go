package state

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRoundTrip reads whatever is written.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := states().Draw(rt, "state")
		text := encoded(t, s)
		got, err := Decode(text)
		if err != nil || !reflect.DeepEqual(got, s) {
			rt.Fatalf("Expected %+v, got %+v, %v\n%s", s, got, err, text)
		}
		if again := encoded(t, got); !bytes.Equal(again, text) {
			rt.Fatalf("Expected the same text again, got\n%s\ninstead of\n%s", again, text)
		}
	})
}

// TestFormat holds the format still: a server has to read what earlier ones wrote.
func TestFormat(t *testing.T) {
	file := filepath.Join("testdata", fmt.Sprintf("version%d.state", version))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(text)
	if err != nil || !reflect.DeepEqual(got, sample()) {
		t.Errorf("Expected the sample, got %+v, %v", got, err)
	}
	if written := encoded(t, sample()); !bytes.Equal(written, text) {
		t.Errorf("Expected the text of %s, got\n%s", file, written)
	}
}

// TestEarlierFormats are read: what they have not is none.
func TestEarlierFormats(t *testing.T) {
	for version, want := range map[int]State{1: before(sample())} {
		text, err := os.ReadFile(filepath.Join("testdata", fmt.Sprintf("version%d.state", version)))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Decode(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("Expected of version %d %+v, got %+v, %v", version, want, got, err)
		}
	}
}

// TestTruncated refuses every beginning of a file.
func TestTruncated(t *testing.T) {
	text := encoded(t, sample())
	for n := range text {
		if s, err := Decode(text[:n]); err == nil || !reflect.DeepEqual(s, State{}) {
			t.Fatalf("Expected the first %d of %d bytes to be refused, got %+v, %v", n, len(text), s, err)
		} else if n > 0 && err.Error() != errTruncated.Error() && err.Error() != errDamaged.Error() {
			t.Fatalf("Expected the first %d bytes to be called damaged, got %v", n, err)
		}
	}
}

// TestFlipped refuses every file with one bit changed.
func TestFlipped(t *testing.T) {
	text := encoded(t, sample())
	for n := range text {
		for bit := range 8 {
			changed := bytes.Clone(text)
			changed[n] ^= 1 << bit
			if s, err := Decode(changed); err == nil || !reflect.DeepEqual(s, State{}) {
				t.Fatalf("Expected the file with bit %d of byte %d changed to be refused, got %+v\n%s", bit, n, s, changed)
			}
		}
	}
}

// sealed adds the last line to lines, so that it is not the checksum that refuses them.
func sealed(lines ...string) string {
	text := strings.Join(lines, "\n") + "\n"
	return text + string(sealOf([]byte(text)))
}

// TestRefused says in one line what is wrong.
func TestRefused(t *testing.T) {
	head := func(overrides, latches, checks int) string {
		return fmt.Sprintf(`{"format":"healthroute state","version":1,"taken":"2026-11-30T12:00:00Z","overrides":%d,"latches":%d,"checks":%d}`, overrides, latches, checks)
	}
	source := func(change, into string) string {
		return strings.Replace(`{"block":"b","zone":"z","pool":"p","source":"s","parts":[{"from":"f","targets":[{"address":"192.0.2.1","weight":1}]}]}`, change, into, 1)
	}
	list := func(line string) string {
		return sealed(`{"format":"healthroute state","version":2,"taken":"2026-11-30T12:00:00Z","overrides":0,"latches":0,"sources":1,"checks":0}`, line)
	}
	check := func(change, into string) string {
		return strings.Replace(`{"check":"a","identity":"00","status":"healthy","since":"2026-11-30T12:00:00Z","verdict":"up"}`, change, into, 1)
	}
	for name, tc := range map[string]struct{ text, want string }{
		"empty":             {"", "it is empty"},
		"text":              {"hello\n", "it is no state file of healthroute"},
		"text in one line":  {"hello", "it is no state file of healthroute"},
		"other JSON":        {`{"name":"x"}` + "\n", "it is no state file of healthroute"},
		"binary":            {"\x1f\x8b\x08\x00\x00", "it is no state file of healthroute"},
		"later":             {`{"format":"healthroute state","version":3,"more":1}` + "\nwhatever", "it is of version 3, from a later healthroute; this one knows up to version 2"},
		"earlier":           {`{"format":"healthroute state","version":0}` + "\n", "it is of version 0, which never was"},
		"cut in line 1":     {`{"format":"health`, "it is damaged: its end is missing"},
		"no last line":      {head(0, 0, 0) + "\n", "it is damaged: its end is missing"},
		"other checksum":    {strings.Replace(sealed(head(0, 0, 0)), "12:00", "13:00", 1), "it is damaged: the checksum does not fit"},
		"something behind":  {sealed(head(0, 0, 0)) + "\n", "it is damaged: its end is missing"},
		"too few lines":     {sealed(head(0, 1, 0)), "it is damaged: line 2: fewer lines than the first one says"},
		"too many lines":    {sealed(head(0, 0, 0), "{}"), "it is damaged: line 1: more lines than the first one says"},
		"unknown field":     {sealed(head(0, 1, 0), `{"lunch":1}`), `it is damaged: line 2: json: unknown field "lunch"`},
		"two values":        {sealed(head(0, 1, 0), `{"latch":"a","rank":1} {}`), "it is damaged: line 2: more than one value"},
		"unknown status":    {sealed(head(0, 0, 1), check("healthy", "fine")), `it is damaged: line 2: unknown word "fine"`},
		"unknown verdict":   {sealed(head(0, 0, 1), check(`"up"`, `"fine"`)), `it is damaged: line 2: unknown word "fine"`},
		"impossible counts": {sealed(head(0, 0, 1), check(`"up"`, `"up","passes":1,"fails":2`)), "it is damaged: line 2: 1 passes and 2 failures in a row"},
		"negative count":    {sealed(head(0, 0, 1), check(`"up"`, `"up","passes":-1`)), "it is damaged: line 2: -1 passes and 0 failures in a row"},
		"latch of rank 0":   {sealed(head(0, 1, 0), `{"latch":"a","rank":0}`), "it is damaged: line 2: latch of rank 0"},
		"no attempt":        {sealed(head(0, 0, 1), check(`"up"`, `"up","last":{"outcome":"pass"}`)), "it is damaged: line 2: an attempt at no time"},
		"other zone":        {sealed(head(0, 0, 1), check("Z", "+01:00")), `it is damaged: line 2: time "2026-11-30T12:00:00+01:00" is not in UTC`},
		"unknown state":     {sealed(head(1, 0, 0), `{"kind":"group","name":"a","state":"odd","since":"2026-11-30T12:00:00Z"}`), `it is damaged: line 2: unknown admin state "odd"`},
		"unknown kind":      {sealed(head(1, 0, 0), `{"kind":"odd","name":"a","state":"always","since":"2026-11-30T12:00:00Z"}`), `it is damaged: line 2: unknown kind "odd"`},
		"no address":        {list(source("192.0.2.1", "0.0.0.0")), `it is damaged: line 2: "0.0.0.0" is no address of a target`},
		"a zone":            {list(source("192.0.2.1", "fe80::1%eth0")), `it is damaged: line 2: "fe80::1%eth0" is no address of a target`},
		"odd weight":        {list(source(`"weight":1`, `"weight":-1`)), "it is damaged: line 2: weight -1"},
		"no targets":        {list(source(`{"address":"192.0.2.1","weight":1}`, "")), "it is damaged: line 2: a source without targets"},
		"no parts":          {list(`{"block":"b","zone":"z","pool":"p","source":"s","parts":[]}`), "it is damaged: line 2: a source without targets"},
		"unknown beneath": {
			sealed(head(1, 0, 0), `{"kind":"group","name":"a","state":"disabled","since":"2026-11-30T12:00:00Z","under":{"state":"odd","since":"2026-11-30T12:00:00Z"}}`),
			`it is damaged: line 2: unknown admin state "odd"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Decode([]byte(tc.text))
			if err == nil || err.Error() != tc.want {
				t.Errorf("Expected the error %q, got %v", tc.want, err)
			}
			if !reflect.DeepEqual(s, State{}) {
				t.Errorf("Expected nothing of the file, got %+v", s)
			}
		})
	}
	for _, text := range []string{sealed(head(0, 0, 1), check("", "")), list(source("", ""))} {
		if _, err := Decode([]byte(text)); err != nil {
			t.Errorf("Expected the line of the cases above to be good, got %v", err)
		}
	}
}

// FuzzDecode takes a file whole or not at all, whatever it is, and what it takes it can write. The last line is made right for each text, or the
// checksum would refuse all of them.
func FuzzDecode(f *testing.F) {
	text := encoded(f, sample())
	f.Add(text, false)
	f.Add(text[:bytes.LastIndexByte(text[:len(text)-1], '\n')+1], true)
	f.Add([]byte(`{"format":"healthroute state","version":1,"taken":"2026-11-30T12:00:00Z","overrides":0,"latches":9999999999,"checks":0}`+"\n"), true)
	f.Fuzz(func(t *testing.T, text []byte, seal bool) {
		if seal {
			text = append(bytes.Clone(text), sealOf(text)...)
		}
		s, err := Decode(text)
		if err != nil {
			if !reflect.DeepEqual(s, State{}) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("Expected nothing and one line, got %+v, %v", s, err)
			}
			return
		}
		again, err := Decode(encoded(t, s))
		if err != nil || !reflect.DeepEqual(again, s) {
			t.Fatalf("Expected %+v again, got %+v, %v", s, again, err)
		}
	})
}
