// The third-party notices of the packages that are bundled or copied into the build: name, version, licence and its text.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const LICENCE_FILE = /^(licen[cs]e|copying|ofl|notice|third-?party-?notices?)([-.].*)?$/i;
const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** Packages that state a licence and carry no text of it: version and licence must be those that were looked at. */
const STATED = {
  "@resvg/resvg-wasm": {
    version: "2.6.2",
    licence: "MPL-2.0",
    text: "Copyright (c) 2021-present, yisibl\n\nThis Source Code Form is subject to the terms of the Mozilla Public License, v. 2.0. If a copy of the MPL was not distributed with this file, You can obtain one at https://mozilla.org/MPL/2.0/. The package is used unchanged; its source is at https://github.com/yisibl/resvg-js.",
  },
  "javascript-natural-sort": {
    version: "0.7.1",
    licence: "MIT",
    text: `Author: Jim Palmer (based on chunking idea from Dave Koelle). Released under MIT license.\n\n${MIT}`,
  },
};

/** Folders of the packages that files lie in: `node_modules/@scope/name`, the innermost. */
export function packagesOf(files) {
  const folders = files.flatMap((file) => {
    const path = file.replaceAll("\\", "/");
    const at = path.lastIndexOf("node_modules/");
    if (at < 0) return [];
    const names = path.slice(at + "node_modules/".length).split("/");
    return [path.slice(0, at) + ["node_modules", ...names.slice(0, names[0].startsWith("@") ? 2 : 1)].join("/")];
  });
  return [...new Set(folders)].sort();
}

/** The licence text that a package brings: its own files, else the part of its page that gives the terms. */
function textOf(folder, { name, version, license }) {
  const files = readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file) && statSync(join(folder, file)).isFile())
    .sort();
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim()).filter((text) => text !== "");
  if (texts.length > 0) return texts.join("\n\n");
  const page = readdirSync(folder).find((file) => /^readme(\.|$)/i.test(file));
  const section =
    page && /(?:^|\n)(?:#+ *)?licen[cs]e\b[^\n]*\n([\s\S]*)$/i.exec(readFileSync(join(folder, page), "utf8"));
  if (section && /copyright[\s\S]*permission is hereby granted/i.test(section[1])) return section[1].trim();
  const stated = STATED[name];
  return stated?.version === version && stated.licence === license ? stated.text : undefined;
}

/**
 * The text of THIRD_PARTY_NOTICES.txt.
 * @param files paths of what is bundled or copied; those in node_modules count
 * @throws where a package states no licence or brings no text of it
 */
export function noticesOf(files, root = ".") {
  const missing = [];
  const parts = new Map();
  for (const folder of packagesOf(files)) {
    const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const text = textOf(join(root, folder), manifest);
    const title = `${manifest.name} ${manifest.version} (${manifest.license})`;
    if (typeof manifest.license !== "string" || text === undefined) missing.push(title);
    else parts.set(title, `${title}\n\n${text.replace(/\r\n?/g, "\n")}\n`);
  }
  if (missing.length > 0) throw new Error(`No licence is known of what is bundled:\n- ${missing.join("\n- ")}`);
  const rule = `\n${"-".repeat(80)}\n\n`;
  return `Scaling Lens contains ${parts.size} packages of others, under the terms below.\n${rule}${[...parts.values()].join(rule)}`;
}
