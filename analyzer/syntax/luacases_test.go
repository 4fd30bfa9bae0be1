package syntax

import "strings"

// luaWrap puts a block of code where the Lua module takes one.
func luaWrap(code string) string {
	return "http { server { location / { content_by_lua_block {" + code + "} } } }"
}

func luaRead(code string) string {
	return "http { server { location / { content_by_lua_block {" + code + "}\n} } }"
}

// luaCases are blocks of code. nginx itself refuses them as long as the Lua module is not loaded.
var luaCases = []grammarCase{
	{name: "code", gonginx: splitsWords, text: luaWrap(" ngx.say('a; b') "), tree: luaRead(" ngx.say('a; b') ")},
	{name: "code with braces", text: luaWrap("local t = { a = { } }"), tree: luaRead("local t = { a = { } }")},
	{name: "code with braces in strings", gonginx: refusesValid, text: luaWrap(`x = "}" .. '{' .. "\"}"`), tree: luaRead(`x = "}" .. '{' .. "\"}"`)},
	{name: "code with braces in long strings", gonginx: refusesValid, text: luaWrap("x = [[ } ]] .. [==[ ]] } ]=] ]==]"), tree: luaRead("x = [[ } ]] .. [==[ ]] } ]=] ]==]")},
	{name: "code with braces in comments", gonginx: refusesValid, text: luaWrap("-- }\n--[[ }\n} ]] --[=[ } ]=] --[ }\n"), tree: luaRead("-- }\n--[[ }\n} ]] --[=[ } ]=] --[ }\n")},
	{
		name: "code with an indexed index", gonginx: readsOn, text: luaWrap("x = a[b[c]] }} {"), tree: "http { server { location / { content_by_lua_block {x = a[b[c]] }\n} } }",
		errors: []string{`1: unexpected "{" | {`, `1: unexpected "}" | }`},
	},
	{
		name: "string that its line does not end is no string", gonginx: readsOn, text: luaWrap("x = 'a } \n"), tree: "http { server { location / { content_by_lua_block {x = 'a }\n} } }",
		errors: []string{`2: unexpected "}" | }`},
	},
	{
		name: "string does not go on in the next line", text: luaWrap("x = 'a\\\n}' {"), tree: "http { server { location / { content_by_lua_block {x = 'a\\\n}\n\" {} } } }\"; } } }",
		errors: []string{`2: unexpected end of file, expecting ";" or "}" | ' {} } } }`},
	},
	{name: "code behind an argument", gonginx: splitsWords, text: "http { server { set_by_lua_block $x { return '}' } return 200; } }", tree: "http { server { set_by_lua_block $x { return '}' }\nreturn 200; } }"},
	{name: "empty code", text: luaWrap(""), tree: luaRead("")},
	{name: "code in one word of a plain directive", text: "http { server { location / { content_by_lua 'x = {}'; } } }", tree: "http { server { location / { content_by_lua \"x = {}\"; } } }"},
	{name: "name of code without a block", text: "http { server { content_by_lua_block; } }", tree: "http { server { content_by_lua_block; } }"},
	{
		name: "code without end", text: "http {\n  init_by_lua_block {\n    x = {{\n  }\n  server {\n  }\n}\n", tree: "http { init_by_lua_block {\n    x = {{\n  }\nserver { } }",
		errors: []string{`5: unexpected end of file, expecting terminating characters for lua code block | init_by_lua_block`},
	},
	{
		name: "code without end, on one line", text: "http { init_by_lua_block { x = {{ } }", tree: "http { init_by_lua_block { x = {{ } }}\n}",
		errors: []string{`1: unexpected end of file, expecting terminating characters for lua code block | init_by_lua_block`},
	},
	{
		name: "long bracket without end", gonginx: readsOn, text: luaWrap(" x = [=[ ]] "), tree: "http { server { location / { content_by_lua_block { x = [=[ ]] } } } }}\n} } }",
		errors: []string{`1: Lua code block missing the closing long bracket "]=]", the inlined Lua code may be too long | content_by_lua_block`},
	},
	{
		name: "long bracket that is too long", text: luaWrap(" x = [[" + strings.Repeat("z", 5000) + "]] "), tree: luaRead(" x = [[" + strings.Repeat("z", 5000) + "]] "),
		errors: []string{`1: Lua code block missing the closing long bracket "]]", the inlined Lua code may be too long | content_by_lua_block`},
	},
	{
		name: "code that is too long", text: luaWrap(strings.Repeat("x = 1\n", 1000)) + "\n# a\n", tree: luaRead(strings.Repeat("x = 1\n", 1000)),
		errors: []string{`1: too long lua code block, probably missing terminating characters | content_by_lua_block`},
	},
	{name: "long code with a token now and then", text: luaWrap(strings.Repeat("x = { 'a' }\n", 1000)), tree: luaRead(strings.Repeat("x = { 'a' }\n", 1000))},
}
