import * as vscode from "vscode";
import { Requests, type OperationReply } from "../server/protocol";
import type { Client } from "./client";

/** What package.json contributes, written there by `npm run generate`. */
interface Contributed {
  readonly name: string;
  readonly displayName: string;
  readonly tags: readonly string[];
}

/** Characters of an answer that a model is given at most. */
const LONGEST = 60_000;

/** The operations as tools of VS Code's language models: the same that the command line and the MCP server have. */
export function registerTools({ extension }: vscode.ExtensionContext, client: Client): vscode.Disposable {
  const { contributes } = extension.packageJSON as {
    contributes: { languageModelTools?: readonly Contributed[] };
  };
  const tools = contributes.languageModelTools ?? [];
  return vscode.Disposable.from(
    ...tools.map(({ name, displayName, tags }) =>
      vscode.lm.registerTool<object>(name, {
        prepareInvocation: ({ input }) => ({
          invocationMessage: displayName,
          ...(tags.includes("writes") &&
            "out" in input && {
              confirmationMessages: {
                title: displayName,
                message: vscode.l10n.t("This writes the file {0}.", String(input.out)),
              },
            }),
        }),
        async invoke({ input }, token) {
          const operation = name.replace(/^scaling_lens_/, "");
          const reply = await client.ask<OperationReply>(Requests.operation, { name: operation, input }, token);
          if (!reply.ok) throw new Error(reply.message);
          const text = JSON.stringify(reply.value);
          return new vscode.LanguageModelToolResult([
            new vscode.LanguageModelTextPart(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text),
          ]);
        },
      }),
    ),
  );
}
