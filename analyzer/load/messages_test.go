package load

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// What stands in the place of a dump is repeated, with what to do instead.
func TestOnlyMessages(t *testing.T) {
	const failed = "nginx: configuration file /usr/local/nginx/conf/nginx.conf test failed\n"
	tests := []struct{ name, text, want string }{
		{
			"one message", "nginx: [emerg] unexpected \"}\" in /etc/nginx/nginx.conf:12\n",
			`nginx refused its configuration and dumped nothing (nginx: [emerg] unexpected "}" in /etc/nginx/nginx.conf:12): check the files themselves: ngxlimit check /etc/nginx/nginx.conf`,
		},
		{
			"the file that nginx names", "nginx: [warn] low address bits in x:1\r\nnginx: [emerg] unknown directive \"x\" in x:3\r\n" + failed,
			`nginx refused its configuration and dumped nothing (nginx: [emerg] unknown directive "x" in x:3): check the files themselves: ngxlimit check /usr/local/nginx/conf/nginx.conf`,
		},
		{
			"as in a log", "nginx: [alert] could not open error log file\n2026/11/30 10:02:14 [emerg] 7#7: no \"events\" section in configuration\n" + failed,
			`nginx refused its configuration and dumped nothing (2026/11/30 10:02:14 [emerg] 7#7: no "events" section in configuration): check the files themselves: ngxlimit check /usr/local/nginx/conf/nginx.conf`,
		},
		{
			"no word of why", failed,
			`nginx refused its configuration and dumped nothing (` + strings.TrimSpace(failed) + `): check the files themselves: ngxlimit check /usr/local/nginx/conf/nginx.conf`,
		},
		{
			"nginx -t", "nginx: the configuration file a syntax is ok\nnginx: configuration file a test is successful\n",
			"nginx found its configuration good but dumped nothing: print it with nginx -T, not -t",
		},
		{
			"an nginx without -T", "nginx: invalid option: \"T\"\n",
			`nginx did not run and dumped nothing (nginx: invalid option: "T"): check the files themselves: ngxlimit check /etc/nginx/nginx.conf`,
		},
		{
			"sudo", "sudo: nginx: command not found\n",
			"nginx did not run and dumped nothing (sudo: nginx: command not found): check the files themselves: ngxlimit check /etc/nginx/nginx.conf",
		},
		{
			"bash", "-bash: nginx: command not found\n",
			"nginx did not run and dumped nothing (-bash: nginx: command not found): check the files themselves: ngxlimit check /etc/nginx/nginx.conf",
		},
		{
			"dash", "sh: 1: nginx: not found\n",
			"nginx did not run and dumped nothing (sh: 1: nginx: not found): check the files themselves: ngxlimit check /etc/nginx/nginx.conf",
		},
		{
			"zsh", "zsh: command not found: nginx\n",
			"nginx did not run and dumped nothing (zsh: command not found: nginx): check the files themselves: ngxlimit check /etc/nginx/nginx.conf",
		},
		{"a directive behind it", "nginx: [emerg] x in y:1\nserver_tokens off;\n", ""},
		{"a configuration", "limit_req zone=a;\n", ""},
		{"a comment", "# nginx: not found\n", ""},
		{"nothing", " \n", ""},
	}
	for _, tt := range tests {
		if got := onlyMessages(tt.text); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// The installed nginx says nothing that is taken for a configuration when it refuses one.
func TestRefusedDumpOfNginx(t *testing.T) {
	nginx := nginxtest.Binary(t)
	for _, text := range []string{
		"events {", "events {}\nhttp { }\n}\n", "events {}\nhttp { lisen 80; }\n", "events {}\nhttp { include /none/x.conf; }\n",
		"events {}\nhttp { server { location / { limit_req zone=a; } } }\n", "# nothing\n", "events {}\nhttp { server_name \"x; }\n",
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "nginx.conf")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(nginx, "-T", "-p", dir, "-c", file)
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Errorf("nginx takes %q", text)
			continue
		}
		_, err = Load([]string{"-"}, Options{Stdin: strings.NewReader(string(out))})
		if err == nil || !strings.Contains(err.Error(), "nginx refused its configuration") || !strings.HasSuffix(err.Error(), "ngxlimit check "+file) {
			t.Errorf("%q: nginx said\n%s\nand it was read as %v", text, out, err)
		}
	}
}
