import * as vscode from "vscode";
import type { Client } from "./client";

let tokens = 0;

/** A long request with its progress, which can be cancelled. */
export function withProgress<Reply>(client: Client, title: string, method: string, params: object): Promise<Reply> {
  const location = vscode.ProgressLocation.Notification;
  return Promise.resolve(
    vscode.window.withProgress({ location, title, cancellable: true }, async (progress, cancel) => {
      const running = await client.get();
      const { WorkDoneProgress } = await import("vscode-languageclient");
      const workDoneToken = `scaling-lens-${++tokens}`;
      let reached = 0;
      const listener = running.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
        if (value.kind === "end") return;
        const percentage = value.percentage ?? reached;
        progress.report({ message: value.message, increment: percentage - reached });
        reached = percentage;
      });
      try {
        return await running.sendRequest<Reply>(method, { ...params, workDoneToken }, cancel);
      } catch (error) {
        if (cancel.isCancellationRequested) throw new vscode.CancellationError();
        throw error;
      } finally {
        listener.dispose();
      }
    }),
  );
}
