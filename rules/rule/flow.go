package rule

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// A Flow is what a key is made of: which variables' own text may stand in it, and which only decide what stands there. A
// map that leads from a header to one of two names hands on nothing of the header's text; one with $1 or a variable among
// its values does. Entries that no visitor from the outside comes to, because an address decides, are left out.
type Flow struct {
	Texts   []Leaf
	Chooses []Leaf
	Blocks  []*Block // that the key goes through, each once, in the order in which they are met
	Whole   []*Block // those of them whose value is, for some requests, the whole key
}

// A Leaf is a variable, named without "$", that no block makes from others.
type Leaf struct {
	Name    string
	Item    config.Item // the entry or the set that names it; nil where the key itself does
	Span    source.Span // the word that does; empty where the key itself does
	Exempts bool        // of Chooses: it decides whether the key is empty
	Part    bool        // of Texts: a regex takes its text, or a part of it
}

// Direct says whether the key itself names the variable.
func (l Leaf) Direct() bool { return l.Item.Directive == nil }

// A Block is a map, geo or split_clients block with its entries read.
type Block struct {
	*config.VariableBlock
	Name    string         // the variable that it defines, without "$"
	Source  value.Template // what a map or split_clients looks at; of geo the variable with the address
	Entries []Entry        // those that nginx takes

	hostnames bool // a map that compares names with wildcards
}

// An Entry is one line of a block that leads to a value.
type Entry struct {
	config.Item
	Index   int    // among the block's entries as written
	Key     string // the first word
	Default bool
	Value   value.Template // what a geo or split_clients entry leads to is text, whatever it holds
}

// ValueSpan is where the entry's value stands.
func (e *Entry) ValueSpan() source.Span { return e.WordSpan(e.Word(e.NumArgs() - 1)) }

// IsMap says whether the block is a map, the only one whose values may hold variables.
func (b *Block) IsMap() bool { return b.Item.Name().Value == "map" }

// Flow follows a key back to where it comes from. Answers are kept by the key's text.
func (f *Facts) Flow(key value.Template) *Flow {
	f.keys.Lock()
	defer f.keys.Unlock()
	flow, ok := f.keys.flows[key.Text]
	if !ok {
		w := &walker{facts: f, flow: &Flow{}, seen: make(map[string]bool)}
		w.texts(key, config.Item{}, source.Span{}, nil, true)
		flow = w.flow
		f.keys.flows[key.Text] = flow
	}
	return flow
}

// maxMet bounds the blocks that are asked who comes to which of their entries.
const maxMet = 500

// A walker follows one key. Each variable is followed once as text and once as what decides, so that blocks that lead to
// each other end.
type walker struct {
	facts *Facts
	flow  *Flow
	seen  map[string]bool
}

func (w *walker) visited(how, name string) bool {
	if w.seen[how+name] {
		return true
	}
	w.seen[how+name] = true
	return false
}

// texts follows a template whose text stands in the key, or is the whole of it. Captures are text of the source of the map
// that it is a value of.
func (w *walker) texts(t value.Template, at config.Item, span source.Span, of *Block, whole bool) {
	whole = whole && len(t.Parts) == 1
	for _, part := range t.Parts {
		switch {
		case part.Variable == "":
		case of != nil && isCapture(at, part.Variable):
			before := len(w.flow.Texts)
			w.texts(of.Source, at, span, nil, false)
			for i := range w.flow.Texts[before:] {
				w.flow.Texts[before+i].Part = true
			}
		default:
			w.text(part.Variable, at, span, whole)
		}
	}
}

func (w *walker) text(name string, at config.Item, span source.Span, whole bool) {
	b := w.facts.block(name)
	if b == nil {
		w.leaf(name, at, span, whole)
		return
	}
	if whole && !slices.Contains(w.flow.Whole, b) {
		w.flow.Whole = append(w.flow.Whole, b)
	}
	if w.visited("text ", name) {
		return
	}
	w.meet(b)
	w.chooses(b.Source, at, span, b.exempts())
	if !b.IsMap() {
		return
	}
	var met map[int]bool
	if len(w.flow.Blocks) <= maxMet {
		met = w.facts.met(b)
	}
	for i := range b.Entries {
		if e := &b.Entries[i]; met == nil || met[e.Index] {
			w.texts(e.Value, e.Item, e.ValueSpan(), b, whole)
		}
	}
}

// leaf ends at a variable that no block defines; one that set gives its value goes on with that.
func (w *walker) leaf(name string, at config.Item, span source.Span, whole bool) {
	sets := w.facts.assigned(name)
	if len(sets) == 0 || value.Builtin(name) {
		if !w.visited("text ", name) {
			w.flow.Texts = append(w.flow.Texts, Leaf{Name: name, Item: at, Span: span})
		}
		return
	}
	if w.visited("text ", name) {
		return
	}
	for _, a := range sets {
		if t, err := value.Parse(a.Item.Arg(1)); a.IsSet() && err == nil {
			w.texts(t, a.Item, a.Item.WordSpan(a.Item.Word(1)), nil, whole)
		}
	}
}

// chooses follows what decides between the values of a block.
func (w *walker) chooses(t value.Template, at config.Item, span source.Span, exempts bool) {
	for _, part := range t.Parts {
		how := "choice "
		if exempts {
			how = "exemption "
		}
		if part.Variable == "" || w.visited(how, part.Variable) {
			continue
		}
		b := w.facts.block(part.Variable)
		if b == nil {
			w.flow.Chooses = append(w.flow.Chooses, Leaf{Name: part.Variable, Item: at, Span: span, Exempts: exempts})
			continue
		}
		w.meet(b)
		w.chooses(b.Source, at, span, exempts)
		if b.IsMap() {
			for i := range b.Entries {
				if e := &b.Entries[i]; len(e.Value.Parts) > 0 {
					w.chooses(e.Value, e.Item, e.ValueSpan(), exempts)
				}
			}
		}
	}
}

func (w *walker) meet(b *Block) {
	if !w.visited("block ", b.Name) {
		w.flow.Blocks = append(w.flow.Blocks, b)
	}
}

// exempts says whether some of the block's outcomes are empty and others are not.
func (b *Block) exempts() bool {
	some, none, otherwise := false, false, false
	for i := range b.Entries {
		e := &b.Entries[i]
		otherwise = otherwise || e.Default
		if e.Value.Text == "" {
			none = true
		} else {
			some = true
		}
	}
	return some && (none || !otherwise)
}

var namedCapture = regexp.MustCompile(`\(\?P?[<'](\w+)[>']`)

// isCapture says whether a variable in the value of a map's entry stands for what the entry's regex captured.
func isCapture(entry config.Item, name string) bool {
	if len(name) == 1 && name[0] >= '1' && name[0] <= '9' {
		return true
	}
	for _, m := range namedCapture.FindAllStringSubmatch(entry.Name().Value, -1) {
		if strings.EqualFold(m[1], name) {
			return true
		}
	}
	return false
}
