import { vi } from "vitest";

/** As much of `vscode` as the notebook part uses, and what it did. */
export interface FakeExecution {
  executionOrder?: number;
  readonly token: { isCancellationRequested: boolean; onCancellationRequested: () => { dispose(): void } };
  readonly log: string[];
  outputs: unknown[];
}

export function fakeVscode() {
  const affinities = new Map<unknown, number>();
  const executions = new Map<unknown, FakeExecution>();
  const controllers: {
    id: string;
    type: string;
    executeHandler: (cells: unknown[], notebook: unknown) => Promise<void>;
    supportedLanguages: string[];
    supportsExecutionOrder: boolean;
  }[] = [];
  const listeners: Record<string, ((event: unknown) => void)[]> = { open: [], change: [], close: [] };
  const event = (name: string) => (listener: (event: unknown) => void) => {
    listeners[name].push(listener);
    return { dispose: () => undefined };
  };
  const messages: ((event: unknown) => void)[] = [];
  class NotebookCellOutputItem {
    constructor(
      readonly data: Uint8Array,
      readonly mime: string,
    ) {}
    static text(value: string, mime = "text/plain") {
      return new NotebookCellOutputItem(new TextEncoder().encode(value), mime);
    }
    static error(error: { name: string; message: string }) {
      return NotebookCellOutputItem.text(
        JSON.stringify({ name: error.name, message: error.message }),
        "application/vnd.code.notebook.error",
      );
    }
  }
  const uri = (text: string) => {
    const [, scheme, authority, path] = /^([a-z][\w+.-]*):(?:\/\/([^/]*))?(.*)$/.exec(text) ?? [];
    return { scheme, authority: authority ?? "", path, toString: () => text };
  };
  const joinPath = (base: ReturnType<typeof uri>, ...parts: string[]) => {
    const out: string[] = [];
    for (const part of [...base.path.split("/"), ...parts.flatMap((each) => each.split("/"))]) {
      if (part === "..") out.pop();
      else if (part !== "." && part !== "") out.push(part);
    }
    return uri(`${base.scheme}://${base.authority}/${out.join("/")}`);
  };
  const module = {
    NotebookControllerAffinity: { Default: 1, Preferred: 2 },
    NotebookCellKind: { Markup: 1, Code: 2 },
    NotebookRange: class {
      constructor(
        readonly start: number,
        readonly end: number,
      ) {}
    },
    NotebookCellOutput: class {
      constructor(readonly items: NotebookCellOutputItem[]) {}
    },
    NotebookCellData: class {
      constructor(
        readonly kind: number,
        readonly value: string,
        readonly languageId: string,
      ) {}
    },
    NotebookData: class {
      metadata: unknown;
      constructor(readonly cells: unknown[]) {}
    },
    NotebookCellOutputItem,
    Position: class {
      constructor(
        readonly line: number,
        readonly character: number,
      ) {}
    },
    Range: class {
      constructor(
        readonly start: unknown,
        readonly end: unknown,
      ) {}
    },
    ViewColumn: { Beside: -2 },
    Uri: { parse: uri, joinPath },
    l10n: { t: (text: string) => text },
    notebooks: {
      createNotebookController: (id: string, type: string) => {
        const controller = {
          id,
          type,
          executeHandler: async () => undefined,
          supportedLanguages: [] as string[],
          supportsExecutionOrder: false,
          updateNotebookAffinity: (notebook: unknown, affinity: number) => affinities.set(notebook, affinity),
          createNotebookCellExecution: (cell: unknown) => {
            const execution: FakeExecution & Record<string, unknown> = {
              token: { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => undefined }) },
              log: ["created"],
              outputs: [],
              start: () => execution.log.push("start"),
              end: (ok: unknown) => execution.log.push(`end ${String(ok)}`),
              replaceOutput: (outputs: unknown) => {
                execution.outputs = Array.isArray(outputs) ? outputs : [outputs];
                execution.log.push("output");
                return Promise.resolve();
              },
            };
            executions.set(cell, execution);
            return execution;
          },
          dispose: () => undefined,
        };
        controllers.push(controller);
        return controller;
      },
      createRendererMessaging: () => ({
        onDidReceiveMessage: (listener: (event: unknown) => void) => (
          messages.push(listener),
          { dispose: () => undefined }
        ),
      }),
    },
    workspace: {
      notebookDocuments: [] as unknown[],
      workspaceFolders: [{ uri: uri("file:///ws") }],
      onDidOpenNotebookDocument: event("open"),
      onDidChangeNotebookDocument: event("change"),
      onDidCloseNotebookDocument: event("close"),
      getConfiguration: () => ({ get: (_key: string, fallback: unknown) => fallback }),
      getWorkspaceFolder: ({ path }: { path: string }) => (path.startsWith("/ws/") ? {} : undefined),
      findFiles: vi.fn(async () => [uri("file:///ws/appworld.budget.yaml")]),
      asRelativePath: ({ path }: { path: string }) => path.replace("/ws/", ""),
      openNotebookDocument: vi.fn(async (_type: string, data: unknown) => ({ data })),
    },
    window: {
      showNotebookDocument: vi.fn(async () => undefined),
      showTextDocument: vi.fn(async () => undefined),
      createOutputChannel: () => ({ info: () => undefined, warn: () => undefined, error: () => undefined }),
    },
    commands: {
      executeCommand: vi.fn(async () => undefined),
      registerCommand: vi.fn(() => ({ dispose: () => undefined })),
    },
  };
  return { module, affinities, executions, controllers, listeners, messages, uri };
}

export interface FakeCell {
  readonly kind: number;
  readonly index: number;
  readonly notebook: FakeNotebook;
  readonly document: { readonly languageId: string; getText(): string };
}

export interface FakeNotebook {
  readonly notebookType: string;
  readonly uri: { toString(): string; readonly scheme: string; readonly authority: string; readonly path: string };
  readonly metadata: object;
  getCells(range?: { start: number; end: number }): FakeCell[];
}

export function notebookOf(
  uri: FakeNotebook["uri"],
  cells: readonly (readonly [language: string, text: string])[],
  metadata: object = {},
): FakeNotebook {
  const notebook: FakeNotebook = {
    notebookType: "jupyter-notebook",
    uri,
    metadata,
    getCells: (range) => made.slice(range?.start ?? 0, range?.end ?? made.length),
  };
  const made: FakeCell[] = cells.map(([languageId, text], index) => ({
    kind: languageId === "markdown" ? 1 : 2,
    index,
    notebook,
    document: { languageId, getText: () => text },
  }));
  return notebook;
}
