package load

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// plant writes the files of an archive below a folder. A file "x -> y" is a link to its content.
func plant(t testing.TB, folder string, files []txtar.File) {
	t.Helper()
	for _, f := range files {
		path := filepath.Join(folder, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if link, found := strings.CutSuffix(path, " ->"); found {
			if runtime.GOOS == "windows" {
				t.Skip("links need rights there")
			}
			target := strings.ReplaceAll(strings.TrimSpace(string(f.Data)), "$FOLDER", folder)
			if err := os.Symlink(target, link); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTrees reads the trees of testdata. The comment of an archive ends with a line of options and paths:
// `load root=R prefix=P map=A:B version=V context=a,b PATH...`; all are below the folder where the files lie.
func TestTrees(t *testing.T) {
	paths, err := filepath.Glob("testdata/trees/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no trees: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			folder, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			var files []txtar.File
			for _, f := range archive.Files {
				if f.Name != "want" {
					f.Data = []byte(strings.ReplaceAll(string(f.Data), "$FOLDER", folder))
					files = append(files, f)
				}
			}
			plant(t, folder, files)
			lines := strings.Split(strings.TrimSpace(string(archive.Comment)), "\n")
			var got strings.Builder
			for _, line := range lines {
				if words := strings.Fields(line); len(words) > 0 && words[0] == "load" {
					o, inputs := options(t, folder, words[1:])
					read, err := Load(inputs, o)
					if strings.Count(string(archive.Comment), "\nload ") > 1 {
						got.WriteString("> " + line + "\n")
					}
					if err != nil {
						got.WriteString("error: " + err.Error() + "\n")
					}
					got.WriteString(describe(read))
				}
			}
			compare(t, path, archive, strings.ReplaceAll(got.String(), folder, "$FOLDER"))
		})
	}
}

func options(t *testing.T, folder string, words []string) (o Options, inputs []string) {
	t.Helper()
	for _, word := range words {
		key, value, found := strings.Cut(word, "=")
		switch {
		case !found:
			inputs = append(inputs, filepath.Join(folder, word))
		case key == "root":
			o.Root = filepath.Join(folder, value)
		case key == "prefix":
			o.Prefix = filepath.Join(folder, value)
		case key == "version":
			o.Version = value
		case key == "context":
			o.Context = strings.Split(value, ",")
		case key == "map":
			from, to, _ := strings.Cut(value, ":")
			o.MapPath = map[string]string{from: strings.ReplaceAll(to, "$FOLDER", folder)}
		default:
			t.Fatalf("unknown option %s", word)
		}
	}
	return o, inputs
}
