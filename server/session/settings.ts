import { DIAGNOSTIC_LEVELS, type DiagnosticLevel, type PartialSettings, type Settings } from "../protocol";

export const DEFAULT_SETTINGS: Settings = {
  codeLens: { enabled: true },
  inlayHints: { enabled: true },
  hover: { enabled: true },
  diagnostics: { enabled: true, suboptimalThreshold: 2, limit: 3, levels: {} },
  recommendation: "robust",
  fit: { law: "auto", refitOnChange: true, bootstrap: 1000 },
};

function section(raw: unknown): Readonly<Record<string, unknown>> {
  return typeof raw === "object" && raw !== null ? (raw as Record<string, unknown>) : {};
}

function flag(raw: unknown, fallback: boolean): boolean {
  return typeof raw === "boolean" ? raw : fallback;
}

function inRange(raw: unknown, low: number, high: number, fallback: number): number {
  return typeof raw === "number" && raw >= low && raw <= high ? raw : fallback;
}

/** Codes have a dot, so that none can be taken for a setting of another meaning. */
function levelsOf(raw: Readonly<Record<string, unknown>>): Record<string, DiagnosticLevel> {
  return Object.fromEntries(
    Object.entries(raw).flatMap(([code, level]) => {
      const known = DIAGNOSTIC_LEVELS.find((one) => one === level);
      return code.includes(".") && known ? [[code, known]] : [];
    }),
  );
}

/** Settings from what the editor sent; a value of the wrong type counts as not set. */
function readSettings(raw: PartialSettings | unknown): Settings {
  const all = section(raw);
  const diagnostics = section(all.diagnostics);
  const fit = section(all.fit);
  const d = DEFAULT_SETTINGS;
  return {
    codeLens: { enabled: flag(section(all.codeLens).enabled, d.codeLens.enabled) },
    inlayHints: { enabled: flag(section(all.inlayHints).enabled, d.inlayHints.enabled) },
    hover: { enabled: flag(section(all.hover).enabled, d.hover.enabled) },
    diagnostics: {
      enabled: flag(diagnostics.enabled, d.diagnostics.enabled),
      suboptimalThreshold: inRange(diagnostics.suboptimalThreshold, 0, 100, d.diagnostics.suboptimalThreshold),
      limit: Math.round(inRange(diagnostics.limit, 1, 1000, d.diagnostics.limit)),
      levels: levelsOf(diagnostics),
    },
    recommendation: all.recommendation === "optimum" ? "optimum" : "robust",
    fit: {
      law: typeof fit.law === "string" && fit.law !== "" ? fit.law : d.fit.law,
      refitOnChange: flag(fit.refitOnChange, d.fit.refitOnChange),
      bootstrap: Math.round(inRange(fit.bootstrap, 0, 20_000, d.fit.bootstrap)),
    },
  };
}

/** The settings of each document, asked for once and forgotten when any setting changes. */
export class SettingsStore {
  readonly #ask: ((uri: string) => Promise<unknown>) | null;
  readonly #known = new Map<string, Promise<Settings>>();
  readonly #initial: Settings;

  /** `ask` is null where the client has no `workspace/configuration`; then the initial settings hold for all. */
  constructor(initial: unknown, ask: ((uri: string) => Promise<unknown>) | null) {
    this.#initial = readSettings(initial);
    this.#ask = ask;
  }

  of(uri: string): Promise<Settings> {
    const ask = this.#ask;
    if (!ask) return Promise.resolve(this.#initial);
    let settings = this.#known.get(uri);
    if (!settings) {
      settings = ask(uri).then(readSettings, () => this.#initial);
      this.#known.set(uri, settings);
    }
    return settings;
  }

  forget(uri?: string): void {
    if (uri === undefined) this.#known.clear();
    else this.#known.delete(uri);
  }
}
