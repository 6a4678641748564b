import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { DEFAULT_SETTINGS } from "../../server/session/settings";
import { DIAGNOSTIC_CODES } from "../../server/features/codes";
import { Commands } from "../../server/protocol";

const registered: string[] = [];

/** Just enough of `vscode` for the commands to be registered. */
vi.mock("vscode", () => ({
  commands: {
    registerCommand: (id: string) => {
      registered.push(id);
      return { dispose: () => undefined };
    },
    executeCommand: () => Promise.resolve(),
  },
  window: {},
  workspace: {},
  l10n: { t: (text: string) => text },
  Disposable: { from: () => ({ dispose: () => undefined }) },
  EventEmitter: class {
    event = () => undefined;
  },
  CancellationError: class extends Error {},
}));

vi.mock("vscode-languageclient", () => ({ WorkDoneProgress: { type: {} } }));

const root = join(__dirname, "../..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  capabilities: { untrustedWorkspaces: { supported: boolean }; virtualWorkspaces: boolean };
  contributes: {
    commands: { command: string; title: string }[];
    menus: { commandPalette: { command: string; when: string }[] };
    configuration: {
      properties: Record<
        string,
        {
          default: unknown;
          scope: string;
          markdownDescription?: string;
          description?: string;
          properties?: Record<string, { default: unknown }>;
          patternProperties?: Record<string, unknown>;
        }
      >;
    };
    keybindings?: unknown[];
  };
};

describe("what package.json promises", () => {
  it("works in untrusted and virtual workspaces", () => {
    expect(manifest.capabilities.untrustedWorkspaces.supported).toBe(true);
    expect(manifest.capabilities.virtualWorkspaces).toBe(true);
  });

  it("every command is implemented, and every palette command has a condition", async () => {
    const { registerCommands } = await import("../../extension/commands");
    registerCommands({} as never);
    const contributed = manifest.contributes.commands
      .map(({ command }) => command)
      // Those of the notebook part, which registers its own.
      .filter((command) => !["scalingLens.newFitNotebook", "scalingLens.allocationCharts"].includes(command));
    expect(new Set(registered)).toEqual(new Set([...contributed, Commands.setValue, Commands.setLevel]));
    expect(new Set(registered).size).toBe(registered.length);
    const conditional = new Set(manifest.contributes.menus.commandPalette.map(({ command }) => command));
    // These two apply everywhere.
    const anywhere: readonly string[] = [Commands.showLog, "scalingLens.openSample"];
    for (const command of contributed) if (!anywhere.includes(command)) expect(conditional, command).toContain(command);
    for (const command of Object.values(Commands)) expect(registered).toContain(command);
  });

  it("settings are few, described, of resource scope, and have the defaults that the server has", () => {
    const { properties } = manifest.contributes.configuration;
    expect(Object.keys(properties).length).toBeLessThan(12);
    for (const [name, property] of Object.entries(properties)) {
      expect(property.markdownDescription ?? property.description, name).toMatch(/./);
      if (name !== "scalingLens.trace.server") expect(property.scope, name).toBe("resource");
      const path = name.split(".").slice(1);
      const known = path.reduce<unknown>(
        (at, key) => (at as Record<string, unknown> | undefined)?.[key],
        DEFAULT_SETTINGS,
      );
      // One object holds the levels by code and the numbers of all diagnostics.
      if (known !== undefined && name !== "scalingLens.diagnostics") expect(property.default, name).toEqual(known);
    }
    for (const key of [
      "codeLens.enabled",
      "inlayHints.enabled",
      "hover.enabled",
      "diagnostics.enabled",
      "diagnostics",
      "recommendation",
      "fit.law",
      "fit.refitOnChange",
      "fit.bootstrap",
    ]) {
      expect(properties).toHaveProperty([`scalingLens.${key}`]);
    }
    const levels = properties["scalingLens.diagnostics"];
    expect(levels.properties?.suboptimalThreshold.default).toBe(DEFAULT_SETTINGS.diagnostics.suboptimalThreshold);
    expect(levels.properties?.limit.default).toBe(DEFAULT_SETTINGS.diagnostics.limit);
    const [pattern] = Object.keys(levels.patternProperties ?? {});
    expect(DIAGNOSTIC_CODES.filter((code) => !new RegExp(pattern).test(code))).toEqual([]);
  });
});
