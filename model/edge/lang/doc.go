// Package lang is the language in which Cloudflare's rules say which requests they mean: the part of it that rate
// limiting rules use. An expression is read once, with its types checked and every error at its place, and then asked of
// many requests without work for the memory.
//
// The answer is yes, no, or that it cannot be known, with the reason: nobody can tell a visitor's country or bot score
// from a request alone. A value that is not there (a header that was not sent) is something else: every comparison with
// it is no.
//
// Sources: the pages "operators", "values", "functions" and "fields" of developers.cloudflare.com/ruleset-engine/rules-language/.
//
// The words are split by participle's lexer; the grammar itself is a small operator-precedence parser of ours. It needs
// the type of the left side to read the right one (an address, a set, a pattern), and to point at the word that is
// wrong, which a grammar in struct tags cannot do.
package lang
