// Command beam replays the access logs of a fleet with Apache Beam: it shards them by nginx host, has ngxlimit replay each
// host's where a worker is free, and merges what came of them into the report that one run over all logs would print.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
)

func main() {
	ngxlimit := flag.String("ngxlimit", "ngxlimit", "program to replay with")
	config := flag.String("config", "", "nginx configuration, or a dump of nginx -T")
	logs := flag.String("logs", "", "pattern of the logs, such as 'logs/*/access.log*'")
	nginx := flag.String("nginx", `([^/]+)/[^/]+$`, "regular expression whose first group is the name of the nginx in a log's path")
	format := flag.String("format", "text", "of the report: text, json, html")
	output := flag.String("output", "report", "file of the report")
	flag.Parse()
	beam.Init()
	if err := run(context.Background(), *ngxlimit, *config, *logs, *nginx, *format, *output); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, ngxlimit, config, logs, nginx, format, output string) error {
	found, err := filepath.Glob(logs)
	if err != nil {
		return fmt.Errorf("find logs: %w", err)
	}
	if len(found) == 0 {
		return fmt.Errorf("no log matches %s", logs)
	}
	if _, err := regexp.Compile(nginx); err != nil {
		return fmt.Errorf("--nginx: %w", err)
	}
	p, s := beam.NewPipelineWithRoot()
	report := Replay(s, beam.CreateList(s, found), Program{Path: ngxlimit, Config: config, Nginx: nginx}, format)
	beam.ParDo0(s, &WriteFn{Output: output}, report)
	if err := beamx.Run(ctx, p); err != nil {
		return fmt.Errorf("run the pipeline: %w", err)
	}
	return nil
}

// A WriteFn writes the report.
type WriteFn struct{ Output string }

// ProcessElement writes one report.
func (f *WriteFn) ProcessElement(report string) error {
	if err := os.WriteFile(f.Output, []byte(report), 0o644); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
