package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/awswaf"
	"github.com/ngxlimit/ngxlimit/model/edge/cloudflare"
	"github.com/ngxlimit/ngxlimit/model/edge/document"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
)

// edgeFlags say which rules stand at the edge, and what they need that no file of theirs holds.
type edgeFlags struct {
	paths  []string
	lists  pairs
	zones  pairs
	window *choice
	plan   *choice
	given  *pflag.FlagSet // what they are flags of
}

// plans are Cloudflare's, by the words that its rules have for them.
var plans = map[string]string{"free": "FREE", "pro": "PRO", "business": "BIZ", "enterprise": "ENT"}

func newEdgeFlags() edgeFlags {
	windows := make([]string, len(cloudflare.Windows))
	for i, w := range cloudflare.Windows {
		windows[i] = string(w)
	}
	return edgeFlags{
		lists: pairs{left: "NAME", right: "FILE"}, zones: pairs{left: "ZONE", right: "DOMAIN"}, window: oneOf(windows[0], windows...),
		plan: oneOf("", "free", "pro", "business", "enterprise"),
	}
}

// add registers the flags that tell what rules mean.
func (f *edgeFlags) add(flags *pflag.FlagSet) {
	f.given = flags
	flags.Var(&f.lists, "list", "content of a list that edge rules name as $NAME: a file of addresses or networks, one a line, or Cloudflare's JSON; may be repeated")
	flags.Var(f.plan, "plan", "Cloudflare's plan, by which some of the edge's features are there or not")
}

// addSimulate registers the flags that put an edge in front of nginx.
func (f *edgeFlags) addSimulate(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.paths, "edge", nil, "`rules` of an edge network that requests pass before nginx: Cloudflare's rate limiting rules as JSON of its API or as Terraform (a file, or a folder of .tf), or a web ACL of AWS WAF in the same forms; DOMAIN=FILE for those of one zone; may be repeated")
	flags.Var(f.window, "edge-window", "how the edge's counters forget: buckets (Cloudflare's estimate), sliding (exact) or fixed; what another one would have done is told")
	flags.Var(&f.zones, "edge-zone", "the zone of edge rules that has the hosts of a domain, where rules are of several zones; may be repeated")
	f.add(flags)
}

// edgeRules are the rules of an edge.
type edgeRules struct {
	files      []*source.File
	cloudflare *cloudflare.Reading
	aws        *awswaf.ACL
	flags      *edgeFlags
}

// mostEdgeFiles bounds the files of a folder.
const mostEdgeFiles = 1000

// readEdge reads the files, of one product.
func (f *edgeFlags) readEdge(paths []string) (*edgeRules, error) {
	env, err := f.env()
	if err != nil {
		return nil, err
	}
	r := &edgeRules{flags: f}
	var tf []*source.File
	for _, named := range paths {
		domain, path := cutDomain(named)
		list, err := edgeFiles(path)
		if err != nil {
			return nil, err
		}
		for _, file := range list {
			r.files = append(r.files, file)
			if !isJSON(file) {
				tf = append(tf, file)
				continue
			}
			if err := r.json(file, domain, env); err != nil {
				return nil, err
			}
		}
	}
	if len(tf) > 0 {
		resources, err := document.Terraform(tf)
		if err != nil {
			return nil, edgeError(tf[0], err)
		}
		if err := r.terraform(tf[0], resources, env); err != nil {
			return nil, err
		}
	}
	if r.cloudflare != nil && r.aws != nil {
		return nil, errors.New("rules of Cloudflare and of AWS WAF are given together: want those of one")
	}
	return r, f.idle(r)
}

func (f *edgeFlags) env() (*lang.Env, error) {
	env := &lang.Env{Lists: map[string]*lang.List{}, Plan: plans[f.plan.value]}
	for name, path := range f.lists.values {
		data, err := readBounded(path, maxProxies)
		if err != nil {
			return nil, fmt.Errorf("--list %s: %w", name, err)
		}
		if env.Lists[strings.TrimPrefix(name, "$")], err = lang.ParseList(data); err != nil {
			return nil, fmt.Errorf("--list %s: %s: %w", name, path, err)
		}
	}
	return env, nil
}

// cutDomain cuts DOMAIN=FILE, where the whole is not the name of a file.
func cutDomain(text string) (domain, path string) {
	left, right, ok := strings.Cut(text, "=")
	if _, err := os.Stat(text); !ok || err == nil || strings.ContainsAny(left, `/\`) {
		return "", text
	}
	return left, right
}

// edgeFiles reads a file, or those of Terraform in a folder.
func edgeFiles(path string) ([]*source.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read edge rules: %w", named(path, err))
	}
	paths := []string{path}
	if info.IsDir() {
		paths = nil
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, fmt.Errorf("read edge rules: %w", named(path, err))
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".tf") || strings.HasSuffix(e.Name(), ".tf.json") {
				paths = append(paths, filepath.Join(path, e.Name()))
			}
		}
		if len(paths) == 0 || len(paths) > mostEdgeFiles {
			return nil, fmt.Errorf("%s has %d files of Terraform (.tf, .tf.json): want 1 to %d; files of JSON are named one by one", path, len(paths), mostEdgeFiles)
		}
		if err := allRegular(paths, path); err != nil {
			return nil, err
		}
	}
	files := make([]*source.File, len(paths))
	for i, p := range paths {
		data, err := readBounded(p, document.Largest)
		if err != nil {
			return nil, fmt.Errorf("read edge rules: %w", err)
		}
		disk, err := filepath.Abs(p)
		if err != nil {
			disk = ""
		}
		files[i] = &source.File{Path: p, Disk: disk, Text: strings.TrimPrefix(string(data), "\ufeff")}
	}
	return files, nil
}

// isJSON tells JSON from Terraform: by the name, or else by how it begins.
func isJSON(f *source.File) bool {
	switch {
	case strings.HasSuffix(f.Path, ".json"):
		return true
	case strings.HasSuffix(f.Path, ".tf"), strings.HasSuffix(f.Path, ".hcl"):
		return false
	}
	text := strings.TrimSpace(f.Text)
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
}

func (r *edgeRules) json(file *source.File, domain string, env *lang.Env) error {
	v, err := document.JSON(file)
	if err != nil {
		return edgeError(file, err)
	}
	if v.Get("WebACLs") != nil {
		return fmt.Errorf("%s: a list of web ACLs without their rules: want one as aws wafv2 get-web-acl prints it", placeText(v.Span))
	}
	if awswaf.Looks(v) {
		if r.aws != nil {
			return fmt.Errorf("%s: a second web ACL: want one", file.Path)
		}
		if r.aws, err = awswaf.Read(v, env.Lists); err != nil {
			return edgeError(file, err)
		}
		return nil
	}
	got, err := cloudflare.JSON(v, env)
	if resources := document.TerraformJSON(v); err != nil && len(resources) > 0 {
		return r.webACL(file, resources, env, err)
	} else if err != nil {
		return edgeError(file, err)
	}
	for _, s := range got.Rulesets {
		if domain != "" {
			s.Zone, s.Domain = domain, domain
		}
	}
	r.join(got)
	return nil
}

// terraform takes the rules of Terraform's resources: those of Cloudflare, or where there are none a web ACL of AWS WAF.
func (r *edgeRules) terraform(first *source.File, resources []document.Resource, env *lang.Env) error {
	got, err := cloudflare.Terraform(resources, env)
	if err == nil {
		r.join(got)
		return nil
	}
	return r.webACL(first, resources, env, err)
}

// webACL takes the web ACL of Terraform's resources that hold no rules of Cloudflare, as err says.
func (r *edgeRules) webACL(first *source.File, resources []document.Resource, env *lang.Env, err error) error {
	acl, failed := awswaf.Terraform(resources, env.Lists)
	switch {
	case failed != nil:
		return edgeError(first, failed)
	case acl == nil:
		return edgeError(first, err)
	case r.aws != nil:
		return fmt.Errorf("%s: a second web ACL: want one", first.Path)
	}
	r.aws = acl
	return nil
}

func (r *edgeRules) join(got *cloudflare.Reading) {
	if r.cloudflare == nil {
		r.cloudflare = got
		return
	}
	r.cloudflare.Rulesets = append(r.cloudflare.Rulesets, got.Rulesets...)
	r.cloudflare.Problems = append(r.cloudflare.Problems, got.Problems...)
}

// edgeError puts the place in front of what is wrong with a file.
func edgeError(file *source.File, err error) error {
	span, text := source.Span{File: file}, err.Error()
	if e, ok := errors.AsType[*document.Error](err); ok {
		span, text = e.Span, e.Text
	} else if e, ok := errors.AsType[*cloudflare.NoRules](err); ok && e.Span.File != nil {
		span = e.Span
	}
	return fmt.Errorf("%s: %s", placeText(span), text)
}

func placeText(s source.Span) string {
	at := s.From()
	return fmt.Sprintf("%s:%d:%d", s.File.Path, at.Line, at.Column)
}

// layer makes the layer anew. With more than one way of counting it is compared with the other one.
func (r *edgeRules) layer() (edge.Layer, error) {
	if r.aws != nil {
		return awswaf.New(r.aws), nil
	}
	window := cloudflare.Window(r.flags.window.value)
	other := cloudflare.Sliding
	if window == cloudflare.Sliding {
		other = cloudflare.Buckets
	}
	decides, err := cloudflare.New(r.cloudflare.Rulesets, cloudflare.Options{Window: window, Domains: r.flags.zones.values})
	if err != nil {
		return nil, err
	}
	compared, err := cloudflare.New(r.cloudflare.Rulesets, cloudflare.Options{Window: other, Domains: r.flags.zones.values})
	if err != nil {
		return nil, err
	}
	return edge.Compare(decides, compared, map[cloudflare.Window]string{
		cloudflare.Sliding: "an exact sliding window", cloudflare.Buckets: "Cloudflare's estimate of 2017",
	}[other]), nil
}

// edgeProblem is what is wrong with a rule, or with a file.
type edgeProblem struct {
	span  source.Span
	rule  string // "" for a file
	text  string
	aside bool // the rule runs all the same
}

// problems lists what could not be understood, in order.
func (r *edgeRules) problems() []edgeProblem {
	var list []edgeProblem
	if r.aws != nil {
		for _, p := range r.aws.Problems {
			list = append(list, edgeProblem{p.Span, p.Rule, p.Text, p.Kind == awswaf.Aside})
		}
		return list
	}
	for _, p := range r.cloudflare.Problems {
		list = append(list, edgeProblem{p.Span, "", p.Text, true})
	}
	for _, s := range r.cloudflare.Rulesets {
		if s.NotModeled != "" {
			list = append(list, edgeProblem{s.PhaseSpan, "", "the ruleset is left aside: " + s.NotModeled, true})
		}
		for _, u := range s.Rules {
			for _, p := range u.Problems {
				list = append(list, edgeProblem{p.Span, u.Name, p.Text, p.Kind == cloudflare.Aside})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b edgeProblem) int { return strings.Compare(a.span.File.Path, b.span.File.Path) })
	return list
}

// tellEdge says on standard error what could not be understood.
func (a *app) tellEdge(r *edgeRules) {
	for _, p := range r.problems() {
		text := placeText(p.span) + ": "
		if p.rule != "" {
			text += fmt.Sprintf("edge rule %q: ", p.rule)
		}
		text += p.text
		if p.rule != "" && !p.aside {
			text += "; what the rule does is unknown, the others run"
		}
		complain(a.stderr, errors.New("warning: "+text))
	}
}
