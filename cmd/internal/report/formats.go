package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// formats is the table of formats: a new one takes one file and one line here.
var formats = []struct {
	name   string
	pages  bool // shows Report.Pages
	prints bool // shows Finding.Fingerprint
	write  func(io.Writer, *Report, Options) error
}{
	{"text", true, false, writeText},
	{"json", true, true, writeJSON},
	{"sarif", false, true, writeSARIF},
	{"github", false, false, writeGitHub},
	{"gitlab", false, true, writeGitLab},
	{"markdown", true, false, writeMarkdown},
	{"checkstyle", false, false, writeCheckstyle},
	{"junit", false, false, writeJUnit},
}

// Formats returns the names of the formats, in the order of their table.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// ShowsPages says whether a format shows Report.Pages, which take time to compute.
func ShowsPages(format string) bool {
	for _, f := range formats {
		if f.name == format {
			return f.pages
		}
	}
	return false
}

// ShowsFingerprints says whether a format shows Finding.Fingerprint.
func ShowsFingerprints(format string) bool {
	for _, f := range formats {
		if f.name == format {
			return f.prints
		}
	}
	return false
}

// Write writes a report in a format. The error is the writer's, or names the formats where there is no such one.
func Write(w io.Writer, format string, r *Report, o Options) error {
	for _, f := range formats {
		if f.name != format {
			continue
		}
		b := bufio.NewWriterSize(w, 64<<10)
		if err := f.write(b, r, o); err != nil {
			return fmt.Errorf("write %s: %w", format, err)
		}
		if err := b.Flush(); err != nil {
			return fmt.Errorf("write %s: %w", format, err)
		}
		return nil
	}
	return fmt.Errorf("unknown format %q: want %s", format, strings.Join(Formats(), ", "))
}
