package report

import (
	"io"
	"path/filepath"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// A gitlabIssue is one entry of a code quality report, as GitLab takes it.
type gitlabIssue struct {
	Description string         `json:"description"`
	Check       string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Location    gitlabLocation `json:"location"`
}

type gitlabLocation struct {
	Path  string      `json:"path"` // relative to the repository
	Lines gitlabLines `json:"lines"`
}

type gitlabLines struct {
	Begin int `json:"begin"`
}

// gitlabSeverities are the words of the format, which has five.
var gitlabSeverities = map[rule.Severity]string{rule.Error: "critical", rule.Warning: "major", rule.Note: "info"}

// writeGitLab writes a code quality report: one array, the gravest first. What could not be read is an issue of its own, as
// the format has no other place for it.
func writeGitLab(w io.Writer, r *Report, o Options) error {
	sorted := worstFirst(r.Findings)
	issues := make([]gitlabIssue, 0, 1)
	for _, in := range r.Inputs {
		if in.lacking() {
			issues = append(issues, gitlabIssue{
				"part of it could not be read, so there may be more findings", "missing-include", "incomplete " + clean(in.Path),
				gitlabSeverities[rule.Warning],
				gitlabLocation{filepath.ToSlash(clean(o.relative(in.Path))), gitlabLines{1}},
			})
		}
	}
	out := &objectWriter{errWriter: errWriter{w: w}}
	out.print("[")
	out.elements(len(sorted)+len(issues), 1, func(i int) any {
		if i >= len(sorted) {
			return issues[i-len(sorted)]
		}
		f := &sorted[i]
		return gitlabIssue{
			clean(said(f)), f.Rule.Name, f.Fingerprint, gitlabSeverities[f.Severity],
			gitlabLocation{filepath.ToSlash(clean(o.place(f.Primary.File))), gitlabLines{f.Primary.From().Line}},
		}
	})
	out.print("]\n")
	return out.err
}
