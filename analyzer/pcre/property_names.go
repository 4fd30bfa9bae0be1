package pcre

import (
	"strings"
	"sync"
	"unicode"
)

// propertyNames are the names that may stand in \p{...}: those of Unicode's scripts, general categories, directions and
// yes-or-no properties, their short forms and PCRE's own, as PCRE2 10.42 knows them.
const propertyNames = `
adlam adlm aghb ahex ahom alpha alphabetic anatolianhieroglyphs any arab arabic armenian armi armn ascii asciihexdigit
avestan avst bali balinese bamu bamum bass bassavah batak batk beng bengali bhaiksuki bhks bidial bidian bidib bidibn
bidic bidicontrol bidics bidien bidies bidiet bidifsi bidil bidilre bidilri bidilro bidim bidimirrored bidinsm bidion
bidipdf bidipdi bidir bidirle bidirli bidirlo bidis bidiws bopo bopomofo brah brahmi brai braille bugi buginese buhd
buhid c cakm canadianaboriginal cans cari carian cased caseignorable caucasianalbanian cc cf chakma cham
changeswhencasefolded changeswhencasemapped changeswhenlowercased changeswhentitlecased changeswhenuppercased cher
cherokee chorasmian chrs ci cn co common copt coptic cpmn cprt cs cuneiform cwcf cwcm cwl cwt cwu cypriot cyprominoan
cyrillic cyrl dash defaultignorablecodepoint dep deprecated deseret deva devanagari di dia diacritic diak divesakuru
dogr dogra dsrt dupl duployan ebase ecomp egyp egyptianhieroglyphs elba elbasan elym elymaic emod emoji emojicomponent
emojimodifier emojimodifierbase emojipresentation epres ethi ethiopic ext extendedpictographic extender extpict geor
georgian glag glagolitic gong gonm goth gothic gran grantha graphemebase graphemeextend graphemelink grbase greek grek
grext grlink gujarati gujr gunjalagondi gurmukhi guru han hang hangul hani hanifirohingya hano hanunoo hatr hatran hebr
hebrew hex hexdigit hira hiragana hluw hmng hmnp hung idc idcontinue ideo ideographic ids idsb idsbinaryoperator idst
idstart idstrinaryoperator imperialaramaic inherited inscriptionalpahlavi inscriptionalparthian ital java javanese joinc
joincontrol kaithi kali kana kannada katakana kayahli khar kharoshthi khitansmallscript khmer khmr khoj khojki khudawadi
kits knda kthi l l& lana lao laoo latin latn lc lepc lepcha limb limbu lina linb lineara linearb lisu ll lm lo loe
logicalorderexception lower lowercase lt lu lyci lycian lydi lydian m mahajani mahj maka makasar malayalam mand mandaic
mani manichaean marc marchen masaramgondi math mc me medefaidrin medf meeteimayek mend mendekikakui merc mero
meroiticcursive meroitichieroglyphs miao mlym mn modi mong mongolian mro mroo mtei mult multani myanmar mymr n nabataean
nand nandinagari narb nbat nchar nd newa newtailue nko nkoo nl no noncharactercodepoint nshu nushu nyiakengpuachuehmong
ogam ogham olchiki olck oldhungarian olditalic oldnortharabian oldpermic oldpersian oldsogdian oldsoutharabian oldturkic
olduyghur oriya orkh orya osage osge osma osmanya ougr p pahawhhmong palm palmyrene patsyn patternsyntax
patternwhitespace patws pauc paucinhau pc pcm pd pe perm pf phag phagspa phli phlp phnx phoenician pi plrd po
prependedconcatenationmark prti ps psalterpahlavi qaac qaai qmark quotationmark radical regionalindicator rejang ri rjng
rohg runic runr s samaritan samr sarb saur saurashtra sc sd sentenceterminal sgnw sharada shavian shaw shrd sidd siddham
signwriting sind sinh sinhala sk sm so softdotted sogd sogdian sogo sora sorasompeng soyo soyombo space sterm sund
sundanese sylo sylotinagri syrc syriac tagalog tagb tagbanwa taile taitham taiviet takr takri tale talu tamil taml tang
tangsa tangut tavt telu telugu term terminalpunctuation tfng tglg thaa thaana thai tibetan tibt tifinagh tirh tirhuta
tnsa toto ugar ugaritic uideo unifiedideograph unknown upper uppercase vai vaii variationselector vith vithkuqi vs
wancho wara warangciti wcho whitespace wspace xan xidc xidcontinue xids xidstart xpeo xps xsp xsux xuc xwd yezi yezidi
yi yiii z zanabazarsquare zanb zinh zl zp zs zyyy zzzz
`

var knownProperties = sync.OnceValue(func() map[string]bool {
	known := map[string]bool{}
	for name := range strings.FieldsSeq(propertyNames) {
		known[name] = true
	}
	for name := range unicode.Scripts { // Go may know newer ones
		known[looseName(name)] = true
	}
	return known
})

// looseName is a name as PCRE compares it: letters without case, spaces, hyphens and underscores without meaning.
func looseName(name string) string {
	return strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToLower(name))
}

// knownProperty says whether PCRE may know a property by the text within its braces.
func knownProperty(text string) bool {
	name := looseName(strings.TrimPrefix(text, "^"))
	if kind, rest, ok := cutAny(name, ":="); ok {
		switch kind {
		case "script", "sc", "scriptextensions", "scx":
			return knownProperties()[rest]
		case "bidiclass", "bc":
			return knownProperties()["bidi"+rest]
		}
		return false
	}
	return knownProperties()[name]
}

func cutAny(s, chars string) (before, after string, found bool) {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}
