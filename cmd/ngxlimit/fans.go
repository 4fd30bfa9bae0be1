package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

func newFans(a *app) *cobra.Command {
	format := oneOf("text", "text", "json")
	cmd := &cobra.Command{
		Use:   "fans [NAME]",
		Short: "List the page loads that can be simulated, or show one",
		Args:  needArgs(0, 1, "[NAME]"),
		RunE: func(_ *cobra.Command, args []string) error {
			names := traffic.Names()
			if len(args) == 1 {
				names = args
			}
			fans := make([]*traffic.Fan, len(names))
			for i, name := range names {
				fan, err := builtinFan(name)
				if err != nil {
					return err
				}
				fans[i] = fan
			}
			switch {
			case format.value == "json" && len(args) == 1:
				return report.EncodeJSON(a.stdout, fanEntry(fans[0]))
			case format.value == "json":
				out := make([]fanJSON, len(fans))
				for i, fan := range fans {
					out[i] = fanEntry(fan)
				}
				return report.EncodeJSON(a.stdout, out)
			case len(args) == 1:
				return showFan(a.stdout, fans[0])
			}
			return listFans(a.stdout, fans)
		},
	}
	cmd.Flags().Var(format, "format", "how to print")
	return cmd
}

// builtinFan is traffic.Builtin with a suggestion for a misspelt name.
func builtinFan(name string) (*traffic.Fan, error) {
	fan, err := traffic.Builtin(name)
	if err != nil {
		return nil, unknownName("fan", name, traffic.Names())
	}
	return fan, nil
}

type fanJSON struct {
	Name        string           `json:"name"`
	Description string           `json:"description"`
	Basis       string           `json:"basis"`
	Sources     []string         `json:"sources"`
	Requests    []fanRequestJSON `json:"requests"`
}

type fanRequestJSON struct {
	Method    string `json:"method"`
	Path      string `json:"path"`
	Kind      string `json:"kind"`
	DependsOn *int   `json:"depends_on"`
	StartMs   int64  `json:"start_offset_ms"`
}

func fanEntry(f *traffic.Fan) fanJSON {
	out := fanJSON{Name: f.Name, Description: f.Description, Basis: f.Basis, Sources: append([]string{}, f.Sources...)}
	for _, r := range f.Requests {
		out.Requests = append(out.Requests, fanRequestJSON{r.Method, r.Path, r.Kind, r.DependsOn, r.StartOffsetMs})
	}
	return out
}

func listFans(w io.Writer, fans []*traffic.Fan) error {
	width := 0
	for _, f := range fans {
		width = max(width, len(f.Name))
	}
	var b strings.Builder
	for _, f := range fans {
		fmt.Fprintf(&b, "%-*s  %3d requests  %s\n", width, f.Name, len(f.Requests), f.Description)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func showFan(w io.Writer, f *traffic.Fan) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", f.Name, f.Description)
	if f.Basis != "" {
		fmt.Fprintf(&b, "basis: %s\n", f.Basis)
	}
	for _, s := range f.Sources {
		fmt.Fprintf(&b, "source: %s\n", s)
	}
	b.WriteString("\n")
	for i, r := range f.Requests {
		after := "at the start"
		if r.DependsOn != nil {
			after = fmt.Sprintf("after %d", *r.DependsOn)
		}
		if r.StartOffsetMs > 0 {
			after += fmt.Sprintf(" + %d ms", r.StartOffsetMs)
		}
		fmt.Fprintf(&b, "%3d  %-6s %-40s %-10s %s\n", i, r.Method, r.Path, r.Kind, after)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
