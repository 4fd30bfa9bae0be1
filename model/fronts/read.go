package fronts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// A File is one file that says what stands in front.
type File struct {
	List *List
	// subnets are names of subnets without their networks, as a balancer's description has them; which networks they are
	// stands in another file.
	subnets []string
	named   bool   // each network is a subnet, whose name begins its label
	id      string // of the front whose list it is; "" where nothing tells
}

// want names what can be read, for errors.
const want = `want the output of "aws ec2 describe-subnets" (and "aws elbv2 describe-load-balancers"), "gcloud compute networks subnets list", ` +
	`"az network vnet subnet list", "kubectl get nodes -o json" or "docker network inspect", AWS's ip-ranges.json, Azure's service tags, ` +
	`or a list of networks, one a line`

// Read reads a file. The name is for messages only.
func Read(name string, data []byte) (*File, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	f := &File{List: &List{Name: name}}
	var err error
	switch text := bytes.TrimLeft(data, " \t\r\n"); {
	case len(text) == 0:
		err = errors.New("it is empty")
	case bytes.HasPrefix(text, []byte("\xff\xfe")), bytes.HasPrefix(text, []byte("\xfe\xff")):
		err = errors.New("it is in UTF-16, as PowerShell writes what a command prints: write it as UTF-8")
	case strings.IndexByte("{[\"", text[0]) >= 0:
		err = f.readJSON(data)
	default:
		err = f.readPlain(string(data))
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("read proxies: %s: %w", name, err)
	case len(f.List.Networks) > maxNetworks:
		return nil, fmt.Errorf("read proxies: %s has %d networks, more than %d", name, len(f.List.Networks), maxNetworks)
	case len(f.List.Networks) == 0 && len(f.subnets) == 0:
		return nil, fmt.Errorf("read proxies: %s: %s holds no network", name, f.List.Made)
	}
	f.List.close()
	return f, nil
}

// An object is JSON whose fields are looked at before it is known what they mean.
type object map[string]json.RawMessage

func (o object) has(names ...string) bool {
	for _, n := range names {
		if _, ok := o[n]; !ok {
			return false
		}
	}
	return true
}

// A form is one kind of JSON that can be read, or that people take for one.
type form struct {
	made string
	is   func(object) bool
	read func(*File, []byte) error
}

// readJSON reads a JSON text, or several in a row, as jq writes them: these are read as an array of them.
func (f *File) readJSON(data []byte) error {
	var all []json.RawMessage
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		var v json.RawMessage
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return noJSON(data, err)
		}
		all = append(all, v)
	}
	switch {
	case len(all) > 1 || all[0][0] == '"':
		return f.readArray(slices.Concat([]byte{'['}, bytes.Join(rawBytes(all), []byte{','}), []byte{']'}))
	case all[0][0] == '[':
		return f.readArray(all[0])
	}
	return f.readObject(all[0])
}

func rawBytes(all []json.RawMessage) [][]byte {
	out := make([][]byte, len(all))
	for i := range all {
		out[i] = all[i]
	}
	return out
}

// readArrays reads arrays in an array: pages of answers, or rows of texts as --query makes them, of which the networks are
// taken and the rest is their label.
func (f *File) readArrays(all []json.RawMessage) error {
	var pages [][]byte
	for _, v := range all {
		var row []string
		if json.Unmarshal(v, &row) == nil && len(row) > 0 {
			if err := f.addRow(row); err != nil {
				return err
			}
			continue
		}
		page := []json.RawMessage{v}
		if v[0] == '[' {
			if err := json.Unmarshal(v, &page); err != nil {
				return jsonError(err)
			}
		}
		for _, inner := range page {
			if inner[0] != '{' {
				return fmt.Errorf("unknown JSON, a list that holds %s beside lists of objects or of texts: %s", quoted(string(inner)), want)
			}
			pages = append(pages, inner)
		}
	}
	if len(pages) == 0 {
		f.List.Made = "a list of networks"
		return nil
	}
	return f.readArray(slices.Concat([]byte{'['}, bytes.Join(pages, []byte{','}), []byte{']'}))
}

// addRow adds the networks among some words; the others are what they are called.
func (f *File) addRow(words []string) error {
	var networks, others []string
	for _, w := range words {
		if _, _, ok := request.ParseNetwork(w); ok {
			networks = append(networks, w)
		} else if w != "" {
			others = append(others, w)
		}
	}
	if len(networks) == 0 {
		return notNetwork(strings.Join(words, " "))
	}
	return f.addAll(networks, strings.Join(others, ", "))
}

func (f *File) readObject(data []byte) error {
	var o object
	if err := json.Unmarshal(data, &o); err != nil {
		return jsonError(err)
	}
	for _, form := range objectForms {
		if form.is(o) {
			f.List.Made = form.made
			return form.read(f, data)
		}
	}
	return fmt.Errorf("unknown JSON with the keys %s: %s", keysOf(o), want)
}

func (f *File) readArray(data []byte) error {
	var texts []string
	if json.Unmarshal(data, &texts) == nil {
		f.List.Made = "a list of networks"
		return f.addAll(texts, "")
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return jsonError(err)
	}
	if len(raw) > 0 && raw[0][0] == '[' {
		return f.readArrays(raw)
	}
	var all []object
	if err := json.Unmarshal(data, &all); err != nil {
		return jsonError(err)
	}
	for _, form := range arrayForms {
		if form.is(all[0]) {
			f.List.Made = form.made
			return form.read(f, data)
		}
	}
	for _, form := range objectForms { // several answers, one behind the other
		if form.is(all[0]) {
			for _, v := range raw {
				if err := f.readObject(v); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return fmt.Errorf("unknown JSON, a list of objects with the keys %s: %s", keysOf(all[0]), want)
}

func (f *File) addAll(texts []string, label string) error {
	for _, text := range texts {
		if err := f.List.addText(text, label); err != nil {
			return err
		}
	}
	return nil
}

// noJSON says where a text is no JSON: line and column count from 1, the column in bytes.
func noJSON(data []byte, err error) error {
	at, why := len(data), "it ends early"
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		at, why = int(min(max(e.Offset-1, 0), int64(len(data)))), e.Error()
	}
	before := data[:at]
	return fmt.Errorf("no JSON at line %d, column %d: %s", bytes.Count(before, []byte{'\n'})+1, at-bytes.LastIndexByte(before, '\n'), why)
}

// jsonError is about JSON whose parts are of other types than the command writes. Offsets are of no use here: parts are read
// apart from the file that they stand in.
func jsonError(err error) error {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && e.Field != "" {
		return fmt.Errorf("unknown JSON, in which %s is of the type %s: %s", quoted(e.Field), e.Value, want)
	}
	return fmt.Errorf("unknown JSON: %s", want)
}

// keysOf names some keys of an object, for errors.
func keysOf(o object) string {
	names := slices.Sorted(maps.Keys(o))
	if len(names) == 0 {
		return "(none)"
	}
	const shown = 5
	for i, n := range names {
		names[i] = fmt.Sprintf("%.40q", n)
	}
	if len(names) > shown {
		return strings.Join(names[:shown], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}

// awsWord matches the names of AWS's subnets, and of availability zones.
var awsWord = regexp.MustCompile(`^(subnet-[0-9a-z]+|[a-z]{2}(-[a-z]+)+-[0-9][a-z])$`)

// readPlain reads networks separated by white space or commas. Comments begin with "#"; lines of an nginx configuration
// that name networks, as an include of them does, are understood.
func (f *File) readPlain(text string) error {
	f.List.Made = "a list of networks"
	number := 0
	for line := range strings.Lines(text) {
		number++
		line, _, _ = strings.Cut(line, "#")
		words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\r\n,;", r) })
		if len(words) > 0 && (words[0] == "set_real_ip_from" || words[0] == "allow") {
			words = words[1:]
		}
		if len(words) > 1 && slices.ContainsFunc(words, awsWord.MatchString) { // a row of "aws ... --output text"
			if err := f.addRow(words); err != nil {
				return fmt.Errorf("line %d: %w", number, err)
			}
			continue
		}
		for _, w := range words {
			if w == "unix:" || w == "all" {
				continue
			}
			if err := f.List.addText(w, ""); err != nil {
				return fmt.Errorf("line %d: %w", number, err)
			}
		}
		if len(f.List.Networks) > maxNetworks {
			return fmt.Errorf("more than %d networks", maxNetworks)
		}
	}
	return nil
}

// Join turns files into lists. Where one of them describes balancers by the names of their subnets, only these are taken of
// the files that have subnets by name.
func Join(files []*File) ([]*List, error) {
	var lists []*List
	var subnets []string
	describes := ""
	for _, f := range files {
		if f.subnets != nil {
			subnets, describes = append(subnets, f.subnets...), f.List.Name
		}
	}
	if subnets == nil {
		for _, f := range files {
			lists = append(lists, f.List)
		}
		return lists, nil
	}
	found := make(map[string]bool, len(subnets)) // of each subnet that is described, whether its networks are known
	for _, s := range subnets {
		found[s] = false
	}
	for _, f := range files {
		switch {
		case f.named:
			lists = append(lists, f.only(found))
		case f.subnets == nil:
			lists = append(lists, f.List)
		}
	}
	var lost []string
	for _, s := range subnets {
		if !found[s] {
			found[s], lost = true, append(lost, s)
		}
	}
	if len(lost) > 0 {
		if i := slices.IndexFunc(lost, func(s string) bool { return strings.Trim(s, wordLetters) != "" }); i >= 0 {
			return nil, fmt.Errorf("read proxies: %s: %s is no name of a subnet", describes, quoted(lost[i])) // that should stand in no command
		}
		if len(lost) > maxLost {
			lost = append(lost[:maxLost], "...")
		}
		return nil, fmt.Errorf(`read proxies: %s names subnets without their networks: give the output of "aws ec2 describe-subnets --subnet-ids %s" as well`,
			describes, strings.Join(lost, " "))
	}
	return slices.DeleteFunc(lists, func(l *List) bool { return len(l.Networks) == 0 }), nil
}

// maxLost bounds how many subnets an error names; a balancer has a few.
const maxLost = 50

// wordLetters are what names of subnets are made of.
const wordLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

// only is the file's list of the subnets that are keys of wanted, and marks them as found.
func (f *File) only(wanted map[string]bool) *List {
	l := &List{Name: f.List.Name, Made: f.List.Made, Notes: f.List.Notes}
	for _, n := range f.List.Networks {
		name, _, _ := strings.Cut(n.Label, ",")
		if _, ok := wanted[name]; ok {
			wanted[name] = true
			l.Networks = append(l.Networks, n)
		}
	}
	l.close()
	return l
}

// FrontID is the ID of the front whose own list the file is; "" where nothing tells.
func (f *File) FrontID() string { return f.id }
