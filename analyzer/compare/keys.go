package compare

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// A signer gives keys of one configuration a form in which they can be compared: variables that a map, geo or
// split_clients block makes stand for what the block says, so that a changed list is another key, and a renamed variable
// is not.
type signer struct {
	blocks map[string]*config.VariableBlock // by the variable, without its "$", in lower case
	known  map[string]string
	busy   map[string]bool // blocks that ask for each other end in nginx too
}

func newSigner(tree *config.Tree) *signer {
	s := &signer{blocks: map[string]*config.VariableBlock{}, known: map[string]string{}, busy: map[string]bool{}}
	if tree == nil || tree.HTTP == nil {
		return s
	}
	for i := range tree.HTTP.Blocks {
		b := &tree.HTTP.Blocks[i]
		if n := b.NumArgs(); n > 0 {
			s.blocks[variableName(b.Arg(n-1))] = b
		}
	}
	return s
}

// variableName is the name without "$" and braces.
func variableName(word string) string {
	word = strings.TrimPrefix(word, "$")
	return strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(word, "{"), "}"))
}

// key returns the canonical form of a key. Both forms of an address tell the same clients apart.
func (s *signer) key(t value.Template) string {
	var b strings.Builder
	for i := range t.Parts {
		if name := t.Parts[i].Variable; name != "" {
			b.WriteString(s.variable(name))
		} else {
			fmt.Fprintf(&b, "%q", t.Parts[i].Literal)
		}
	}
	return b.String()
}

func (s *signer) variable(name string) string {
	if name == "remote_addr" {
		name = "binary_remote_addr"
	}
	block := s.blocks[name]
	if block == nil || s.busy[name] {
		return "${" + name + "}"
	}
	if text, ok := s.known[name]; ok {
		return text
	}
	s.busy[name] = true
	h := sha256.New()
	for _, line := range s.lines(block) {
		fmt.Fprintf(h, "%s\n", line)
	}
	delete(s.busy, name)
	text := "{" + hex.EncodeToString(h.Sum(nil)) + "}"
	s.known[name] = text
	return text
}

// lines are a block in canonical form: what it looks at, then its entries. Where their order does not matter they are
// sorted.
func (s *signer) lines(b *config.VariableBlock) []string {
	head := make([]string, 1, max(b.NumArgs(), 1))
	head[0] = b.Name().Value
	for i := range b.NumArgs() - 1 {
		head = append(head, s.text(b.Arg(i)))
	}
	lines := make([]string, 0, len(b.Entries))
	var regexes []string
	for i := range b.Entries {
		line := s.entry(&b.Entries[i])
		if strings.HasPrefix(line, `"~`) || b.Name().Value == "split_clients" {
			regexes = append(regexes, line)
		} else {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return slices.Concat([]string{strings.Join(head, " ")}, slices.Compact(lines), regexes)
}

// entry is one entry of a block: its words, the last of which may be made of variables.
func (s *signer) entry(it *config.Item) string {
	words := it.Words()
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = fmt.Sprintf("%q", w.Value)
		if i > 0 && i == len(words)-1 {
			out[i] = s.text(w.Value)
		}
	}
	return strings.Join(out, " ")
}

// text is a word in which variables may stand.
func (s *signer) text(word string) string {
	t, err := value.Parse(word)
	if err != nil {
		return fmt.Sprintf("%q", word)
	}
	return s.key(t)
}

// maxEntries is how many entries of a block are named that differ.
const maxEntries = 3

// keyWords tells how a key differs from what it was.
func (c *Comparer) keyWords(conn bool, o, n *limit) string {
	if o.shown != n.shown {
		return fmt.Sprintf("%s: it counted for each %s before", n.words(conn), o.each())
	}
	text := n.words(conn) + ": what " + n.each() + " stands for is otherwise"
	gone, come := c.entries(n.shown)
	if len(come) > 0 {
		text += ", with " + some(come)
	}
	if len(gone) > 0 {
		text += ", without " + some(gone)
	}
	return text
}

func some(entries []string) string {
	if len(entries) <= maxEntries {
		return strings.Join(entries, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(entries[:maxEntries], ", "), len(entries)-maxEntries)
}

// entries returns the entries that the blocks behind a key have in one configuration only, as written.
func (c *Comparer) entries(key string) (gone, come []string) {
	t, err := value.Parse(key)
	if err != nil {
		return nil, nil
	}
	done := map[string]bool{}
	for queue := t.Variables(); len(queue) > 0; queue = queue[1:] {
		name := queue[0]
		o, n := c.old.blocks[name], c.new.blocks[name]
		if done[name] || o == nil || n == nil {
			continue
		}
		done[name] = true
		before, after := written(o), written(n)
		gone = append(gone, missing(before, after)...)
		come = append(come, missing(after, before)...)
		queue = append(queue, asked(n)...)
	}
	return gone, come
}

// asked are the variables that a block's source and values name.
func asked(b *config.VariableBlock) (names []string) {
	words := []string{b.Arg(0)}
	for i := range b.Entries {
		if e := &b.Entries[i]; e.NumArgs() > 0 {
			words = append(words, e.LastWord().Value)
		}
	}
	for _, word := range words {
		if t, err := value.Parse(word); err == nil && strings.Contains(word, "$") {
			names = append(names, t.Variables()...)
		}
	}
	return names
}

func written(b *config.VariableBlock) []string {
	list := make([]string, len(b.Entries))
	for i := range b.Entries {
		words := b.Entries[i].Words()
		texts := make([]string, len(words))
		for k, w := range words {
			if texts[k] = w.Value; w.Value == "" {
				texts[k] = `""`
			}
		}
		list[i] = strings.Join(texts, " ")
	}
	return list
}

// missing are the entries of a list that another one lacks.
func missing(list, other []string) (out []string) {
	has := make(map[string]bool, len(other))
	for _, e := range other {
		has[e] = true
	}
	for _, e := range list {
		if !has[e] {
			out = append(out, "\""+e+"\"")
		}
	}
	return out
}
