package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// MissingInclude reports files that could not be read.
var MissingInclude = register(rule.Rule{
	Name:       "missing-include",
	Summary:    "an included file that cannot be read",
	Group:      rule.GroupRefused,
	Severity:   rule.Error,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: `nginx refuses a configuration whose ` + "`include`" + ` leads to no file: ` + "`open() \"/etc/nginx/snippets/limits.conf\" failed (2: No such file or\ndirectory)`" + `. Only a pattern with ` + "`*`, `?` or `[`" + ` may match nothing. Relative names start at the folder of the main file, wherever the
` + "`include`" + ` stands.

Here it means besides that a part of the configuration is not known, so what rests on something being absent is not
reported. In a dump the file's text is missing from the dump; on disk, ` + "`--prefix`, `--root` and `--map-path`" + ` say where to look.

Files that come with nginx itself, as ` + "`mime.types` and `fastcgi_params`" + ` do, are often not kept with a configuration. No limit stands in
them: a missing one is a note, and all else is judged as if it were there.
`,
	Bad: `events {}

http {
    include /etc/nginx/no-such-folder/limits.conf;

    server {
        listen 80;
    }
}
`,
	Good: `events {}

http {
    include /etc/nginx/no-such-folder/*.conf;

    server {
        listen 80;
    }
}
`,
	Links: []string{"https://nginx.org/en/docs/ngx_core_module.html#include"},
	Check: reportRefusals(config.MissingInclude),
})
