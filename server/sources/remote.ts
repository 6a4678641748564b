import { files } from "./files/source";
import { isRemote } from "../host";
import type { Source } from "./source";

/** What a part of an address is called that lets its holder in. */
const SECRET = /[?&](password|pwd|secret|token|access_token|api_?key|sig|signature|x-amz-signature|x-amz-credential)=/i;

/** Logs, tables and folders of runs on servers and in buckets, which are read as files are: by the parts that are needed. */
export const remote: Source = {
  id: "remote",
  matches: isRemote,
  async find(uri, world) {
    const { host, notes } = world;
    const nothing = { prefix: "", runs: [], tables: [] };
    if (/^[a-z0-9]+:\/\/[^/?#]*@/i.test(uri) || SECRET.test(uri)) {
      notes.error(
        "store.password",
        "A password, token or signature stands in this address. Take it out: keys of S3 are set in the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), or in the editor by “Store or forget a secret”.",
        { file: uri.replace(/\/\/[^@/]*@/, "//…@").replace(/\?.*/, "?…") },
      );
      return nothing;
    }
    if (!host.trouble) {
      notes.error("store.not-here", "Servers are read in a trusted workspace on this machine, not in a browser.", {
        file: uri,
      });
      return nothing;
    }
    const about = await host.stat(uri);
    const trouble = host.trouble(uri);
    if (trouble) notes.error("store.failed", `The files could not be read: ${trouble.reason}`, { file: uri });
    if (!about && trouble) return nothing;
    const found = await files.find(uri, world);
    if (trouble && trouble.since !== null)
      notes.warn(
        "store.stale",
        `The runs shown are those of ${new Date(trouble.since).toISOString().slice(0, 16).replace("T", " ")} UTC, when the store could last be read.`,
        { file: uri },
      );
    return found;
  },
};
