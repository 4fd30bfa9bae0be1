package main

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// defaultFan is the page that is loaded where no other is named.
const defaultFan = "portal"

// pagesOf computes what a page load suffers at each server that has a limit somewhere.
func pagesOf(tree *config.Tree, clients int) []report.Page {
	if tree.HTTP == nil {
		return nil
	}
	fan, err := builtinFan(defaultFan)
	if err != nil {
		return nil // it is part of the program, and a test reads it
	}
	var pages []report.Page
	var facts *simulate.Pages
	for _, s := range tree.HTTP.Servers {
		if !simulate.Limited(s) {
			continue
		}
		if facts == nil {
			facts = simulate.NewPages(tree, route.New(tree))
		}
		page := facts.Of(s, fan, clients, clients)
		if page == nil {
			continue
		}
		pages = append(pages, report.Page{Input: tree.Input.Path, Server: s.Names[0].Text, Page: *page})
	}
	return pages
}
