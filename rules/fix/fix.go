// Package fix mends configurations: it takes the fixes that findings carry, applies those that do not touch each other,
// reads the result again, and keeps what proves good. A fix after which the configuration does not read, its finding is
// still there, or something else is wrong, is dropped, and it says so. It goes round until nothing is left to mend.
//
// It opens, reads and writes no file: whoever calls it reads the inputs, says which files may be changed, and writes
// what comes out. It knows no rule.
package fix

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// A Reading is what was read of the inputs, and what the rules found in each.
type Reading struct {
	Trees   []*config.Tree
	Results []run.Result
}

// Texts are the bytes of the inputs by what holds them: a file's own path (source.File.Real), or Stdin.
type Texts map[string]string

// Stdin stands for standard input among Texts.
const Stdin = "-"

// Options say what may be changed, and how it is read again.
type Options struct {
	Unsafe bool                           // also fixes after which requests may be answered differently
	Read   func(Texts) (Reading, error)   // reads the inputs with these texts in place of what holds them, and runs the rules
	Refuse func(path string) (why string) // why a file must not be changed; "" where it may. Dumps and standard input are not asked about
}

// The bounds on one run. Fixes that touch each other take a round each; a fix that harms is found by halving, which takes
// readings.
const (
	maxRounds   = 20
	maxReadings = 200
)

// An Outcome is what came of a run. Its reading is that with the changes of files on disk; what a dump or standard input
// carries is shown, not changed.
type Outcome struct {
	Reading
	Fixed   []Fixed  // in the order in which they were made
	Left    []Left   // fixes that were asked for and not made
	Held    int      // fixes that only Options.Unsafe would have made
	Changes []Change // one for each file that is different now, in the order in which the inputs hold them
}

// Fixed is a finding that was mended, as it was found.
type Fixed struct {
	Finding rule.Finding
	Carried bool // by a dump or by standard input
}

// Left is a finding whose fix was not made.
type Left struct {
	Finding rule.Finding
	Why     string
}

// A Change is the difference of one file.
type Change struct {
	File  *source.File // as it was read at first; in a dump and for standard input there is nothing to write
	Input int          // of Reading, the first that holds it
	New   string
	edits []edit
}

// Carried says that the file has no file of its own on disk: a dump or standard input carries it.
func (c *Change) Carried() bool { return isCarried(c.File) }

// Run mends what it can in a first reading.
func Run(first Reading, o Options) (Outcome, error) {
	r := &runner{options: o, first: first, now: first, texts: textsOf(first.Trees), pieces: map[string]*pieces{}, refused: map[string]string{}}
	for round := 1; ; round++ {
		wanted := r.candidates()
		if len(wanted) == 0 {
			break
		}
		if round > maxRounds {
			r.leave(wanted, fmt.Sprintf("%d rounds of fixes were made, and more would change: run it again", maxRounds))
			break
		}
		made, err := r.round(wanted)
		if err != nil {
			return Outcome{}, err
		}
		if !made {
			break
		}
		r.left = nil // what was dropped in this round is tried again on what it has become
	}
	now, err := r.withoutCarried()
	return Outcome{Reading: now, Fixed: r.fixed, Left: append(r.kept, r.left...), Held: r.held, Changes: r.changes()}, err
}

// A runner is the state of one run.
type runner struct {
	options  Options
	first    Reading
	now      Reading
	texts    Texts              // of now
	pieces   map[string]*pieces // of what was changed
	refused  map[string]string  // why, by path; "" where a file may be changed
	readings int
	fixed    []Fixed
	kept     []Left // for good
	left     []Left // in this round
	held     int
}

// round makes what it can of the fixes wanted, and says whether it made any: unsafe ones where no safe one is left, so that
// the result is the same as of a run with safe ones alone and another one behind it.
func (r *runner) round(wanted []candidate) (made bool, err error) {
	t := &trial{runner: r, base: r.now, texts: r.texts}
	safe, others := partition(wanted)
	for _, wanted := range [][]candidate{safe, others} {
		for len(wanted) > 0 && len(t.accepted) == 0 {
			var chosen []candidate
			chosen, wanted = choose(wanted)
			if err := t.try(chosen); err != nil {
				return false, err
			}
		}
	}
	if len(t.accepted) == 0 {
		return false, nil
	}
	edits := editsOf(t.accepted)
	for path, own := range byCarrier(edits) {
		p := r.pieces[path]
		if p == nil {
			p = newPieces(r.texts[path])
			r.pieces[path] = p
		}
		p.apply(own)
	}
	for _, c := range t.accepted {
		for _, f := range c.findings {
			r.fixed = append(r.fixed, Fixed{Finding: *f.Finding, Carried: c.carried})
		}
	}
	r.now, r.texts = t.now, t.after
	return true, nil
}

// withoutCarried is the reading with the changes of files alone: dumps and standard input stay as they are.
func (r *runner) withoutCarried() (Reading, error) {
	texts := maps.Clone(r.texts)
	carried := false
	for _, tree := range r.first.Trees {
		for _, doc := range tree.Input.Documents {
			path := carrierOf(doc.File)
			if p := r.pieces[path]; p != nil && isCarried(doc.File) {
				texts[path], carried = p.original, true
			}
		}
	}
	switch {
	case !carried:
		return r.now, nil
	case !slices.ContainsFunc(r.fixed, func(f Fixed) bool { return !f.Carried }):
		return r.first, nil
	}
	now, err := r.options.Read(texts)
	if err != nil {
		return now, fmt.Errorf("read the mended configuration: %w", err)
	}
	return now, nil
}

func (r *runner) leave(wanted []candidate, why string) {
	for _, c := range wanted {
		for _, f := range c.findings {
			r.left = append(r.left, Left{*f.Finding, why})
		}
	}
}

// candidates gathers the fixes that the present findings carry, each once, in the order of the findings. What must not be
// made is noted.
func (r *runner) candidates() []candidate {
	var all []candidate
	known := map[string]int{}
	r.kept, r.held = nil, 0
	for input := range r.now.Results {
		found := r.now.Results[input].Findings
		for i := range found {
			f := &found[i]
			if f.Fix == nil || len(f.Fix.Edits) == 0 {
				continue
			}
			if !f.Fix.Safe && !r.options.Unsafe {
				r.held++
				continue
			}
			c := newCandidate(input, f)
			why := cmp.Or(c.invalid(), r.refuse(c))
			if why != "" {
				r.kept = append(r.kept, Left{*f, why})
				continue
			}
			if same, ok := known[c.key]; ok {
				all[same].findings = append(all[same].findings, c.findings...)
				continue
			}
			known[c.key] = len(all)
			all = append(all, c)
		}
	}
	return all
}

// refuse says why one of the files that a fix would change must not be.
func (r *runner) refuse(c candidate) string {
	if c.carried || r.options.Refuse == nil {
		return ""
	}
	for _, e := range c.edits {
		why, ok := r.refused[e.carrier]
		if !ok {
			why = r.options.Refuse(e.carrier)
			r.refused[e.carrier] = why
		}
		if why != "" {
			return why
		}
	}
	return ""
}

// changes compares the first reading with the last one.
func (r *runner) changes() []Change {
	var all []Change
	seen := map[string]bool{}
	for i, tree := range r.first.Trees {
		for _, doc := range tree.Input.Documents {
			f := doc.File
			path := carrierOf(f)
			p := r.pieces[path]
			key := path
			if f.Container != "" {
				key = fmt.Sprintf("%s\x00%d\x00%s", path, f.Base, f.Path)
			}
			if p == nil || seen[key] {
				continue
			}
			seen[key] = true
			own := p.within(int(f.Base), int(f.Base)+len(f.Text))
			if len(own) == 0 {
				continue
			}
			all = append(all, Change{File: f, Input: i, New: applyTo(f.Text, own), edits: own})
		}
	}
	return all
}

// textsOf gathers the bytes of everything that was read, so that reading again sees the same.
func textsOf(trees []*config.Tree) Texts {
	texts := Texts{}
	for _, tree := range trees {
		in := tree.Input
		for _, doc := range in.Documents {
			if in.Kind == load.Dump {
				texts[carrierOf(doc.File)] = in.Whole
			} else {
				texts[carrierOf(doc.File)] = doc.File.Text
			}
		}
	}
	return texts
}

// editsOf joins the edits of fixes, in order.
func editsOf(all []candidate) []edit {
	var edits []edit
	for i := range all {
		edits = append(edits, all[i].edits...)
	}
	slices.SortStableFunc(edits, compareEdits)
	return edits
}
