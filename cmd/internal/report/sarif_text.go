package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

var (
	braces   = strings.NewReplacer("{", "{{", "}", "}}")
	brackets = strings.NewReplacer("[", `\[`, "]", `\]`)
)

// looksLikeLink finds text that a reader of SARIF would take for a link: [0-9](1).
var looksLikeLink = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[([^\]]*)\]\(`) })

// sarifText writes text as a SARIF message string: braces doubled, as the format's placeholders demand, and nothing in
// it a link.
func sarifText(s string) string {
	s = braces.Replace(clean(s))
	if strings.Contains(s, "](") {
		s = looksLikeLink().ReplaceAllString(s, `\[$1\](`)
	}
	return s
}

// linkText is sarifText for the text within a link's brackets.
func linkText(s string) string {
	return brackets.Replace(braces.Replace(clean(s)))
}

// artifact names a file: relative to the source root where it lies below the working folder, else as nginx names it.
func (s *sarifWriter) artifact(f *source.File) *sarif.ArtifactLocation {
	path := filepath.ToSlash(s.o.place(f))
	a := sarif.NewSimpleArtifactLocation((&url.URL{Path: path}).String())
	if !filepath.IsAbs(path) && !strings.HasPrefix(path, "/") {
		a.WithURIBaseID(sourceRoot)
	}
	return a
}

// encodeSARIF writes the report, whose one run has no results yet, and n results in it, each made when it is written.
// What go-sarif adds to every object is left out: empty arrays and the values that stand for "absent", among them
// location ids below zero, which code scanning does not take. Where some results are suppressed, the others say that they are
// not, as the format demands.
func encodeSARIF(w io.Writer, r *sarif.Report, n int, suppressions bool, result func(i int) *sarif.Result) error {
	tree, err := tidied(r)
	if err != nil {
		return err
	}
	var frame strings.Builder
	if err := EncodeJSON(&frame, tree); err != nil {
		return fmt.Errorf("encode sarif: %w", err)
	}
	// A quotation mark within a string is escaped, so that this can only be the run's own field.
	before, after, ok := strings.Cut(frame.String(), `"results": []`)
	if !ok {
		return errors.New("encode sarif: the run has no list of results")
	}
	o := &objectWriter{errWriter: errWriter{w: w}}
	o.print(before, `"results": [`)
	o.elements(n, 4, func(i int) any {
		one := result(i)
		tree, err := tidied(one)
		if err != nil && o.err == nil {
			o.err = err
		}
		if suppressions && err == nil && len(one.Suppressions) == 0 {
			tree = append(tree[:len(tree)-1], `,"suppressions":[]}`...)
		}
		return tree
	})
	o.print("]", after)
	return o.err
}

// tidied returns a value's JSON without what is empty.
func tidied(v any) (json.RawMessage, error) {
	var raw bytes.Buffer
	e := json.NewEncoder(&raw)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode sarif: %w", err)
	}
	t := &tidier{raw: raw.Bytes(), out: make([]byte, 0, raw.Len())}
	t.value()
	return t.out, nil
}

// absent are the numbers by which the schema says that a property is not there.
var absent = map[string]bool{
	"byteOffset": true, "charOffset": true, "index": true, "id": true, "rank": true, "ruleIndex": true, "parentIndex": true, "executionOrder": true,
}

// required are arrays that must be there even when they are empty.
var required = map[string]bool{"results": true, "rules": true, "runs": true, "replacements": true, "artifactChanges": true}

// A tidier copies JSON as encoding/json writes it, without blanks, and leaves out what says nothing. Reading it into a
// tree first would take most of the time that a large report takes.
type tidier struct {
	raw, out []byte
	at       int
}

// value copies one value. It is nested no deeper than the format is.
func (t *tidier) value() {
	switch t.raw[t.at] {
	case '{':
		t.object()
	case '[':
		t.array()
	default:
		t.verbatim()
	}
}

func (t *tidier) verbatim() {
	from := t.at
	t.skip()
	t.out = append(t.out, t.raw[from:t.at]...)
}

func (t *tidier) object() {
	t.out = append(t.out, '{')
	empty := true
	for t.at++; t.raw[t.at] != '}'; {
		from := t.at
		t.skip()
		key := string(t.raw[from+1 : t.at-1])
		t.at++ // the colon
		if t.drops(key) {
			t.skip()
		} else {
			if !empty {
				t.out = append(t.out, ',')
			}
			empty = false
			t.out = append(t.out, t.raw[from:t.at]...)
			if key == "properties" {
				t.verbatim() // a property bag's content is ours, and an empty list in it says something
			} else {
				t.value()
			}
		}
		if t.raw[t.at] == ',' {
			t.at++
		}
	}
	t.at++
	t.out = append(t.out, '}')
}

func (t *tidier) array() {
	t.out = append(t.out, '[')
	for t.at++; t.raw[t.at] != ']'; {
		t.value()
		if t.raw[t.at] == ',' {
			t.out = append(t.out, ',')
			t.at++
		}
	}
	t.at++
	t.out = append(t.out, ']')
}

// drops says whether the value at hand, a key's, says nothing.
func (t *tidier) drops(key string) bool {
	switch t.raw[t.at] {
	case 'n':
		return true // null
	case '{':
		return key == "properties" && t.raw[t.at+1] == '}'
	case '[':
		return t.raw[t.at+1] == ']' && !required[key]
	case '-':
		return absent[key]
	}
	return false
}

// skip goes behind the value at hand.
func (t *tidier) skip() {
	for depth := 0; ; {
		switch t.raw[t.at] {
		case '"':
			for t.at++; t.raw[t.at] != '"'; t.at++ {
				if t.raw[t.at] == '\\' {
					t.at++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		default:
			for !strings.ContainsRune(",:]}\n", rune(t.raw[t.at+1])) {
				t.at++
			}
		}
		t.at++
		if depth == 0 {
			return
		}
		if c := t.raw[t.at]; c == ',' || c == ':' {
			t.at++
		}
	}
}
