// A VS Code server and a page that shows its workbench.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { freePort } from "../../scripts/services/server.mjs";
import { findChromium } from "../../scripts/system.mjs";
import { installHost } from "./install.mjs";

const BROWSER_ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Settings of every test workbench: nothing that asks, nothing that saves by itself. */
export const SETTINGS = {
  "files.autoSave": "off",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "extensions.ignoreRecommendations": true,
  "chat.disableAIFeatures": true,
  "editor.minimap.enabled": false,
  "git.openRepositoryInParentFolders": "never",
};

/**
 * Starts a VS Code server with a fresh profile.
 * Returns its address, a way to change its settings while it runs, and `close`, which ends it and everything it started.
 */
export async function startServer({ extensionsDir, settings = {} } = {}) {
  const vscode = installHost();
  const port = await freePort();
  const data = mkdtempSync(join(tmpdir(), "scaling-lens-host-"));
  const machine = join(data, "data", "Machine");
  mkdirSync(machine, { recursive: true });
  const applySettings = (more) =>
    writeFileSync(join(machine, "settings.json"), JSON.stringify({ ...SETTINGS, ...settings, ...more }, null, 2));
  applySettings({});
  const child = spawn(
    process.execPath,
    [
      join(vscode, "out", "server-main.js"),
      "--host",
      "127.0.0.1",
      "--port",
      String(port),
      "--without-connection-token",
      "--accept-server-license-terms",
      "--server-data-dir",
      data,
      "--extensions-dir",
      extensionsDir ?? join(data, "extensions"),
      "--disable-telemetry",
      "--disable-workspace-trust",
    ],
    { stdio: ["ignore", "pipe", "pipe"], detached: true },
  );
  let log = "";
  const close = () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      /* already gone */
    }
    rmSync(data, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  process.once("exit", close);
  await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`The VS Code server did not start in 60 s:\n${log}`)), 60_000);
    const read = (chunk) => {
      log += chunk;
      if (log.includes("Web UI available")) {
        clearTimeout(timer);
        resolve();
      }
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => {
      clearTimeout(timer);
      reject(new Error(`The VS Code server ended with ${code}:\n${log}`));
    });
  });
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    remote: (path) => `vscode-remote://127.0.0.1:${port}${path}`,
    applySettings,
    close,
  };
}

/** A Chromium whose webviews (notebook outputs) may use storage; `close` removes its profile. */
export async function startBrowser({ width = 1280, height = 860 } = {}) {
  const profile = mkdtempSync(join(tmpdir(), "scaling-lens-browser-"));
  mkdirSync(join(profile, "Default"), { recursive: true });
  writeFileSync(join(profile, "Default", "Preferences"), JSON.stringify({ profile: { cookie_controls_mode: 0 } }));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findChromium(),
    args: BROWSER_ARGUMENTS,
    headless: true,
    viewport: { width, height },
  });
  return {
    context,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** The address of a workbench page for a folder, with the extension under development and what to open or test. */
export function workbenchUrl(server, { folder, extension, tests, openFile }) {
  const payload = [["skipWelcome", "true"]];
  if (extension) payload.push(["extensionDevelopmentPath", server.remote(extension)]);
  if (tests) payload.push(["extensionTestsPath", server.remote(tests)]);
  if (openFile) payload.push(["openFile", server.remote(openFile)]);
  return `${server.origin}/?folder=${encodeURIComponent(folder)}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
}
