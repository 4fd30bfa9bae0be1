package lsp

import "encoding/json"

// The parts of the protocol, version 3.17, that are spoken here. Names and meaning are those of its specification.

type position struct {
	Line      uint32 `json:"line"`      // from 0
	Character uint32 `json:"character"` // from 0, in the units that were agreed on
}

type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string    `json:"uri"`
	Range textRange `json:"range"`
}

type textEdit struct {
	Range   textRange `json:"range"`
	NewText string    `json:"newText"`
}

type versionedDocument struct {
	URI     string `json:"uri"`
	Version *int32 `json:"version"` // null for a file that is not open
}

type documentEdit struct {
	TextDocument versionedDocument `json:"textDocument"`
	Edits        []textEdit        `json:"edits"`
}

type workspaceEdit struct {
	Changes         map[string][]textEdit `json:"changes,omitempty"`
	DocumentChanges []documentEdit        `json:"documentChanges,omitempty"`
}

// support is what a client may say that it does, at many places.
type support struct {
	DynamicRegistration bool `json:"dynamicRegistration"`
}

type initializeParams struct {
	RootURI          *string  `json:"rootUri"`
	RootPath         *string  `json:"rootPath"`
	WorkspaceFolders []folder `json:"workspaceFolders"`
	Capabilities     struct {
		General struct {
			PositionEncodings []string `json:"positionEncodings"`
		} `json:"general"`
		Workspace struct {
			WorkspaceEdit struct {
				DocumentChanges bool `json:"documentChanges"`
			} `json:"workspaceEdit"`
			DidChangeWatchedFiles support `json:"didChangeWatchedFiles"`
		} `json:"workspace"`
		TextDocument struct {
			PublishDiagnostics struct {
				RelatedInformation     bool `json:"relatedInformation"`
				VersionSupport         bool `json:"versionSupport"`
				CodeDescriptionSupport bool `json:"codeDescriptionSupport"`
				TagSupport             *struct {
					ValueSet []int `json:"valueSet"`
				} `json:"tagSupport"`
			} `json:"publishDiagnostics"`
			CodeAction struct {
				LiteralSupport     *json.RawMessage `json:"codeActionLiteralSupport"`
				IsPreferredSupport bool             `json:"isPreferredSupport"`
				DataSupport        bool             `json:"dataSupport"`
				ResolveSupport     struct {
					Properties []string `json:"properties"`
				} `json:"resolveSupport"`
			} `json:"codeAction"`
			DocumentSymbol struct {
				Hierarchical bool `json:"hierarchicalDocumentSymbolSupport"`
			} `json:"documentSymbol"`
			Hover struct {
				ContentFormat []string `json:"contentFormat"`
			} `json:"hover"`
		} `json:"textDocument"`
	} `json:"capabilities"`
}

type folder struct {
	URI string `json:"uri"`
}

type foldersParams struct {
	Event struct {
		Added   []folder `json:"added"`
		Removed []folder `json:"removed"`
	} `json:"event"`
}

type documentParams struct {
	TextDocument struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
}

type placeParams struct {
	documentParams
	Position position `json:"position"`
}

type openParams struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version int32  `json:"version"`
		Text    string `json:"text"`
	} `json:"textDocument"`
}

type change struct {
	Range *textRange `json:"range"` // nil for the whole text
	Text  string     `json:"text"`
}

type changeParams struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version int32  `json:"version"`
	} `json:"textDocument"`
	ContentChanges []change `json:"contentChanges"`
}

// The severities of diagnostics.
const (
	severityError       = 1
	severityWarning     = 2
	severityInformation = 3
)

// tagUnnecessary is the tag of diagnostics about text without effect.
const tagUnnecessary = 1

type diagnostic struct {
	Range           textRange        `json:"range"`
	Severity        int              `json:"severity"`
	Code            string           `json:"code"`
	CodeDescription *codeDescription `json:"codeDescription,omitempty"`
	Source          string           `json:"source"`
	Message         string           `json:"message"`
	Tags            []int            `json:"tags,omitempty"`
	Related         []related        `json:"relatedInformation,omitempty"`
}

type codeDescription struct {
	Href string `json:"href"`
}

type related struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

type publishParams struct {
	URI         string       `json:"uri"`
	Version     *int32       `json:"version,omitempty"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type actionParams struct {
	documentParams
	Range   textRange `json:"range"`
	Context struct {
		Only []string `json:"only"`
	} `json:"context"`
}

// The kinds of code actions.
const (
	kindQuickFix = "quickfix"
	kindFixAll   = "source.fixAll"
	kindFixOurs  = "source.fixAll.ngxlimit"
)

type codeAction struct {
	Title       string         `json:"title"`
	Kind        string         `json:"kind"`
	Diagnostics []diagnostic   `json:"diagnostics,omitempty"`
	Preferred   bool           `json:"isPreferred,omitempty"`
	Edit        *workspaceEdit `json:"edit,omitempty"`
	Data        *actionData    `json:"data,omitempty"`
}

// actionData is what a client hands back when it wants an action's edit.
type actionData struct {
	URI string `json:"uri"`
}

type hover struct {
	Contents markup     `json:"contents"`
	Range    *textRange `json:"range,omitempty"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// The kinds of completion items.
const (
	itemField    = 5
	itemVariable = 6
	itemValue    = 12
	itemKeyword  = 14
	itemStruct   = 22
)

type completionItem struct {
	Label         string    `json:"label"`
	Kind          int       `json:"kind"`
	Detail        string    `json:"detail,omitempty"`
	Documentation string    `json:"documentation,omitempty"`
	TextEdit      *textEdit `json:"textEdit,omitempty"`
}

// The kinds of symbols.
const (
	symbolNamespace = 3
	symbolClass     = 5
	symbolField     = 8
	symbolFunction  = 12
	symbolVariable  = 13
	symbolStruct    = 23
)

type documentSymbol struct {
	Name           string            `json:"name"`
	Detail         string            `json:"detail,omitempty"`
	Kind           int               `json:"kind"`
	Range          textRange         `json:"range"`
	SelectionRange textRange         `json:"selectionRange"`
	Children       []*documentSymbol `json:"children,omitempty"`
}

// A flatSymbol is for clients that know no tree.
type flatSymbol struct {
	Name      string   `json:"name"`
	Kind      int      `json:"kind"`
	Location  location `json:"location"`
	Container string   `json:"containerName,omitempty"`
}

type renameParams struct {
	placeParams
	NewName string `json:"newName"`
}

type referenceParams struct {
	placeParams
	Context struct {
		IncludeDeclaration bool `json:"includeDeclaration"`
	} `json:"context"`
}

type prepared struct {
	Range       textRange `json:"range"`
	Placeholder string    `json:"placeholder"`
}
