package oracle

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest/measured"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// A tally counts the decisions of a file.
type tally struct {
	*testing.T
	same, all int
}

// shown is how many disagreements of one file are told in full.
const shown = 5

// compare counts one decision. Both sides are compared, and shown, in JSON.
func (c *tally) compare(what string, got, want any) {
	c.all++
	g, w := text(got), text(want)
	if g == w {
		c.same++
		return
	}
	if c.all-c.same <= shown {
		c.Errorf("%s:\n got %s\nwant %s", what, g, w)
	} else {
		c.Fail()
	}
}

// percent cuts off, so that 100 % means all.
func (c *tally) percent() string {
	milli := c.same * 100_000 / max(c.all, 1)
	return fmt.Sprintf("%d.%03d %%", milli/1000, milli%1000)
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// inHTTP puts what stands in http into a whole configuration.
func inHTTP(http string) string { return "events {}\nhttp {\n" + http + "\n}\n" }

// loadText reads a configuration from its text, as the given nginx does.
func (c *tally) loadText(conf, version string) *config.Tree {
	c.Helper()
	path := filepath.Join(c.TempDir(), "nginx.conf")
	if err := os.WriteFile(path, []byte(conf), 0o600); err != nil {
		c.Fatal(err)
	}
	return c.load(path, version)
}

func (c *tally) load(path, version string) *config.Tree {
	c.Helper()
	in, err := load.Load([]string{path}, load.Options{Version: version})
	if err != nil || len(in) != 1 {
		c.Fatalf("read %s: %v, %d inputs", path, err, len(in))
	}
	return config.Resolve(in[0], config.Options{Version: version})
}

// pipelineOf returns an nginx that runs the configuration, with nothing on its disk.
func (c *tally) pipelineOf(tree *config.Tree) *pipeline.Pipeline {
	c.Helper()
	for _, r := range tree.Refusals {
		if !r.Warning {
			c.Fatalf("line %d: %s", r.Line, r.Text)
		}
	}
	p := pipeline.New(tree, route.New(tree))
	p.Explain = true // so that a disagreement shows the way
	p.Files = func(string) pipeline.FileKind { return pipeline.FileAbsent }
	return p
}

// inText returns an nginx that runs what stands in http.
func (c *tally) inText(http string) *pipeline.Pipeline {
	c.Helper()
	return c.pipelineOf(c.loadText(inHTTP(http), measured.Version))
}
