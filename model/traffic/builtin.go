package traffic

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed fans/*.json
var fanFiles embed.FS

// Names returns the names of the built-in fans, sorted.
func Names() []string {
	entries, err := fanFiles.ReadDir("fans")
	if err != nil {
		return nil // the folder is part of the program
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".json")
	}
	slices.Sort(names)
	return names
}

// Builtin returns a built-in fan, a new copy at each call. An unknown name is refused with the names that there are.
func Builtin(name string) (*Fan, error) {
	data, err := fanFiles.ReadFile("fans/" + name + ".json")
	if err != nil {
		return nil, fmt.Errorf("unknown fan %s; known are %s", quoted(name), strings.Join(Names(), ", "))
	}
	f, err := ReadFan(bytes.NewReader(data), name)
	if err != nil {
		return nil, fmt.Errorf("read fan %s: %w", name, err)
	}
	return f, nil
}
