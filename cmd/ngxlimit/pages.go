package main

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// defaultFan is the page that is loaded where no other is named.
const defaultFan = rule.PageFan

// pagesOf gathers what a page load suffers at each server that has a limit that runs somewhere. The rules have asked for most of
// it already.
func pagesOf(facts *rule.Facts) []report.Page {
	tree := facts.Tree
	if tree.HTTP == nil {
		return nil
	}
	var pages []report.Page
	for _, s := range tree.HTTP.Servers {
		for _, page := range facts.Pages(s) {
			limited := *page
			limited.Locations = judging(s, page.Locations)
			if !slices.ContainsFunc(limited.Locations, func(l simulate.PageLocation) bool { return l.One.Limited || l.Office.Limited }) {
				continue
			}
			pages = append(pages, report.Page{Input: tree.Input.Path, Server: s, Page: limited})
		}
	}
	return pages
}

// judging calls no location limited in which the limiter does not run, whatever limits are in effect there: a return or a
// rewrite is done before.
func judging(s *config.Server, locations []simulate.PageLocation) []simulate.PageLocation {
	kept := slices.Clone(locations)
	for i := range kept {
		l := &kept[i]
		place := rule.Place{Level: &s.Level, Server: s}
		if l.Location != nil {
			place = rule.PlaceOf(l.Location)
		}
		if !place.Judges() {
			l.One.Limited, l.Office.Limited = false, false
		}
	}
	return kept
}
