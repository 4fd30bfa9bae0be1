// Package baseline knows the file that holds the findings which are known and accepted for now, so that a check speaks
// only of what is new. A finding is known by its rule, its context and the words of its directive: lines may move, and
// equal ones are counted. The file is sorted and has a line for each thing to read, so that a change of it can be
// reviewed. The package decides nothing about findings; rules/run leaves out what a tally holds.
package baseline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// schema is the form of the file.
const schema = 1

// maxFile bounds a baseline, in bytes.
const maxFile = 256 << 20

// A Baseline is what the file holds.
type Baseline struct {
	Entries []Entry
}

// An Entry is a finding that is known, as often as it is there.
type Entry struct {
	Rule        string   `json:"rule"`
	Context     []string `json:"context"`
	Directive   string   `json:"directive"` // its words with one space between
	Fingerprint string   `json:"fingerprint"`
	Count       int      `json:"count"`

	Line int `json:"-"` // in the file
}

// Of makes a baseline of findings.
func Of(found []rule.Finding) *Baseline {
	index := map[run.Identity]int{}
	b := &Baseline{}
	for i := range found {
		f := &found[i]
		id := run.Identify(f)
		if at, ok := index[id]; ok {
			b.Entries[at].Count++
			continue
		}
		index[id] = len(b.Entries)
		b.Entries = append(b.Entries, Entry{f.Rule.Name, append([]string{}, run.ContextOf(f)...), run.NormalForm(f), id.String(), 1, 0})
	}
	slices.SortFunc(b.Entries, func(a, b Entry) int {
		return cmp.Or(
			cmp.Compare(a.Rule, b.Rule), slices.Compare(a.Context, b.Context),
			cmp.Compare(a.Directive, b.Directive), cmp.Compare(a.Fingerprint, b.Fingerprint),
		)
	})
	return b
}

// Tally counts the entries' findings.
func (b *Baseline) Tally() run.Tally {
	t := run.Tally{}
	for _, e := range b.Entries {
		id, err := run.ParseIdentity(e.Fingerprint)
		if err != nil {
			continue // Read refuses it
		}
		t[id] += e.Count
	}
	return t
}

// Stale returns the entries of which a tally still holds some after a run: these findings are there no more, or fewer
// times. Count is how many are missing.
func (b *Baseline) Stale(left run.Tally) []Entry {
	var stale []Entry
	for _, e := range b.Entries {
		if id, err := run.ParseIdentity(e.Fingerprint); err == nil && left[id] > 0 {
			e.Count = left[id]
			stale = append(stale, e)
		}
	}
	return stale
}

// Write writes the file. The same findings give the same bytes.
func (b *Baseline) Write(w io.Writer) error {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	entries := b.Entries
	if entries == nil {
		entries = []Entry{}
	}
	if err := e.Encode(file{Schema: schema, Findings: entries}); err != nil {
		return fmt.Errorf("write baseline: %w", err)
	}
	_, err := w.Write(out.Bytes())
	return err
}

type file struct {
	Schema   int     `json:"schema"`
	Findings []Entry `json:"findings"`
}

// Read reads a baseline; name is that of the file. The error names the place of what is wrong: known.json:12:5: ...
func Read(name string, from io.Reader) (*Baseline, error) {
	data, err := io.ReadAll(io.LimitReader(from, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case len(data) > maxFile:
		return nil, fmt.Errorf("read %s: it is larger than %d MiB", name, maxFile>>20)
	}
	r := &reader{name: name, data: data, decoder: json.NewDecoder(bytes.NewReader(data))}
	// The grammar comes first: only then does the JSON reader tell the place.
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, r.wrong(0, err)
	}
	return r.file()
}

// A reader walks the file's tokens, so that each refusal has a place.
type reader struct {
	name    string
	data    []byte
	decoder *json.Decoder
	line    int // of offset counted
	counted int64
}

func (r *reader) file() (*Baseline, error) {
	b := &Baseline{}
	if err := r.want(json.Delim('{'), "an object"); err != nil {
		return nil, err
	}
	version := 0
	for r.decoder.More() {
		key, at, err := r.token()
		if err != nil {
			return nil, err
		}
		switch key {
		case "schema":
			if err := r.decode(&version, "a number"); err != nil {
				return nil, err
			}
			if version != schema {
				return nil, r.fail(at, fmt.Sprintf("schema %d is not known: want %d", version, schema))
			}
		case "findings":
			if err := r.findings(b); err != nil {
				return nil, err
			}
		default:
			return nil, r.fail(at, fmt.Sprintf("unknown key %q: want schema, findings", key))
		}
	}
	if err := r.want(json.Delim('}'), "the end of the object"); err != nil {
		return nil, err
	}
	if version == 0 {
		return nil, r.fail(0, `there is no "schema": this is no baseline`)
	}
	return b, nil
}

func (r *reader) findings(b *Baseline) error {
	if err := r.want(json.Delim('['), "a list"); err != nil {
		return err
	}
	for r.decoder.More() {
		at := r.next()
		var e Entry
		if err := r.decode(&e, "an entry"); err != nil {
			return err
		}
		_, bad := run.ParseIdentity(e.Fingerprint)
		switch {
		case e.Rule == "":
			return r.fail(at, `an entry without a "rule"`)
		case bad != nil:
			return r.fail(at, fmt.Sprintf("%q is no fingerprint", e.Fingerprint))
		case e.Count < 1:
			return r.fail(at, fmt.Sprintf("a count of %d: want 1 at least", e.Count))
		}
		e.Line, _ = r.place(at)
		b.Entries = append(b.Entries, e)
	}
	return r.want(json.Delim(']'), "the end of the list")
}

// token returns the next token and where it starts.
func (r *reader) token() (json.Token, int64, error) {
	at := r.next()
	t, err := r.decoder.Token()
	if err != nil {
		return nil, at, r.wrong(at, err)
	}
	return t, at, nil
}

func (r *reader) want(token json.Token, what string) error {
	got, at, err := r.token()
	switch {
	case err != nil:
		return err
	case got != token:
		return r.fail(at, "want "+what)
	}
	return nil
}

func (r *reader) decode(into any, what string) error {
	at := r.next()
	err := r.decoder.Decode(into)
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if t.Field == "" {
			return r.fail(at, fmt.Sprintf("want %s, not a %s", what, t.Value))
		}
		return r.fail(at, fmt.Sprintf("%q is a %s", t.Field, t.Value))
	}
	if err != nil {
		return r.wrong(at, err)
	}
	return nil
}

// next is the offset of what follows: separators are passed over.
func (r *reader) next() int64 {
	at := r.decoder.InputOffset()
	rest := r.data[at:]
	return at + int64(len(rest)-len(bytes.TrimLeft(rest, " \t\r\n,:")))
}

// wrong gives an error of the JSON reader its place.
func (r *reader) wrong(at int64, err error) error {
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		return r.fail(max(s.Offset-1, 0), s.Error())
	}
	return r.fail(at, err.Error())
}

func (r *reader) fail(at int64, text string) error {
	line, column := r.place(at)
	return fmt.Errorf("%s:%d:%d: damaged baseline: %s", r.name, line, column, strings.Join(strings.Fields(text), " "))
}

// place is the line and the column of an offset, both from 1. Lines are counted on from where they were last.
func (r *reader) place(at int64) (line, column int) {
	at = min(at, int64(len(r.data)))
	if at < r.counted {
		r.line, r.counted = 0, 0
	}
	r.line += bytes.Count(r.data[r.counted:at], []byte("\n"))
	r.counted = at
	return r.line + 1, int(at) - bytes.LastIndexByte(r.data[:at], '\n')
}
