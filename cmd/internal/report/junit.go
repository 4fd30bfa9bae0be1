package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitFailure `xml:"failure"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// writeJUnit writes one test case a rule: failed where it found an error or a warning, passed otherwise. Notes are told
// in the output of a case that passed.
func writeJUnit(w io.Writer, r *Report, o Options) error {
	byRule := map[string][]*rule.Finding{}
	for i := range r.Findings {
		f := &r.Findings[i]
		byRule[f.Rule.Name] = append(byRule[f.Rule.Name], f)
	}
	suite := junitSuite{Name: "ngxlimit"}
	for _, rl := range r.Rules {
		c := junitOf(rl, byRule[rl.Name], o)
		suite.Tests++
		if c.Failure != nil {
			suite.Failures++
		}
		suite.Cases = append(suite.Cases, c)
	}
	return encodeXML(w, junitSuites{Tests: suite.Tests, Failures: suite.Failures, Suites: []junitSuite{suite}})
}

func junitOf(r *rule.Rule, found []*rule.Finding, o Options) junitCase {
	c := junitCase{Class: "ngxlimit", Name: r.Name}
	var bad, notes []string
	for _, f := range found {
		at := f.Primary.From()
		line := fmt.Sprintf("%s:%d:%d: %s: %s", clean(o.place(f.Primary.File)), at.Line, at.Column, f.Severity, clean(said(f)))
		if f.Severity.AtLeast(rule.Warning) {
			bad = append(bad, line)
		} else {
			notes = append(notes, line)
		}
	}
	c.Output = strings.Join(notes, "\n")
	if len(bad) > 0 {
		c.Failure = &junitFailure{Type: r.Name, Message: count(len(bad), "finding"), Text: strings.Join(bad, "\n")}
	}
	return c
}
