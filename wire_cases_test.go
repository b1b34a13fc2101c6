package healthroute

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// dropped is the code of a packet that gets no answer.
const dropped = -1

// wireCase is a packet and the code of the reply.
type wireCase struct {
	name   string
	packet []byte
	rcode  int
}

// wireCases are packets that no honest asker sends, and some that one may.
var wireCases = func() []wireCase {
	header := func(bits uint16, counts ...uint16) []byte {
		packet := binary.BigEndian.AppendUint16([]byte{0x12, 0x34}, bits)
		for i := range 4 {
			packet = binary.BigEndian.AppendUint16(packet, append(counts, 0, 0, 0, 0)[i])
		}
		return packet
	}
	www := []byte("\x03www\x07example\x03org\x00\x00\x01\x00\x01")
	join := func(parts ...any) []byte {
		var packet []byte
		for _, part := range parts {
			switch part := part.(type) {
			case []byte:
				packet = append(packet, part...)
			case string:
				packet = append(packet, part...)
			}
		}
		return packet
	}
	// opt is an OPT record with a size, a version and options.
	opt := func(size uint16, version byte, rdata string) string {
		return string(join("\x00\x00\x29", binary.BigEndian.AppendUint16(nil, size), "\x00"+string(version)+"\x00\x00",
			binary.BigEndian.AppendUint16(nil, uint16(len(rdata))), rdata))
	}
	option := func(code uint16, content string) string {
		return string(join(binary.BigEndian.AppendUint16(nil, code), binary.BigEndian.AppendUint16(nil, uint16(len(content))), content))
	}
	asked := func(name string) []byte { return join(header(0, 1), name, "\x00\x01\x00\x01") }
	const example = "\x07example\x03org\x00"
	label := func(n int) string { return string(rune(n)) + strings.Repeat("x", n) }
	longest := label(63) + label(63) + label(63) + label(49) // with example.org. it is 255 bytes
	cases := []wireCase{
		{"nothing", nil, dropped},
		{"one byte", []byte{1}, dropped},
		{"a header alone, counting no question", header(0), dns.RcodeFormatError},
		{"a header alone, counting one", header(0, 1), dns.RcodeServerFailure},
		{"no question, and an OPT", join(header(0, 0, 0, 0, 1), opt(1232, 0, "")), dns.RcodeFormatError},
		{"two questions", join(header(0, 2), www, www), dns.RcodeFormatError},
		{"65535 questions", join(header(0, 65535), www), dns.RcodeFormatError},
		{"counts of records that are not there", join(header(0, 1, 65535, 65535, 65535), www), dns.RcodeFormatError},
		{"one additional record that is not there", join(header(0, 1, 0, 0, 1), www), dns.RcodeSuccess},
		{"a plain question", join(header(0x0100, 1), www), dns.RcodeSuccess},
		{"all flags of a query", join(header(0x07f0, 1), www), dns.RcodeSuccess},
		{"a code in a query", join(header(0x000f, 1), www), dns.RcodeSuccess},
		{"garbage behind the question", join(header(0, 1), www, "garbage"), dns.RcodeSuccess},
		{"a response", join(header(0x8400, 1), www), dropped},
		{"a response without a question", header(0x8400), dropped},
		{"a response of our own, sent back", join(header(0x8580, 1, 1), www, "\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x1e\x00\x04\xc0\x00\x02\x01"), dropped},
		{"class 0", join(header(0, 1), "\x03www"+example+"\x00\x01\x00\x00"), dns.RcodeRefused},
		{"class CHAOS", join(header(0, 1), "\x03www"+example+"\x00\x01\x00\x03"), dns.RcodeRefused},
		{"class NONE", join(header(0, 1), "\x03www"+example+"\x00\x01\x00\xfe"), dns.RcodeRefused},
		{"class ANY", join(header(0, 1), "\x03www"+example+"\x00\x01\x00\xff"), dns.RcodeRefused},
		{"class 65535", join(header(0, 1), "\x03www"+example+"\x00\x01\xff\xff"), dns.RcodeRefused},
		{"type 0", join(header(0, 1), "\x03www"+example+"\x00\x00\x00\x01"), dns.RcodeSuccess},
		{"type OPT", join(header(0, 1), "\x03www"+example+"\x00\x29\x00\x01"), dns.RcodeSuccess},
		{"type 65535", join(header(0, 1), "\x03www"+example+"\xff\xff\x00\x01"), dns.RcodeSuccess},
		{"a transfer", join(header(0, 1), example[1:], "\x00\xfc\x00\x01"), dns.RcodeFormatError},
		{"the root", asked("\x00"), dns.RcodeRefused},
		{"a name of 255 bytes", asked(longest + example), dns.RcodeNameError},
		{"a name of 255 bytes below a wildcard", asked(label(63) + label(63) + label(63) + label(44) + "\x04wild" + example), dns.RcodeSuccess},
		{"a name of 256 bytes", asked(label(63) + label(63) + label(63) + label(50) + example), dns.RcodeFormatError},
		{"126 labels", asked(strings.Repeat("\x01a", 113) + "\x04wild" + example), dns.RcodeSuccess},
		{"a label of 64 bytes", asked("\x40" + strings.Repeat("x", 64) + example), dns.RcodeFormatError},
		{"a label of the extended type", asked("\x41\x01" + example), dns.RcodeFormatError},
		{"a name that does not end", join(header(0, 1), "\x03www"), dns.RcodeFormatError},
		{"a question without its type", join(header(0, 1), "\x03www"+example), dns.RcodeRefused},
		{"a dot in a label, beside our name", asked("\x0bwww.example\x03org\x00"), dns.RcodeRefused},
		{"a dot in a label, beside our zone", asked("\x03www\x0bexample.org\x00"), dns.RcodeRefused},
		{"a dot in a label of our zone", asked("\x08www.wild" + example), dns.RcodeNameError},
		{"a dot in a label below a wildcard", asked("\x03a.b\x04wild" + example), dns.RcodeSuccess},
		{"a zero byte behind our label", asked("\x04www\x00" + example), dns.RcodeNameError},
		{"a zero byte behind our zone", asked("\x03www\x08example\x00\x03org\x00"), dns.RcodeRefused},
		{"bytes below a wildcard", asked("\x08\x00\x01\\\"*\x7f\x80\xff\x04wild" + example), dns.RcodeSuccess},
		{"a star", asked("\x01*" + example), dns.RcodeNameError},
		{"a name that points to itself", asked("\xc0\x0c"), dns.RcodeFormatError},
		{"two names that point to each other", asked("\xc0\x0e\xc0\x0c"), dns.RcodeFormatError},
		{"a name that points back into its label", asked("\x01a\xc0\x0c"), dns.RcodeFormatError},
		{"a name that points ahead", join(header(0, 1), "\xc0\x12\x00\x01\x00\x01", "\x03www"+example), dns.RcodeSuccess},
		{"a name that points into the header", asked("\xc0\x04"), dns.RcodeRefused},
		{"a name that points out of the packet", asked("\xff\xff"), dns.RcodeFormatError},
		{"an OPT that asks for nothing", join(header(0, 1, 0, 0, 1), www, opt(0, 0, "")), dns.RcodeSuccess},
		{"an OPT of version 1", join(header(0, 1, 0, 0, 1), www, opt(1232, 1, "")), dns.RcodeBadVers & 0xf},
		{"two OPTs", join(header(0, 1, 0, 0, 2), www, opt(1232, 0, ""), opt(512, 0, "")), dns.RcodeSuccess},
		{"three OPTs", join(header(0, 1, 0, 0, 3), www, opt(1232, 0, ""), opt(512, 0, ""), opt(512, 0, "")), dns.RcodeFormatError},
		{"an OPT in the answer section", join(header(0, 1, 1), www, opt(1232, 0, "")), dns.RcodeSuccess},
		{"an OPT longer than the packet", join(header(0, 1, 0, 0, 1), www, "\x00\x00\x29\x04\xd0\x00\x00\x00\x00\x00\xff"), dns.RcodeFormatError},
		{"an option longer than its OPT", join(header(0, 1, 0, 0, 1), www, opt(1232, 0, "\x00\x08\xff\xff\x00\x01")), dns.RcodeFormatError},
		{"a huge OPT", join(header(0, 1, 0, 0, 1), www, opt(1232, 0, option(65001, strings.Repeat("y", 65000)))), dns.RcodeSuccess},
		{"an OPT of thousands of options", join(header(0, 1, 0, 0, 1), www, opt(1232, 0, strings.Repeat(option(3, ""), 16000))), dns.RcodeSuccess},
		{"a signature that is none", join(header(0, 1, 0, 0, 1), www, "\x00\x00\xfa\x00\xff\x00\x00\x00\x00\x00\x00"), dns.RcodeSuccess},
	}
	for opcode := uint16(1); opcode < 16; opcode++ {
		c := wireCase{fmt.Sprint("opcode ", opcode), join(header(opcode<<11, 1), www), dns.RcodeNotImplemented}
		if opcode == dns.OpcodeNotify {
			c.rcode = dropped
		}
		cases = append(cases, c)
	}
	for name, subnet := range map[string]struct {
		content string
		rcode   int
	}{
		"empty": {"", dns.RcodeFormatError}, "a family alone": {"\x00\x01", dns.RcodeFormatError},
		"family 0 with bits": {"\x00\x00\x08\x00\x0a", dns.RcodeFormatError}, "family 3": {"\x00\x03\x00\x00", dns.RcodeFormatError},
		"a scope": {"\x00\x01\x18\x18\xc6\x33\x64", dns.RcodeFormatError}, "33 bits": {"\x00\x01\x21\x00\xc6\x33\x64\x07\x00", dns.RcodeFormatError},
		"129 bits": {"\x00\x02\x81\x00", dns.RcodeFormatError}, "bits beyond the prefix": {"\x00\x01\x14\x00\xc6\x33\x7f", dns.RcodeFormatError},
		// The DNS library fills up what is too short and cuts what is too long, so that nobody behind it can tell (RFC 7871 section 6).
		"too short an address": {"\x00\x01\x18\x00\xc6", dns.RcodeSuccess},
		"too long an address":  {"\x00\x01\x20\x00" + strings.Repeat("z", 300), dns.RcodeSuccess},
	} {
		for _, owner := range []string{"\x03www", "\x04near", "\x05alias", "\x04some\x04wild"} {
			question := owner + example + "\x00\x01\x00\x01"
			cases = append(cases, wireCase{
				"a client subnet of " + name + " at " + owner, join(header(0, 1, 0, 0, 1), question, opt(1232, 0, option(8, subnet.content))), subnet.rcode,
			})
		}
	}
	whole := join(header(0x0100, 1, 0, 0, 1), www, opt(1232, 0, option(8, "\x00\x01\x18\x00\xc6\x33\x64")))
	for n := range whole {
		c := wireCase{fmt.Sprintf("a packet cut off at %d", n), whole[:n], dns.RcodeFormatError}
		switch n {
		case 12:
			c.rcode = dns.RcodeServerFailure // no question
		case 12 + len(www) - 4, 12 + len(www) - 2:
			c.rcode = dns.RcodeRefused // of no class
		case 12 + len(www):
			c.rcode = dns.RcodeSuccess // all of the question
		}
		if n < 12 {
			c.rcode = dropped
		}
		cases = append(cases, c)
	}
	return append(cases, wireCase{"the same packet, whole", whole, dns.RcodeSuccess})
}()

// TestWire is packets of all kinds, right and wrong: each is answered or dropped, by TCP as by UDP.
func TestWire(t *testing.T) {
	s := wireServer(t)
	for _, c := range wireCases {
		t.Run(c.name, func(t *testing.T) {
			raw := provokeAll(t, s, c.packet)
			switch {
			case raw == nil && c.rcode != dropped:
				t.Errorf("Expected %s, got no answer", dns.RcodeToString[c.rcode])
			case raw != nil && c.rcode != int(raw[3]&0xf):
				t.Errorf("Expected %s, got:\n%s", dns.RcodeToString[c.rcode], unpacked(raw))
			}
		})
	}
}
