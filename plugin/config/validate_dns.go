package config

import (
	"fmt"
	"strings"

	"github.com/miekg/dns"
)

// unasked are the types that a question cannot have, or that ask for a whole zone.
var unasked = map[uint16]bool{
	dns.TypeNone: true, dns.TypeReserved: true, dns.TypeOPT: true, dns.TypeTSIG: true, dns.TypeTKEY: true,
	dns.TypeAXFR: true, dns.TypeIXFR: true, dns.TypeMAILA: true, dns.TypeMAILB: true,
}

// dns checks what a dns probe asks, and wants to hear.
func (v *validator) dns(p *Probe) {
	d, at := p.DNS, p.Places.Of("query")
	if d.Name == "" {
		if !p.Places.Faulty {
			v.fault(at, fmt.Sprintf("the dns probe %q has no question", p.Name), "`query NAME TYPE`")
		}
		return
	}
	if _, ok := dns.IsDomainName(d.Name); !ok || !dns.IsFqdn(d.Name) {
		v.fault(at, fmt.Sprintf("name %q of \"query\" is no domain name", d.Name), "")
	}
	if unasked[d.Type] && p.Places.Faulty {
		return // it could not be read
	}
	if unasked[d.Type] {
		v.fault(at, fmt.Sprintf("type %s cannot be asked for by a dns probe", TypeWord(d.Type)), "the type of a record, such as A or SOA")
		return
	}
	if d.Answer == "" {
		return
	}
	at = p.Places.Of("expect_answer")
	if d.Type == dns.TypeANY {
		v.fault(at, "\"expect_answer\" with a query of type ANY", "a query of the type that the answer is of")
		return
	}
	if _, err := d.Record(); err != nil {
		v.fault(at, "expect_answer: "+err.Error(), "")
	}
}

// Record is the record that must be in the answer, without an owner; names in it are absolute. The data of TXT is its text, and the
// data of an address may be any address: a server may be there to answer 0.0.0.0.
func (d DNS) Record() (dns.RR, error) {
	if d.Type == dns.TypeTXT {
		return &dns.TXT{Hdr: dns.RR_Header{Rrtype: dns.TypeTXT, Class: dns.ClassINET}, Txt: characterStrings(d.Answer)}, nil
	}
	rr, err := Value{Type: d.Type, Data: d.Answer}.parse(".")
	if err != nil {
		return nil, err
	}
	rr.Header().Name = ""
	return rr, nil
}

// ParseRcode reads the name of a response code, or its number.
func ParseRcode(word string) (int, bool) {
	code, ok := dns.StringToRcode[strings.ToUpper(word)]
	return code, ok && code <= maxRcode
}

// maxRcode is the largest code that a header can hold; larger ones take EDNS, which the probe does not send.
const maxRcode = 15

// Rcodes are the words that ParseRcode knows.
func Rcodes() []string {
	var words []string
	for code := range maxRcode + 1 {
		if word, ok := dns.RcodeToString[code]; ok {
			words = append(words, word)
		}
	}
	return words
}
