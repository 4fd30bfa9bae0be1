package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

const (
	sarifSchema     = "https://json.schemastore.org/sarif-2.1.0.json"
	sarifMaxResults = 5_000 // code scanning takes 25,000, and shows as many
	sourceRoot      = "%SRCROOT%"
)

// writeSARIF writes SARIF 2.1.0 for code scanning: the whole catalogue with its help, and the findings with regions in
// UTF-16 units. What a comment holds back stands behind the findings, with the comment's reason.
func writeSARIF(w io.Writer, r *Report, o Options) error {
	s := &sarifWriter{o: o, index: map[string]int{}}
	one := sarif.NewRunWithInformationURI("ngxlimit", home)
	one.Tool.Driver.WithSemanticVersion(r.Version).WithVersion(r.Version)
	for i, rl := range r.Rules {
		s.index[rl.Name] = i
		one.Tool.Driver.AddRule(sarifRule(rl))
	}
	shown, left := sarifResults(r)
	held := r.Held[:min(len(r.Held), sarifMaxResults-len(shown))]
	one.WithColumnKind("utf16CodeUnits")
	one.WithAutomationDetails(sarif.NewRunAutomationDetails().WithID("ngxlimit/"))
	root := sarif.NewArtifactLocation().WithDescription(sarif.NewTextMessage("the folder in which ngxlimit ran"))
	one.WithOriginalUriBaseIds(map[string]sarif.ArtifactLocation{sourceRoot: *root})
	one.AddInvocation(sarifInvocation(r, left))
	one.WithProperties(sarif.NewPropertyBag().Add("suppressed", r.Suppressed))

	out := sarif.NewReport()
	out.Schema = sarifSchema
	out.AddRun(one)
	return encodeSARIF(w, out, len(shown)+len(held), len(held) > 0, func(i int) *sarif.Result {
		if i < len(shown) {
			return s.result(&shown[i])
		}
		return s.suppressed(&held[i-len(shown)])
	})
}

// sarifResults returns the findings to write, and how many the format has no room for; the gravest stay.
func sarifResults(r *Report) (shown []rule.Finding, left int) {
	if len(r.Findings) <= sarifMaxResults {
		return r.Findings, 0
	}
	return worstFirst(r.Findings)[:sarifMaxResults], len(r.Findings) - sarifMaxResults
}

// worstFirst returns the findings by severity, gravest first, else in their order.
func worstFirst(found []rule.Finding) []rule.Finding {
	sorted := slices.Clone(found)
	slices.SortStableFunc(sorted, func(a, b rule.Finding) int {
		return slices.Index(rule.Severities, a.Severity) - slices.Index(rule.Severities, b.Severity)
	})
	return sorted
}

type sarifWriter struct {
	o       Options
	index   map[string]int // of a rule in the driver's list
	hashed  *source.File   // whose hashes are at hand: findings come file by file
	hashes  []string
	columns utf16Columns
}

func sarifRule(r *rule.Rule) *sarif.ReportingDescriptor {
	markdown := ruleBody(r, "") + "\n[" + r.Name + "](" + HelpURI(r.Name) + ")\n"
	d := sarif.NewRule(r.Name).WithName(pascal(r.Name)).WithHelpURI(HelpURI(r.Name))
	d.WithDescription(sentence(r.Summary))
	d.WithFullDescription(multiformat(firstParagraph(r)))
	d.WithHelp(sarif.NewMultiformatMessageString().WithText(markdown).WithMarkdown(markdown))
	d.WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(string(r.Severity)))
	problem := string(r.Severity)
	if r.Severity == rule.Note {
		problem = "recommendation"
	}
	tags := []string{"nginx", "rate-limiting"}
	bag := sarif.NewPropertyBag().Add("precision", string(r.Confidence)).Add("problem.severity", problem)
	if r.Risk != "" { // it makes the result a security alert
		tags = append(tags, "security")
		bag.Add("security-severity", r.Risk)
	}
	d.WithProperties(bag.WithTags(tags))
	return d
}

func multiformat(text string) *sarif.MultiformatMessageString {
	return sarif.NewMultiformatMessageString().WithText(text)
}

// firstParagraph is the start of what a rule says, within the 1,024 characters that are shown of a description.
func firstParagraph(r *rule.Rule) string {
	text, _, _ := strings.Cut(strings.TrimSpace(r.Why), "\n\n")
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return sentence(r.Summary)
	}
	if runes := []rune(text); len(runes) > 1024 {
		return string(runes[:1021]) + "..."
	}
	return text
}

// pascal turns missing-nodelay into MissingNodelay.
func pascal(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "-") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

func (s *sarifWriter) result(f *rule.Finding) *sarif.Result {
	res := sarif.NewRuleResult(f.Rule.Name).WithLevel(string(f.Severity))
	if i, ok := s.index[f.Rule.Name]; ok {
		res.WithRuleIndex(i)
	}
	text := sarifText(said(f))
	links := make([]string, len(f.Related)) // only related places that the message links to are shown
	for i, l := range f.Related {
		links[i] = fmt.Sprintf("[%s](%d)", linkText(l.Message), i+1)
		res.AddRelatedLocation(s.location(l.Span).WithID(i + 1).WithMessage(sarif.NewTextMessage(sarifText(l.Message))))
	}
	if len(links) > 0 {
		text += "\n\n" + strings.Join(links, ", ")
	}
	res.WithMessage(sarif.NewTextMessage(text))
	res.AddLocation(s.location(f.Primary))
	if len(f.Related) > 0 {
		res.AddCodeFlow(s.flow(f))
	}
	prints := map[string]string{}
	if f.Fingerprint != "" {
		prints["ngxlimit/v1"] = f.Fingerprint
	}
	if h := s.lineHash(f.Primary); h != "" {
		prints["primaryLocationLineHash"] = h
	}
	res.WithPartialFingerprints(prints)
	if f.Fix != nil && len(f.Fix.Edits) > 0 {
		res.AddFixe(s.fix(f.Fix))
	}
	res.WithProperties(s.properties(f))
	return res
}

// suppressed is a result that a comment in the configuration accepts.
func (s *sarifWriter) suppressed(h *run.Held) *sarif.Result {
	why := h.Reason
	if h.Until != "" {
		why += " (until " + h.Until + ")"
	}
	by := sarif.NewSuppression().WithKind("inSource").WithStatus("accepted").WithJustification(clean(why))
	return s.result(&h.Finding).WithSuppressions([]*sarif.Suppression{by.WithLocation(s.location(h.Comment))})
}

// flow leads from what belongs to a finding to its place: the zone, the outer limit, then the directive at fault.
func (s *sarifWriter) flow(f *rule.Finding) *sarif.CodeFlow {
	step := func(at source.Span, text string) *sarif.ThreadFlowLocation {
		return sarif.NewThreadFlowLocation().WithLocation(s.location(at).WithMessage(sarif.NewTextMessage(sarifText(text))))
	}
	thread := sarif.NewThreadFlow()
	for _, l := range f.Related {
		thread.AddLocation(step(l.Span, l.Message))
	}
	thread.AddLocation(step(f.Primary, f.Message))
	return sarif.NewCodeFlow().AddThreadFlow(thread)
}

func (s *sarifWriter) properties(f *rule.Finding) *sarif.PropertyBag {
	bag := sarif.NewPropertyBag().Add("confidence", string(f.Confidence))
	if within := f.Within(); len(within) > 0 {
		bag.Add("context", within)
	}
	if len(f.Evidence) > 0 {
		bag.Add("evidence", f.Evidence)
	}
	if len(f.Hosts) > 0 {
		bag.Add("hosts", f.Hosts)
	}
	if f.Places > 1 {
		bag.Add("places", f.Places)
	}
	return bag
}

func (s *sarifWriter) lineHash(at source.Span) string {
	if s.hashed != at.File {
		s.hashed, s.hashes = at.File, lineHashes(at.File.Text)
	}
	if n := at.From().Line; n <= len(s.hashes) {
		return s.hashes[n-1]
	}
	return ""
}

func (s *sarifWriter) location(at source.Span) *sarif.Location {
	return sarif.NewLocationWithPhysicalLocation(sarif.NewPhysicalLocation().
		WithArtifactLocation(s.artifact(at.File)).WithRegion(s.region(at)))
}

// region converts a span to lines and columns in UTF-16 units, the last column one past the end.
func (s *sarifWriter) region(at source.Span) *sarif.Region {
	from, to := at.From(), at.To()
	return sarif.NewRegion().
		WithStartLine(from.Line).WithStartColumn(s.columns.of(at.File, from)).
		WithEndLine(to.Line).WithEndColumn(s.columns.of(at.File, to))
}

func (s *sarifWriter) fix(f *rule.Fix) *sarif.Fix {
	out := sarif.NewFix().WithDescription(sarif.NewTextMessage(sarifText(f.Title)))
	changes := map[*source.File]*sarif.ArtifactChange{}
	for _, e := range f.Edits {
		c := changes[e.Span.File]
		if c == nil {
			c = sarif.NewArtifactChange().WithArtifactLocation(s.artifact(e.Span.File))
			changes[e.Span.File] = c
			out.AddArtifactChange(c)
		}
		c.AddReplacement(sarif.NewReplacement().WithDeletedRegion(s.region(e.Span)).
			WithInsertedContent(sarif.NewArtifactContent().WithText(e.Text)))
	}
	return out
}

// sarifInvocation says how the run went, and what could not be read.
func sarifInvocation(r *Report, left int) *sarif.Invocation {
	inv := sarif.NewInvocation().WithExecutionSuccessful(len(r.Defects) == 0)
	say := func(level, text string) {
		inv.AddToolExecutionNotification(sarif.NewNotification().WithLevel(level).
			WithMessage(sarif.NewTextMessage(sarifText(text))))
	}
	for _, in := range r.Inputs {
		if in.lacking() {
			say("warning", fmt.Sprintf("part of %s could not be read, so there may be more findings", in.Path))
		}
	}
	for _, d := range r.Defects {
		say("error", d)
	}
	if r.LeftOut > 0 {
		say("warning", "there are "+leftOut(r))
	}
	if left > 0 {
		say("warning", fmt.Sprintf("%d findings of the least severity are left out: code scanning shows %d of a run", left, sarifMaxResults))
	}
	return inv
}
