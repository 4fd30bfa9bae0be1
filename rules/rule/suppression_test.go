package rule_test

import (
	"testing"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

func TestLooksLikeSuppression(t *testing.T) {
	like := []string{
		"# ngxlimit: ignore missing-burst known", "# ngxlimit:disable missing-burst", "# ngxlimit:ignored x", "# ngxlimit:ignore=missing-burst",
		"# ngxlimit:ignore(missing-burst)", "# ngxlimit:ingore missing-burst", "# NGXLIMIT:IGNORE missing-burst", "#ngxlimit ignore missing-burst",
		"# ngxlimit-ignore missing-burst", "# nginxlimit:ignore missing-burst", "# nginx-limit:ignore missing-burst", "# ngxlimt:ignore x",
		"# ngxlint:disable x", "# ngx_limit : ignore x", "# nolint:ngxlimit", "# noqa: ngxlimit",
	}
	for _, c := range like {
		if _, is := rule.CutSuppression(c); is || !rule.LooksLikeSuppression(c) {
			t.Errorf("%q is not taken for a mistaken suppression", c)
		}
	}
	unlike := []string{
		"# ngxlimit:", "# ngxlimit: sized with tune",
		"# ngxlimit:context http,server", "# ngxlimit says nothing of this", "# see ngxlimit: ignore", "# nginx: ignore bots", "# nginx limits: see below",
		"# nginx limit off for partners", "# ngxlimit found this in 2026", "# nolint", "# ignore",
	}
	for _, c := range unlike {
		if rule.LooksLikeSuppression(c) {
			t.Errorf("%q is taken for a mistaken suppression", c)
		}
	}
	if _, is := rule.CutSuppression("# ngxlimit:ignore missing-burst known"); !is {
		t.Error("a suppression is none")
	}
}
