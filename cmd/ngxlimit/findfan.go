package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// A found fan is a built-in one, or comes from a file; then it may be a recording.
type found struct {
	*traffic.Fan
	recording *traffic.Recording // nil for a fan that is none
}

// findFan returns a built-in fan by name, or reads one from a file. A file whose name ends in .har is a recording; the
// options are for it.
func findFan(name string, o traffic.HAROptions) (found, error) {
	if slices.Contains(traffic.Names(), name) {
		fan, err := traffic.Builtin(name)
		return found{Fan: fan}, err
	}
	file, err := os.Open(name)
	if err != nil {
		if filepath.Base(name) == name && filepath.Ext(name) == "" {
			return found{}, unknownName("fan", name, traffic.Names())
		}
		return found{}, fmt.Errorf("%s: %w", name, bare(err))
	}
	defer file.Close() //nolint:errcheck // nothing was written
	o.Name = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	if !strings.EqualFold(filepath.Ext(name), ".har") {
		fan, err := traffic.ReadFan(file, o.Name)
		if err != nil {
			return found{}, placed(name, err)
		}
		return found{Fan: fan}, nil
	}
	rec, err := traffic.ReadHAR(file, o)
	if err != nil {
		return found{}, placed(name, err)
	}
	return found{rec.Fan, rec}, nil
}
