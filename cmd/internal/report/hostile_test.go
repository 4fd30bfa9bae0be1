package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// hostileNames are names of files, as a repository may have them, that mean something to one format or another.
var hostileNames = []string{
	"with space.conf", "two\nlines.conf", "return\rto start.conf", "::error file=x::boom.conf", "%0A::error::x.conf", "##[error]x.conf",
	`quo"te'.conf`, "<script>alert(1)</script>.conf", "]]><x>&amp;.conf", "\u202etxt.fnoc", "\u200emark\u200f\u061c.conf", "\u2028line.conf", "\u2066a\u2069.conf", "pipe|`tick`*_[x](y).conf",
	"comma,colon:.conf", "bad\xff\xfeutf.conf", "\x1b[31mred.conf", "\x00nul.conf", "ünïcode😀.conf", "-->.conf", "%{x}.conf", "::stop-commands::x",
}

// hostileReport has n findings in files of such names, whose lines and messages hold the same.
func hostileReport(n int) *Report {
	r := &Report{Version: "0.1.0", Rules: testRules, Inputs: []Input{{hostileNames[1], "fragment", 1, false, false}}}
	files := make([]*source.File, len(hostileNames))
	for i, name := range hostileNames {
		files[i] = &source.File{Path: "/etc/nginx/" + name, Text: strings.ReplaceAll(name, "\n", " ") + "\nlimit_req zone=a;\n", Disk: "/srv/site/" + name}
	}
	for i := range n {
		f := files[i%len(files)]
		end := uint32(min(len(f.Text), 9))
		of := testRules[i%len(testRules)]
		r.Findings = append(r.Findings, rule.Finding{
			Rule: of, Severity: of.Severity, Confidence: of.Confidence, Places: 1, Message: "found " + hostileNames[(i+3)%len(hostileNames)],
			Primary: source.Span{File: f, Start: 0, End: end}, Context: []string{"http", "server " + hostileNames[(i+5)%len(hostileNames)]},
			Related:     []rule.Label{{Span: source.Span{File: f, Start: end, End: end + 1}, Message: hostileNames[(i+7)%len(hostileNames)]}},
			Evidence:    map[string]any{"zone": hostileNames[(i+9)%len(hostileNames)]},
			Fix:         &rule.Fix{Title: hostileNames[(i+11)%len(hostileNames)], Edits: []source.Edit{{Span: source.Span{File: f}, Text: "x"}}},
			Fingerprint: fmt.Sprintf("f%d", i),
		})
	}
	return r
}

// validity says for each format what makes a report of n findings whole.
var validity = map[string]func(t *testing.T, out string, n int) error{
	"text":     func(*testing.T, string, int) error { return nil },
	"json":     validJSON,
	"sarif":    validSARIF,
	"github":   validGitHub,
	"gitlab":   validGitLab,
	"markdown": validMarkdown,
	"checkstyle": func(_ *testing.T, out string, n int) error {
		return validXML(out, "error", n)
	},
	"junit": func(_ *testing.T, out string, _ int) error {
		return validXML(out, "testcase", len(testRules))
	},
}

// Whatever files are called, and however much is found, each format is what its readers take.
func TestEveryFormatOfHostileNames(t *testing.T) {
	for _, format := range Formats() {
		check := validity[format]
		if check == nil {
			t.Errorf("nobody says what makes %s valid", format)
			continue
		}
		for _, n := range []int{0, len(hostileNames) * 3, 10_000} {
			t.Run(fmt.Sprintf("%s/%d", format, n), func(t *testing.T) {
				out := render(t, format, hostileReport(n), testOptions)
				if !utf8.ValidString(out) {
					t.Error("not UTF-8")
				}
				for i, r := range out {
					if r < ' ' && r != '\n' || r == 0x7f || r == 0x61c || r == 0x200e || r == 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
						t.Fatalf("%q in %q", r, out[max(0, i-30):min(len(out), i+30)])
					}
				}
				for line := range strings.Lines(out) {
					command := strings.HasPrefix(strings.TrimLeft(line, " \t"), "::")
					if command && format != "github" || !command && strings.Contains(line, "##[") && (format == "github" || format == "text") {
						t.Fatalf("a line is a command of a build log: %q", line)
					}
				}
				if err := check(t, out, n); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func validJSON(_ *testing.T, out string, n int) error {
	var got struct{ Findings []jsonFinding }
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		return err
	}
	return sameCount(len(got.Findings), n)
}

func validSARIF(t *testing.T, out string, n int) error {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(out))
	if err != nil {
		return err
	}
	if n <= 100 { // the schema takes long
		if err := sarifSchemaOf(t).Validate(doc); err != nil {
			return err
		}
	}
	var got struct {
		Runs []struct {
			Results []struct {
				Level     string
				Locations []struct {
					PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
				}
				CodeFlows []any
			}
			Invocations []struct {
				ToolExecutionNotifications []struct{ Message struct{ Text string } }
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		return err
	}
	run := got.Runs[0]
	for _, r := range run.Results {
		u, err := url.Parse(r.Locations[0].PhysicalLocation.ArtifactLocation.URI)
		if err != nil || u.IsAbs() || strings.HasPrefix(u.Path, "/") || len(r.CodeFlows) != 1 {
			return fmt.Errorf("result at %v (%w), %d flows", u, err, len(r.CodeFlows))
		}
	}
	if n <= sarifMaxResults {
		return sameCount(len(run.Results), n)
	}
	told := run.Invocations[0].ToolExecutionNotifications
	if text := told[len(told)-1].Message.Text; !strings.Contains(text, fmt.Sprint(n-sarifMaxResults)) {
		return fmt.Errorf("what was left out is told as %q", text)
	}
	if run.Results[0].Level != "error" {
		return errors.New("the gravest is not first")
	}
	return sameCount(len(run.Results), sarifMaxResults)
}

func validGitHub(_ *testing.T, out string, n int) error {
	kinds := map[string]int{}
	for line := range strings.Lines(out) {
		rest, ok := strings.CutPrefix(line, "::")
		if !ok {
			continue
		}
		kind, rest, _ := strings.Cut(rest, " ")
		parameters, _, ok := strings.Cut(rest, "::")
		if !ok || strings.HasPrefix(parameters, "file=") && !annotationKeys(parameters) {
			return fmt.Errorf("line %q", line)
		}
		if strings.HasPrefix(parameters, "file=") {
			kinds[kind]++
		}
	}
	for kind, k := range kinds {
		if k > maxAnnotations {
			return fmt.Errorf("%d of %s", k, kind)
		}
	}
	if left := n - kinds["error"] - kinds["warning"] - kinds["notice"]; left > 0 && !strings.Contains(out, numeral.Of(left, "finding")+" listed above without an annotation") {
		return fmt.Errorf("%d that are left are not counted", left)
	}
	return nil
}

// annotationKeys says whether the parameters of an annotation are those that there are, read as GitHub reads them.
func annotationKeys(parameters string) bool {
	var keys []string
	for p := range strings.SplitSeq(parameters, ",") {
		key, _, _ := strings.Cut(p, "=")
		keys = append(keys, key)
	}
	return strings.Join(keys, " ") == "file line col endLine endColumn title"
}

func validGitLab(_ *testing.T, out string, n int) error {
	var got []gitlabIssue
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, g := range got {
		if g.Fingerprint == "" || seen[g.Fingerprint] || g.Location.Path == "" || strings.HasPrefix(g.Location.Path, "/") || g.Location.Lines.Begin < 1 || g.Severity == "" {
			return fmt.Errorf("issue %+v", g)
		}
		seen[g.Fingerprint] = true
	}
	return sameCount(len(got), n+1) // and the input that could not be read in full
}

func validMarkdown(_ *testing.T, out string, n int) error {
	if len(out) > 1<<20 {
		return fmt.Errorf("%d bytes", len(out))
	}
	rows := 0
	for line := range strings.Lines(out) {
		if strings.Contains(line, "<script") {
			return fmt.Errorf("HTML in %q", line)
		}
		if strings.HasPrefix(line, "| error") || strings.HasPrefix(line, "| warning") || strings.HasPrefix(line, "| note") {
			rows++
			if bars := strings.Count(line, "|") - strings.Count(line, `\|`); bars != 5 {
				return fmt.Errorf("%d bars in %q", bars, line)
			}
		}
	}
	if rows < n && !strings.Contains(out, "and "+numeral.Of(n-rows, "finding")+" more") {
		return fmt.Errorf("%d rows of %d", rows, n)
	}
	return nil
}

func validXML(out, element string, n int) error {
	d := xml.NewDecoder(bytes.NewReader([]byte(out)))
	got := 0
	for {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF):
			return sameCount(got, n)
		case err != nil:
			return err
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == element {
			got++
		}
	}
}

func sameCount(got, want int) error {
	if got != want {
		return fmt.Errorf("%d entries, not %d", got, want)
	}
	return nil
}
