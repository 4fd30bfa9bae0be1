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
// location ids below zero, which code scanning does not take.
func encodeSARIF(w io.Writer, r *sarif.Report, n int, result func(i int) *sarif.Result) error {
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
		tree, err := tidied(result(i))
		if err != nil && o.err == nil {
			o.err = err
		}
		return tree
	})
	o.print("]", after)
	return o.err
}

// tidied returns a value's JSON as a tree, without what is empty.
func tidied(v any) (any, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode sarif: %w", err)
	}
	var tree any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return nil, fmt.Errorf("tidy sarif: %w", err)
	}
	tidy(tree)
	return tree, nil
}

// absent are the numbers by which the schema says that a property is not there.
var absent = map[string]bool{
	"byteOffset": true, "charOffset": true, "index": true, "id": true, "rank": true, "ruleIndex": true, "parentIndex": true,
}

// required are arrays that must be there even when they are empty.
var required = map[string]bool{"results": true, "rules": true, "runs": true, "replacements": true, "artifactChanges": true}

func tidy(node any) {
	switch v := node.(type) {
	case map[string]any:
		for key, child := range v {
			if _, open := child.(map[string]any); key == "properties" && open {
				tidyProperties(v, key)
				continue
			}
			if drop(key, child) {
				delete(v, key)
				continue
			}
			tidy(child)
		}
	case []any:
		for _, child := range v {
			tidy(child)
		}
	}
}

// tidyProperties leaves a property bag's own content alone: it is ours, and an empty list in it says something.
func tidyProperties(parent map[string]any, key string) {
	bag, _ := parent[key].(map[string]any)
	if len(bag) == 0 {
		delete(parent, key)
	}
}

func drop(key string, child any) bool {
	switch v := child.(type) {
	case nil:
		return true
	case []any:
		return len(v) == 0 && !required[key]
	case json.Number:
		return absent[key] && strings.HasPrefix(v.String(), "-")
	}
	return false
}
