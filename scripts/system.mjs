// What the tests need of the machine: a Chromium and a font. Installed by apt when root, otherwise explained.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const CHROMIUM = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
];

/** Path of a Chromium, or undefined. `SCALING_LENS_CHROMIUM` names one elsewhere. */
export function findChromium() {
  return [process.env.SCALING_LENS_CHROMIUM, ...CHROMIUM].find((path) => path && existsSync(path));
}

function hasFont() {
  return existsSync("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf") || spawnSync("fc-list").stdout?.length > 0;
}

/** Makes sure of Chromium and a font; returns the browser's path. */
export function ensureBrowser() {
  if (findChromium() && (process.platform !== "linux" || hasFont())) return findChromium();
  const packages = ["chromium", "fonts-dejavu-core"];
  const canInstall = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  if (!canInstall) {
    throw new Error(
      `The host tests need Chromium and a font. On Debian or Ubuntu: sudo apt-get install ${packages.join(" ")}. ` +
        "Elsewhere install Chrome or Chromium and set SCALING_LENS_CHROMIUM to its path.",
    );
  }
  console.log(`Installing ${packages.join(" and ")} by apt …`);
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync("apt-get", ["update", "-qq"], { stdio: "inherit", env: environment });
  const { status } = spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], {
    stdio: ["ignore", "ignore", "inherit"],
    env: environment,
  });
  const found = findChromium();
  if (status !== 0 || !found) throw new Error(`apt-get install ${packages.join(" ")} failed (status ${status}).`);
  return found;
}
