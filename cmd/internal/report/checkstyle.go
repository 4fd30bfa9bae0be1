package report

import (
	"encoding/xml"
	"io"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

type checkstyleReport struct {
	XMLName xml.Name          `xml:"checkstyle"`
	Version string            `xml:"version,attr"`
	Files   []*checkstyleFile `xml:"file"`
}

type checkstyleFile struct {
	Name   string            `xml:"name,attr"`
	Errors []checkstyleError `xml:"error"`
}

type checkstyleError struct {
	Line     int    `xml:"line,attr"`
	Column   int    `xml:"column,attr"`
	Severity string `xml:"severity,attr"`
	Message  string `xml:"message,attr"`
	Source   string `xml:"source,attr"`
}

// checkstyleSeverities are the words of the format.
var checkstyleSeverities = map[rule.Severity]string{rule.Error: "error", rule.Warning: "warning", rule.Note: "info"}

// writeCheckstyle writes the XML that many build servers read, one file element a file.
func writeCheckstyle(w io.Writer, r *Report, o Options) error {
	out := checkstyleReport{Version: "8.0"}
	files := map[string]*checkstyleFile{}
	for i := range r.Findings {
		f := &r.Findings[i]
		name := clean(o.place(f.Primary.File))
		file := files[name]
		if file == nil {
			file = &checkstyleFile{Name: name}
			files[name] = file
			out.Files = append(out.Files, file)
		}
		at := f.Primary.From()
		file.Errors = append(file.Errors, checkstyleError{at.Line, at.Column, checkstyleSeverities[f.Severity], clean(said(f)), "ngxlimit." + f.Rule.Name})
	}
	return encodeXML(w, out)
}

func encodeXML(w io.Writer, v any) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
