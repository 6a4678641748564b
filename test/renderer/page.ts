import type { OutputItem, RendererContext } from "vscode-notebook-renderer";
import { activate } from "../../renderer/index";

/** A notebook page in miniature: the renderer with a fake context, and what it posted. */
export function page(options: { readonly messaging?: boolean } = {}) {
  const posted: unknown[] = [];
  const context = {
    workspace: { isTrusted: true },
    settings: {},
    setState: () => undefined,
    getState: () => undefined,
    getRenderer: async () => undefined,
    ...(options.messaging === false ? {} : { postMessage: (message: unknown) => posted.push(message) }),
  } as unknown as RendererContext<void>;
  const renderer = activate(context);
  if (!renderer || renderer instanceof Promise) throw new Error("The renderer should be ready at once.");
  const item = (id: string, text: string): OutputItem => ({
    id,
    mime: "application/vnd.scaling-lens.fit.v1+json",
    metadata: {},
    text: () => text,
    json: () => JSON.parse(text) as unknown,
    data: () => new Uint8Array(),
    blob: () => new Blob(),
  });
  const element = (): HTMLElement => document.body.appendChild(document.createElement("div"));
  return {
    posted,
    renderer,
    element,
    async show(id: string, value: unknown, into = element()): Promise<ShadowRoot> {
      await renderer.renderOutputItem(
        item(id, typeof value === "string" ? value : JSON.stringify(value)),
        into,
        new AbortController().signal,
      );
      if (!into.shadowRoot) throw new Error("Nothing was drawn.");
      return into.shadowRoot;
    },
  };
}

export const button = (root: ParentNode, label: string): HTMLButtonElement => {
  const found = [...root.querySelectorAll("button")].find((each) => each.textContent === label);
  if (!found) throw new Error(`No button says ${label}.`);
  return found;
};
