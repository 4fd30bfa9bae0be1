package settings

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/ngxlimit/ngxlimit/model/fronts"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// A reader walks the settings file's tree. The tree is walked by hand rather than decoded, so that every refusal has a
// place and a suggestion.
type reader struct {
	path    string
	all     []*rule.Rule
	known   []string // their names
	readFan FanReader
	out     Settings
}

// Parse is Load of a file's text; path is for errors.
func Parse(path string, data []byte, k Known) (Settings, error) { return parse(path, data, k) }

func parse(path string, data []byte, k Known) (Settings, error) {
	file, err := parser.ParseBytes(bytes.TrimPrefix(data, []byte("\ufeff")), 0)
	if err != nil {
		return Settings{}, yamlError(path, err)
	}
	r := &reader{path: path, all: k.Rules, known: Names(k.Rules), readFan: k.Fan, out: Settings{Path: path}}
	var top ast.Node
	for _, d := range file.Docs {
		if d.Body == nil {
			continue
		}
		if top != nil {
			return Settings{}, r.fail(d.Body, "a second document: one is enough")
		}
		top = d.Body
	}
	if top == nil {
		return r.out, nil
	}
	if err := r.keys(top, r.topKeys()); err != nil {
		return Settings{}, err
	}
	slices.Sort(r.out.Off)
	return r.out, nil
}

// yamlError gives the YAML reader's error its place in our form, on one line.
func yamlError(path string, err error) error {
	if y, ok := errors.AsType[yaml.Error](err); ok {
		return fmt.Errorf("%s%s: %s", path, at(y.GetToken()), strings.Join(strings.Fields(y.GetMessage()), " "))
	}
	return fmt.Errorf("%s: %s", path, strings.Join(strings.Fields(err.Error()), " "))
}

func at(t *token.Token) string {
	if t == nil || t.Position == nil {
		return ""
	}
	return fmt.Sprintf(":%d:%d", t.Position.Line, t.Position.Column)
}

func (r *reader) fail(n ast.Node, format string, args ...any) error {
	return fmt.Errorf("%s%s: %s", r.path, at(n.GetToken()), fmt.Sprintf(format, args...))
}

// keys reads a mapping whose keys are fixed.
func (r *reader) keys(n ast.Node, keys []key) error {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	return r.entries(n, func(name string, at ast.Node, value ast.Node) error {
		i := slices.Index(names, name)
		if i < 0 {
			return r.fail(at, "unknown key %q%s", name, didYouMean(name, names))
		}
		return keys[i].read(value)
	})
}

// entries calls f for each entry of a mapping.
func (r *reader) entries(n ast.Node, f func(name string, at, value ast.Node) error) error {
	var values []*ast.MappingValueNode
	switch m := bare(n).(type) {
	case *ast.MappingNode:
		values = m.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{m}
	case *ast.NullNode:
		return nil
	default:
		return r.fail(n, "want a mapping (name: value), not %s", describe(n))
	}
	for _, v := range values {
		name, ok := scalar(v.Key)
		if !ok {
			return r.fail(v.Key, "want a name before the colon")
		}
		if err := f(name, v.Key, v.Value); err != nil {
			return err
		}
	}
	return nil
}

// proxy reads one of the networks, names and files that say what stands in front. A path is taken from the settings file's
// folder.
func (r *reader) proxy(n ast.Node) error {
	text, _ := scalar(n)
	if p, err := network(text); err == nil {
		r.out.Proxies = append(r.out.Proxies, p)
		return nil
	}
	known := fronts.BuiltIn().IDs()
	place := r.path + at(n.GetToken())
	switch letters := strings.ContainsFunc(text, unicode.IsLetter); {
	case slices.Contains(known, text):
		r.out.ProxyNames = append(r.out.ProxyNames, Named{text, place})
		return nil
	case letters && strings.ContainsAny(text, "./") && !strings.Contains(text, ":"):
		if !filepath.IsAbs(text) {
			text = filepath.Join(filepath.Dir(r.path), text)
		}
		r.out.ProxyNames = append(r.out.ProxyNames, Named{text, place})
		return nil
	case letters && !strings.Contains(text, ":"):
		return r.fail(n, "unknown front %s%s", describe(n), didYouMean(text, known))
	}
	return r.fail(n, "%s is no network: want an address or a CIDR such as 10.0.0.0/22, the name of a front, or a file", describe(n))
}

func network(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	return netip.ParsePrefix(text)
}

// each calls f for each entry of a list; what says of what.
func (r *reader) each(n ast.Node, what string, f func(ast.Node) error) error {
	s, ok := bare(n).(*ast.SequenceNode)
	if !ok {
		return r.fail(n, "want %s, not %s", what, describe(n))
	}
	for _, v := range s.Values {
		if err := f(v); err != nil {
			return err
		}
	}
	return nil
}

// prefixes reads a list of URI prefixes.
func (r *reader) prefixes(into *[]string) func(ast.Node) error {
	return func(n ast.Node) error {
		return r.each(n, "a list of URI prefixes such as [/hooks/]", func(v ast.Node) error {
			text, _ := scalar(v)
			if !strings.HasPrefix(text, "/") {
				return r.fail(v, "%s is no URI prefix: it does not start with /", describe(v))
			}
			*into = append(*into, text)
			return nil
		})
	}
}

// texts reads a list of texts, each of which is what is said.
func (r *reader) texts(into *[]string, what string) func(ast.Node) error {
	return func(n ast.Node) error {
		return r.each(n, "a list", func(v ast.Node) error {
			text, ok := scalar(v)
			if !ok || text == "" {
				return r.fail(v, "want %s, not %s", what, describe(v))
			}
			*into = append(*into, text)
			return nil
		})
	}
}

func (r *reader) number(n ast.Node, least, most int64) (int64, error) {
	text, _ := scalar(n)
	v, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
	if err != nil || v < least || v > most {
		return 0, r.fail(n, "%s is no whole number of at least %d", describe(n), least)
	}
	return v, nil
}

// bare takes anchors and tags off a node.
func bare(n ast.Node) ast.Node {
	for {
		switch v := n.(type) {
		case *ast.AnchorNode:
			n = v.Value
		case *ast.TagNode:
			n = v.Value
		default:
			return n
		}
	}
}

// scalar returns the text of a plain value.
func scalar(n ast.Node) (string, bool) {
	switch v := bare(n).(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.IntegerNode, *ast.BoolNode, *ast.FloatNode:
		return v.GetToken().Value, true
	}
	return "", false
}

// describe names a value in an error.
func describe(n ast.Node) string {
	if text, ok := scalar(n); ok {
		return strconv.Quote(text)
	}
	switch bare(n).(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "nothing"
	case *ast.AliasNode:
		return "an alias"
	}
	return "this"
}

// first is the first key of a mapping, where it begins: a mapping's own place is that of a colon.
func first(n ast.Node) ast.Node {
	switch m := bare(n).(type) {
	case *ast.MappingNode:
		if len(m.Values) > 0 {
			return m.Values[0].Key
		}
	case *ast.MappingValueNode:
		return m.Key
	}
	return n
}
