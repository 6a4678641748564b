import * as vscode from "vscode";
import { assert, test } from "./harness";

test("the extension is there", () => {
  assert(vscode.extensions.getExtension("scaling-lens.scaling-lens"), "extension not found");
});
