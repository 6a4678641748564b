import "vscode-languageserver/node";
