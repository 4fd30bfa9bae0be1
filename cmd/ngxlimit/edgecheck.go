package main

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/cmd/internal/settings"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/document"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
	"github.com/ngxlimit/ngxlimit/rules"
	edgerules "github.com/ngxlimit/ngxlimit/rules/edge"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// edgeCheckFlags are the flags of edge check.
type edgeCheckFlags struct {
	inputFlags
	edgeFlags
	format, failOn, confidence *choice
	output, fan, origin, host  string
	clients                    int
	enable, disable            words
}

func newEdge(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "edge",
		Short: "Find what is wrong with the rate limiting rules of an edge network",
		Long: `edge judges the rate limiting rules that stand before nginx, at Cloudflare's edge or in AWS WAF.
simulate --edge and replay --edge let requests pass them.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("edge: %w", unknownName("command", args[0], []string{"check"}))
			}
			return fmt.Errorf("edge: no command: want ngxlimit edge check with RULES")
		},
	}
	cmd.AddCommand(newEdgeCheck(a))
	return cmd
}

func newEdgeCheck(a *app) *cobra.Command {
	f := &edgeCheckFlags{
		edgeFlags: newEdgeFlags(), format: oneOf("text", report.Formats()...),
		failOn:     oneOf(string(rule.Warning), string(rule.Error), string(rule.Warning), string(rule.Note), never),
		confidence: oneOf(string(rule.Low), string(rule.Low), string(rule.Medium), string(rule.High)),
	}
	cmd := &cobra.Command{
		Use:   "check RULES...",
		Short: "Find what is wrong with rate limiting rules",
		Long: `edge check reads Cloudflare's rate limiting rules, as JSON of its API or as Terraform
(a file, or a folder of .tf), or a web ACL of AWS WAF in the same forms, and reports what
is wrong with them. DOMAIN=FILE says which zone a file is of.

With --origin, the nginx configuration behind the edge, it lets an office of people
and an attack pass both, and tells which of the two limits them.

The exit status is 0 where nothing was found at or above --fail-on, 1 where
something was, 2 where the command could not do its work.`,
		Args: needArgs(1, -1, "RULES..."),
		RunE: func(_ *cobra.Command, args []string) error { return a.edgeCheck(f, args) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Var(f.format, "format", "how to report")
	flags.StringVar(&f.output, "output", "", "`file` to write to, whole or not at all (default: standard output)")
	flags.Var(f.failOn, "fail-on", "least severity at which the exit status is 1")
	flags.Var(&f.enable, "enable", "run only these rules")
	flags.Var(&f.disable, "disable", "do not run these rules")
	flags.Var(f.confidence, "min-confidence", "drop findings that are less sure")
	flags.StringVar(&f.fan, "fan", defaultFan, "page that an ordinary visitor loads: a `name` of ngxlimit fans, or a file")
	flags.Var(atMost(&f.clients, rule.DefaultClientsPerAddress, 100_000), "clients-per-address", "people who share one public address")
	flags.StringVar(&f.origin, "origin", "", "`configuration` of the nginx behind the edge, in any form that check reads")
	flags.StringVar(&f.host, "host", "", "`host` of the page (default: what the rules name; with --origin the first server with a limit)")
	flags.Var(&f.zones, "edge-zone", "the zone of rules that has the hosts of a domain, where rules are of several zones; may be repeated")
	f.edgeFlags.add(flags)
	f.inputFlags.add(flags)
	return cmd
}

// edgeCheck runs the command and sets the exit status.
func (a *app) edgeCheck(f *edgeCheckFlags, paths []string) error {
	if _, err := (settings.Settings{}).Select(edgerules.All(), settings.Flags{Enable: f.enable, Disable: f.disable}); err != nil {
		return err
	}
	if f.origin == "" {
		if err := idle(f.given, "the configuration of --origin, which was not given", ofInput...); err != nil {
			return err
		}
	}
	read, err := f.readEdge(paths)
	if err != nil {
		return err
	}
	a.noteEdge(read)
	findings, origin, err := a.edgeFindings(f, read)
	if err != nil {
		return err
	}
	findings, held := f.suppress(read, origin, findings)
	findings = slices.DeleteFunc(findings, func(x rule.Finding) bool { return !x.Confidence.AtLeast(rule.Confidence(f.confidence.value)) })
	rep := &report.Report{Version: toolVersion(), Rules: append(edgerules.All(), rules.Suppression), Findings: findings, Suppressed: len(held), Held: held}
	for _, file := range read.files {
		kind := "terraform"
		if isJSON(file) {
			kind = "json"
		}
		rep.Inputs = append(rep.Inputs, report.Input{Path: file.Path, Kind: kind, Files: 1, Complete: true})
	}
	o := a.screen(f.output)
	if dir, err := os.Getwd(); err == nil {
		o.Dir = dir
	}
	if err := a.writeOutput(f.output, func(w io.Writer) error { return report.Write(w, f.format.value, rep, o) }); err != nil {
		return err
	}
	if f.failOn.value != never && slices.ContainsFunc(findings, func(x rule.Finding) bool { return x.Severity.AtLeast(rule.Severity(f.failOn.value)) }) {
		a.status = exitFound
	}
	return nil
}

// suppress obeys the comments in files of Terraform. Those of rules that are not enabled, and what holds back nothing of rules
// that look at more than the file, may stay.
func (f *edgeCheckFlags) suppress(r *edgeRules, origin *config.Tree, findings []rule.Finding) (kept []rule.Finding, held []run.Held) {
	var docs []*syntax.Document
	for _, file := range r.files {
		if isJSON(file) {
			continue // it has no comments
		}
		doc := &syntax.Document{File: file}
		for _, s := range document.Comments(file) {
			doc.Comments = append(doc.Comments, syntax.Comment{Start: s.Start, End: s.End})
		}
		docs = append(docs, doc)
	}
	ran := edgerules.Running(edgerules.Options{Enable: f.enable, Disable: f.disable, Origin: origin})
	return run.Suppress(docs, findings, append(ran, rules.Suppression), edgerules.All(), today())
}

func (a *app) edgeFindings(f *edgeCheckFlags, read *edgeRules) (found []rule.Finding, origin *config.Tree, err error) {
	fan, _, err := readFan(f.fan, traffic.HAROptions{})
	if err != nil {
		return nil, nil, fmt.Errorf("--fan: %w", err)
	}
	o := edgerules.Options{
		Plan: f.plan.value, Fan: fan, Clients: f.clients, Enable: f.enable, Disable: f.disable,
		Options: simulate.Options{Host: f.host, Seed: 1},
	}
	judge := func() []rule.Finding {
		if read.aws != nil {
			return edgerules.CheckACL(read.aws, o)
		}
		return edgerules.Check(read.cloudflare, o)
	}
	if f.origin == "" {
		return judge(), o.Origin, nil
	}
	if o.Origin, err = f.one(a, f.origin); err != nil {
		return nil, nil, fmt.Errorf("--origin: %w", err)
	}
	if o.Origin.HTTP == nil || len(o.Origin.HTTP.Servers) == 0 {
		return nil, nil, fmt.Errorf("--origin: %s has no server that could take a request", f.origin)
	}
	if o.Flood, err = traffic.Builtin("flood"); err != nil {
		return nil, nil, err
	}
	front, err := edgeFrontOf(read)
	if err != nil {
		return nil, nil, err
	}
	o.Layer = func() edge.Layer { return front.layer() }
	o.Options.Via = front.ways
	return judge(), o.Origin, nil
}
