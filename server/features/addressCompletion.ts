import { CompletionItemKind, InsertTextFormat, type CompletionItem } from "vscode-languageserver-types";

/** Addresses that `logs:` takes beside folders and globs: as a snippet, and what they hold. docs/sources.md says more. */
const ADDRESSES: readonly (readonly [address: string, snippet: string, holds: string])[] = [
  [
    "sqlite:mlflow.db",
    "sqlite:${1:mlflow.db}",
    "An MLflow store or a Trackio project in SQLite, relative to this file.",
  ],
  [
    "postgres://USER@HOST/DATABASE",
    "postgres://${1:user}@${2:host}/${3:mlflow}",
    "An MLflow store in Postgres. The password comes from PGPASSWORD. ?experiment=NAME keeps one experiment, ?runs=TABLE reads a table of metrics.",
  ],
  [
    "clickhouse://HOST:8123/DATABASE?runs=TABLE",
    "clickhouse://${1:host}:8123/${2:default}?runs=${3:metrics}",
    "A table of metrics in ClickHouse. User and password come from CLICKHOUSE_USER and CLICKHOUSE_PASSWORD.",
  ],
  [
    "s3://BUCKET/PREFIX",
    "s3://${1:bucket}/${2:runs}",
    "A folder of runs in a bucket. Keys come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
  ],
  ["https://HOST/runs.parquet", "https://${1:host}/${2:runs.parquet}", "A log or a table of runs on a server."],
];

/** Addresses for an item of `logs:` that is being written; none elsewhere. */
export function addressCompletions(text: string, offset: number): CompletionItem[] {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const head = text.slice(start, offset);
  const typed = itemOf(text.slice(0, start), head);
  if (typed === null) return [];
  const line = text.slice(0, start).split("\n").length - 1;
  const range = { start: { line, character: head.length - typed.length }, end: { line, character: head.length } };
  return ADDRESSES.map(([address, snippet, holds], i) => ({
    label: address,
    kind: CompletionItemKind.Reference,
    documentation: { kind: "markdown", value: holds },
    filterText: address,
    sortText: String(i),
    insertTextFormat: InsertTextFormat.Snippet,
    textEdit: { range, newText: snippet },
  }));
}

/** What is typed of an item of `logs:` up to the cursor; null where the cursor is in none. */
function itemOf(above: string, head: string): string | null {
  const flow = /^logs:\s*(?:\[(?:[^\]#]*,)?\s*)?["']?([^\s,"'\][#]*)$/.exec(head);
  if (flow) return flow[1];
  const block = /^\s*-\s+["']?([^\s"'#]*)$/.exec(head);
  if (!block) return null;
  // The nearest line above that is no item of a list must be the key.
  const key = above
    .split("\n")
    .reverse()
    .find((line) => line.trim() !== "" && !/^\s*(?:-\s|#)/.test(line));
  return key !== undefined && /^logs:\s*(?:#.*)?$/.test(key) ? block[1] : null;
}
