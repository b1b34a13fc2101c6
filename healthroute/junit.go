package main

import (
	"encoding/xml"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// The elements of a JUnit report, as CI systems read it.
type (
	junitReport struct {
		XMLName  xml.Name      `xml:"testsuites"`
		Name     string        `xml:"name,attr"`
		Tests    int           `xml:"tests,attr"`
		Failures int           `xml:"failures,attr"`
		Errors   int           `xml:"errors,attr"`
		Time     string        `xml:"time,attr"`
		Suites   []*junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`

		took time.Duration
	}
	junitCase struct {
		Name    string       `xml:"name,attr"`
		Class   string       `xml:"classname,attr"`
		Time    string       `xml:"time,attr"`
		Failure *junitDetail `xml:"failure,omitempty"` // an expectation does not hold
		Error   *junitDetail `xml:"error,omitempty"`   // the file is wrong
	}
	junitDetail struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// junit writes the results as a JUnit report: a suite for each directory, a case for each scenario.
func junit(results []played) ([]byte, error) {
	report := junitReport{Name: "healthroute test"}
	var all time.Duration
	suites := map[string]*junitSuite{}
	for _, r := range results {
		dir := filepath.ToSlash(filepath.Dir(r.File))
		suite := suites[dir]
		if suite == nil {
			suite = &junitSuite{Name: dir}
			suites[dir] = suite
			report.Suites = append(report.Suites, suite)
		}
		c := junitCase{Name: strings.TrimSuffix(filepath.Base(r.File), extension), Class: dir, Time: junitTime(r.took)}
		switch {
		case r.Result == isBroken:
			c.Error = &junitDetail{firstLine(r.text()), "broken", r.text()}
			report.Errors++
			suite.Errors++
		case r.Result == failed:
			c.Failure = &junitDetail{firstLine(r.text()), "expectation", r.text()}
			report.Failures++
			suite.Failures++
		}
		suite.Cases = append(suite.Cases, c)
		suite.took += r.took
		suite.Tests++
		report.Tests++
		all += r.took
	}
	for _, s := range report.Suites {
		s.Time = junitTime(s.took)
	}
	report.Time = junitTime(all)
	text, err := xml.MarshalIndent(report, "", "  ")
	return append([]byte(xml.Header), append(text, '\n')...), err
}

func junitTime(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
