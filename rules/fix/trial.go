package fix

import (
	"fmt"
	"maps"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// A trial makes fixes on one state and looks at what comes of them.
type trial struct {
	*runner
	base     Reading
	texts    Texts
	accepted []candidate
	now      Reading // with what was accepted
	after    Texts
}

// try makes fixes beside those that were accepted: all of them at once, and where that does harm, one half after the
// other, down to the single fix that does it.
func (t *trial) try(wanted []candidate) error {
	if len(wanted) == 0 {
		return nil
	}
	if t.readings >= maxReadings {
		t.leave(wanted, fmt.Sprintf("the configuration was read %d times to find the fixes that do harm: run it again", maxReadings))
		return nil
	}
	t.readings++
	all := append(append([]candidate(nil), t.accepted...), wanted...)
	edits := editsOf(all)
	texts := maps.Clone(t.texts)
	for path, own := range byCarrier(edits) {
		texts[path] = applyTo(texts[path], own)
	}
	after, err := t.options.Read(texts)
	if err != nil {
		return fmt.Errorf("read the mended configuration: %w", err)
	}
	why := harm(t.base, after, all, byCarrier(edits))
	switch {
	case why == "":
		t.accepted, t.now, t.after = all, after, texts
		return nil
	case len(wanted) == 1:
		t.leave(wanted, why)
		return nil
	}
	half := len(wanted) / 2
	if err := t.try(wanted[:half]); err != nil {
		return err
	}
	return t.try(wanted[half:])
}

// harm says what fixes did besides what they should; "" where they did that alone.
func harm(before, after Reading, made []candidate, edits map[string][]edit) string {
	if len(after.Trees) != len(before.Trees) {
		return fmt.Sprintf("afterwards %d configurations are read where there were %d", len(after.Trees), len(before.Trees))
	}
	mended := map[identity]int{}
	for i := range made {
		for _, f := range made[i].findings {
			mended[identify(f.input, f.Finding, edits)]++
		}
	}
	for input := range before.Trees {
		if why := unreadable(before, after, input); why != "" {
			return why
		}
		if why := compare(before, after, input, mended, edits); why != "" {
			return why
		}
		if why := hidden(before, after, input, edits); why != "" {
			return why
		}
	}
	return ""
}

// unreadable says why an input does not read as well as before.
func unreadable(before, after Reading, input int) string {
	old, now := before.Trees[input], after.Trees[input]
	if len(after.Results[input].Defects) > len(before.Results[input].Defects) {
		return "afterwards a rule stops: " + after.Results[input].Defects[0]
	}
	if len(now.Input.Documents) != len(old.Input.Documents) {
		return fmt.Sprintf("afterwards %d files are read where there were %d", len(now.Input.Documents), len(old.Input.Documents))
	}
	had := map[string]int{}
	for i := range old.Refusals {
		had[old.Refusals[i].Text]++
	}
	for i := range now.Refusals {
		r := &now.Refusals[i]
		if had[r.Text]--; had[r.Text] < 0 {
			return "nginx would say: " + r.Text
		}
	}
	if old.Complete() && !now.Complete() {
		return "afterwards the configuration cannot be read in full"
	}
	return ""
}

// An identity tells the same finding before and after edits, which may have changed the words of the very directive.
type identity struct {
	input   int
	rule    string
	carrier string
	at      int // of the directive, or of what was found where there is none
}

// identify names a finding by its place after edits. There are none for one that was found after them.
func identify(input int, f *rule.Finding, edits map[string][]edit) identity {
	file, at := f.Primary.File, f.Primary.Start
	if f.Subject != nil && f.Subject.File == file {
		at = f.Subject.Name().Start
	}
	carrier := carrierOf(file)
	return identity{input, f.Rule.Name, carrier, moved(edits[carrier], int(file.Base)+int(at))}
}

// compare says which finding of an input is new, or still there. A note is no harm; nor is a comment for ngxlimit that
// holds nothing back any more, since it is taken out in the next round.
func compare(before, after Reading, input int, mended map[identity]int, edits map[string][]edit) string {
	all, grave := map[identity]int{}, map[identity]int{}
	for i := range before.Results[input].Findings {
		f := &before.Results[input].Findings[i]
		id := identify(input, f, edits)
		all[id]++
		if f.Severity.AtLeast(rule.Warning) {
			grave[id]++
		}
	}
	for i := range after.Results[input].Findings {
		f := &after.Results[input].Findings[i]
		id := identify(input, f, nil)
		if f.Severity.AtLeast(rule.Warning) && (f.Rule.Name != rule.Suppression || f.Fix == nil) {
			if grave[id]--; grave[id] < 0 {
				return fmt.Sprintf("it would bring %s: %s", newAt(f), f.Message)
			}
		}
		if mended[id] > 0 {
			if all[id]--; all[id] < mended[id] {
				return fmt.Sprintf("the finding would still be there: %s", f.Message)
			}
		}
	}
	return ""
}

// hidden says which finding of an input a comment holds back that it did not hold back before.
func hidden(before, after Reading, input int, edits map[string][]edit) string {
	held := map[identity]int{}
	for i := range before.Results[input].Held {
		held[identify(input, &before.Results[input].Held[i].Finding, edits)]++
	}
	for i := range after.Results[input].Held {
		f := &after.Results[input].Held[i].Finding
		id := identify(input, f, nil)
		if held[id]--; held[id] < 0 {
			return fmt.Sprintf("a comment would hold back %s: %s", newAt(f), f.Message)
		}
	}
	return ""
}

func newAt(f *rule.Finding) string {
	return fmt.Sprintf("%s at line %d of %s", f.Rule.Name, f.Primary.From().Line, f.Primary.File.Path)
}
