package main

import (
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// defaultFan is the page that is loaded where no other is named.
const defaultFan = rule.PageFan

// pagesOf gathers what a page load suffers at each server that has a limit somewhere. The rules have asked for most of
// it already.
func pagesOf(facts *rule.Facts) []report.Page {
	tree := facts.Tree
	if tree.HTTP == nil {
		return nil
	}
	var pages []report.Page
	for _, s := range tree.HTTP.Servers {
		for _, page := range facts.Pages(s) {
			pages = append(pages, report.Page{Input: tree.Input.Path, Server: s, Page: *page})
		}
	}
	return pages
}
