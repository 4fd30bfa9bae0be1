package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/oserror"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// readFan returns a built-in fan by name, or reads one from a file. A file whose name ends in .har is a recording, and the
// options are for it; for any other fan there is no recording.
func readFan(name string, o traffic.HAROptions) (*traffic.Fan, *traffic.Recording, error) {
	if slices.Contains(traffic.Names(), name) {
		fan, err := traffic.Builtin(name)
		return fan, nil, err
	}
	file, err := os.Open(name)
	if err != nil {
		if filepath.Base(name) == name && filepath.Ext(name) == "" {
			return nil, nil, unknownName("fan", name, traffic.Names())
		}
		return nil, nil, fmt.Errorf("%s: %w", name, oserror.Bare(err))
	}
	defer file.Close() //nolint:errcheck // nothing was written
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, nil, fmt.Errorf("%s: it is a folder", name)
	}
	o.Name = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	if !strings.EqualFold(filepath.Ext(name), ".har") {
		fan, err := traffic.ReadFan(file, o.Name)
		if err != nil {
			return nil, nil, placed(name, err)
		}
		return fan, nil, nil
	}
	rec, err := traffic.ReadHAR(file, o)
	if err != nil {
		return nil, nil, placed(name, err)
	}
	return rec.Fan, rec, nil
}
