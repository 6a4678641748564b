import * as vscode from "vscode";
import { Requests, type SecretAddressesReply } from "../../server/protocol";
import { folderOf, tell, type Command } from "./command";

/** Keeps the secret of a store or bucket that scaling.yaml names in the editor's SecretStorage, or forgets it. */
export const storeSecret: Command = {
  id: "scalingLens.storeSecret",
  title: "Store or forget a secret",
  when: "workspaceFolderCount > 0 && isWorkspaceTrusted",
  async run({ client, secrets }, target) {
    const uri = folderOf(target);
    if (!uri || !vscode.workspace.isTrusted) return;
    const { addresses } = await client.ask<SecretAddressesReply>(Requests.secretAddresses, { uri: uri.toString() });
    if (addresses.length === 0) return tell(vscode.l10n.t("scaling.yaml names no database and no bucket under logs:."));
    const items = addresses.map(async (label) => ({
      label,
      description: (await secrets.has(label)) ? vscode.l10n.t("a secret is stored") : "",
    }));
    const picked = await vscode.window.showQuickPick(Promise.all(items), { title: vscode.l10n.t("Whose secret?") });
    if (!picked) return;
    const isBucket = picked.label.startsWith("s3:");
    const secret = await vscode.window.showInputBox({
      title: picked.label,
      password: true,
      ignoreFocusOut: true,
      prompt: isBucket
        ? vscode.l10n.t("Access key and secret key with a colon between them; empty: what is stored is forgotten")
        : vscode.l10n.t("Password; empty: what is stored is forgotten"),
      validateInput: (text) =>
        isBucket && text !== "" && !/^[^:]+:.+$/.test(text) ? vscode.l10n.t("KEY:SECRET") : undefined,
    });
    if (secret === undefined) return;
    await secrets.keep(picked.label, secret);
    tell(secret === "" ? vscode.l10n.t("The secret was forgotten.") : vscode.l10n.t("The secret was stored."));
  },
};
