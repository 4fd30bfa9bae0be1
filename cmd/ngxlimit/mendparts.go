package main

import (
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/rules/fix"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// tellParts says on standard error of fragments that were to be mended that they were judged by themselves: limits by zones
// that are defined elsewhere are neither judged nor mended, and it may look as if all were well.
func (m *mender) tellParts(reading fix.Reading, facts []*rule.Facts) {
	for i, tree := range reading.Trees {
		in := tree.Input
		if in.Kind != load.Fragment || in.Path == "-" {
			continue
		}
		why := partly(facts[i], len(reading.Results[i].Silent))
		if why == "" {
			continue
		}
		complain(m.app.stderr, fmt.Errorf("%s is mended as a part by itself, where %s: %s", in.Path, why, m.wholeOf(in.Path)))
	}
}

// partly says what a fragment lacks that its mending rests on; "" where nothing is known to lack.
func partly(f *rule.Facts, silent int) string {
	var zones []string
	for list := range f.Lists() {
		for _, l := range list.Lines {
			if !l.Known && !slices.Contains(zones, l.Zone) {
				zones = append(zones, l.Zone)
			}
		}
	}
	switch {
	case len(zones) == 1:
		return fmt.Sprintf("limits by zone %q are not judged, since nothing that was read defines it", zones[0])
	case len(zones) > 1:
		return fmt.Sprintf("limits by %d zones, such as %q, are not judged, since nothing that was read defines them", len(zones), zones[0])
	case silent == 1:
		return "1 rule says nothing"
	case silent > 1:
		return fmt.Sprintf("%d rules say nothing", silent)
	}
	return ""
}

// wholeOf says how a part is mended within the configuration that includes it.
func (m *mender) wholeOf(path string) string {
	if !m.from.whole {
		flags := *m.from
		flags.whole, flags.texts = true, nil
		inputs, err := flags.read(m.app, []string{path})
		if err == nil && len(inputs) > 0 && inputs[0].Kind != load.Fragment {
			return fmt.Sprintf("--whole takes it within %s, which includes it", inputs[0].Path)
		}
	}
	return "name the main file that includes it, as none was found around it"
}
