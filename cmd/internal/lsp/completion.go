package lsp

import (
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/directive"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

type completionParams struct {
	placeParams
	Context struct {
		TriggerKind int `json:"triggerKind"`
	} `json:"context"`
}

// byCharacter is the kind of trigger that is a character typed, as against a person's own asking.
const byCharacter = 2

// A parameter is a word that a directive of the limit modules takes.
type parameter struct {
	text   string // with "=" behind it, what follows is the person's
	detail string
	first  bool // only as the first argument, where no other one may stand
}

var (
	levels   = []parameter{{"info", "", true}, {"notice", "", true}, {"warn", "", true}, {"error", "the default", true}}
	onOff    = []parameter{{"on", "", true}, {"off", "the default", true}}
	statuses = []parameter{{"429", "Too Many Requests", true}, {"503", "the default", true}}
	keys     = []parameter{{"$binary_remote_addr", "the client's address, 4 or 16 bytes", true}, {"$server_name", "all clients together", true}}
)

// parameters are the directives that are completed, with their words.
var parameters = map[string][]parameter{
	"limit_req": {
		{"zone=", "which zone counts", false},
		{"burst=", "how many requests more than the rate are taken", false},
		{"nodelay", "what is within the burst does not wait", false},
		{"delay=", "how many within the burst do not wait", false},
	},
	"limit_req_zone":       append(slices.Clone(keys), parameter{"zone=", "name:size", false}, parameter{"rate=", "requests a second or a minute: 10r/s, 30r/m", false}),
	"limit_req_status":     statuses,
	"limit_req_log_level":  levels,
	"limit_req_dry_run":    onOff,
	"limit_conn":           nil, // a zone and a number
	"limit_conn_zone":      append(slices.Clone(keys), parameter{"zone=", "name:size", false}),
	"limit_conn_status":    statuses,
	"limit_conn_log_level": levels,
	"limit_conn_dry_run":   onOff,
	"set_real_ip_from":     {{"unix:", "peers of unix sockets", true}},
	"real_ip_header":       {{"X-Forwarded-For", "", true}, {"X-Real-IP", "the default", true}, {"proxy_protocol", "", true}},
	"real_ip_recursive":    onOff,
}

// A typing is what stands before the cursor: the words of the directive that is not ended yet, and the place it stands at.
type typing struct {
	words []syntax.Word // the last one is under the cursor; one without text where nothing is
	at    directive.Context
}

// typingAt reads a text up to the cursor; false within a comment, code, or a block whose lines are no directives.
func typingAt(text string, outer directive.Context) (typing, bool) {
	doc := syntax.Parse(&source.File{Text: text})
	end := uint32(len(text))
	if n := len(doc.Comments); n > 0 && doc.Comments[n-1].End == end {
		return typing{}, false
	}
	t := typing{words: []syntax.Word{{Start: end, End: end}}, at: outer}
	for list := doc.Directives; len(list) > 0; {
		d := &list[len(list)-1]
		if d.Block != nil {
			if d.Block.Closed {
				return t, true
			}
			if d.Block.Code {
				return t, false
			}
			if t.at = t.at.Inside(d.Name().Value); t.at&(directive.Entries|directive.Opaque) != 0 {
				return t, false
			}
			list = d.Block.Directives
			continue
		}
		words := d.Words()
		switch last := words[len(words)-1]; {
		case d.End > last.End: // a ";" ends it
		case last.End == end:
			t.words = words
		default:
			t.words = append(words, t.words...)
		}
		return t, true
	}
	return t, true
}

func (s *server) completion(p *completionParams) (any, error) {
	d, err := s.open(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	end := d.offset(p.Position)
	from, outer := uint32(0), directive.Everywhere
	var in *view
	for _, v := range s.quickly(d) {
		if doc, base, ok := v.part(d, end); ok {
			in, from = v, base
			outer = v.placesOf(doc)
			break
		}
	}
	t, ok := typingAt(d.text[from:end], outer)
	if !ok || len(t.words) == 1 && t.words[0].Start == t.words[0].End && p.Context.TriggerKind == byCharacter {
		return []completionItem{}, nil
	}
	c := completer{d: d, from: from, end: end, typing: t, items: []completionItem{}}
	switch name := t.words[0].Value; {
	case len(t.words) == 1:
		c.names()
	case name == "limit_conn" && len(t.words) == 2:
		c.zones(in, name, "")
	case name == "limit_req" && strings.HasPrefix(c.word(), "zone="):
		c.zones(in, name, "zone=")
	default:
		c.parameters(parameters[name])
	}
	return c.items, nil
}

// quickly returns the configurations of a document without reading them for each letter typed: as they are now where that
// has been read, else as they were when they were last judged. In a dump, parts move, and it is read.
func (s *server) quickly(d *document) []*view {
	if s.last != nil && !s.snapshot.has(d) && s.last.has(d) {
		if was := s.last.of(d); len(was) == 1 && was[0].input.Kind != load.Dump {
			return was
		}
	}
	return s.snapshot.of(d)
}

// has says whether the configurations of a document have been read, without waiting for it.
func (n *snapshot) has(d *document) bool {
	if !n.TryLock() {
		return false
	}
	defer n.Unlock()
	_, done := n.views[d.uri]
	return done
}

// part returns the file that a place of the document lies in, and where that begins. The text may have changed since.
func (v *view) part(d *document, offset uint32) (doc *syntax.Document, from uint32, ok bool) {
	if v.input.Kind == load.Dump {
		doc, at, ok := v.at(d, offset)
		return doc, offset - at, ok
	}
	for _, doc := range v.input.Documents {
		if v.holds(doc.File, d) {
			return doc, 0, true
		}
	}
	return nil, 0, false
}

// A completer gathers what may stand in place of the word under the cursor.
type completer struct {
	typing
	d         *document
	from, end uint32 // offsets in the document: of the file, and of the cursor
	items     []completionItem
}

// word is the text under the cursor, without a quote before it.
func (c *completer) word() string {
	w := c.words[len(c.words)-1]
	text := c.d.text[c.from+w.Start : c.end]
	if w.Quote != 0 {
		text = text[1:]
	}
	return text
}

// add offers a text in place of what stands behind a prefix of the word.
func (c *completer) add(item completionItem, prefix, text string) {
	start := c.end - uint32(len(c.word())-len(prefix))
	item.TextEdit = &textEdit{c.d.between(start, c.end), text}
	c.items = append(c.items, item)
}

// names offers the directives of the limit modules that may stand here.
func (c *completer) names() {
	for _, name := range sortedNames {
		known, ok := directive.Lookup(name)
		if ok && strings.HasPrefix(name, c.word()) && (c.at == 0 || known.Contexts()&c.at != 0) {
			c.add(completionItem{Label: name, Kind: itemKeyword, Detail: (known.Contexts() & directive.AnyHTTP).String()}, "", name)
		}
	}
}

var sortedNames = func() []string {
	names := make([]string, 0, len(parameters))
	for name := range parameters {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()

// zones offers the zones of a limiter.
func (c *completer) zones(in *view, module, prefix string) {
	if in == nil {
		return
	}
	seen := map[string]bool{}
	for z := range in.zones {
		if z.module != module || !z.defines || z.name == "" || seen[z.name] || !strings.HasPrefix(z.name, c.word()[len(prefix):]) {
			continue
		}
		seen[z.name] = true
		c.add(completionItem{Label: z.name, Kind: itemStruct, Detail: in.zoneDetail(module, z.name)}, prefix, z.name)
	}
}

// zoneDetail says in a few words what a zone is.
func (v *view) zoneDetail(module, name string) string {
	if v.tree.HTTP == nil {
		return ""
	}
	if z, ok := v.tree.HTTP.Zones[name]; ok && module == "limit_req" {
		return rule.Rate(z.Rate) + " for each " + visible(z.Key.Text) + ", " + bytesText(z.Size)
	}
	var z *config.ConnZone
	if z = v.tree.HTTP.ConnZones[name]; z == nil || module != "limit_conn" {
		return ""
	}
	return "for each " + visible(z.Key.Text) + ", " + bytesText(z.Size)
}

// parameters offers words that the directive does not have yet.
func (c *completer) parameters(all []parameter) {
	for _, p := range all {
		written := slices.ContainsFunc(c.words[1:len(c.words)-1], func(w syntax.Word) bool {
			return w.Value == p.text || strings.HasSuffix(p.text, "=") && strings.HasPrefix(w.Value, p.text)
		})
		if written || p.first && len(c.words) != 2 || !strings.HasPrefix(p.text, c.word()) {
			continue
		}
		kind := itemValue
		switch {
		case strings.HasSuffix(p.text, "="):
			kind = itemField
		case strings.HasPrefix(p.text, "$"):
			kind = itemVariable
		}
		c.add(completionItem{Label: p.text, Kind: kind, Detail: p.detail}, "", p.text)
	}
}
