import type { ActivationFunction, OutputItem } from "vscode-notebook-renderer";
import { warm } from "./dataflow";
import { FigureOutput } from "./output";

/** Draws `application/vnd.scaling-lens.fit.v1+json` in a notebook. Needs no kernel and no network. */
export const activate: ActivationFunction = (context) => {
  // Unpacked while the first output is being read.
  void warm();
  const outputs = new Map<string, FigureOutput>();
  const post = context.postMessage ? (message: unknown) => context.postMessage?.(message) : undefined;
  return {
    async renderOutputItem(item: OutputItem, element: HTMLElement): Promise<void> {
      const known = outputs.get(item.id);
      // An update in place comes with the element of before; a new element under the same id is a new place for it.
      if (known && known.element !== element) known.dispose();
      const output = known?.element === element ? known : new FigureOutput(element, post);
      outputs.set(item.id, output);
      await output.show(item.text());
    },
    disposeOutputItem(id?: string): void {
      for (const [key, output] of [...outputs]) {
        if (id !== undefined && key !== id) continue;
        output.dispose();
        outputs.delete(key);
      }
    },
  };
};
