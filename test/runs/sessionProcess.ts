/** A session of its own, for tests: reads runs through a cache on disk and prints what it read from where. Bundled by them. */
import { createFileCache } from "../../server/node/cache";
import { createNodeHost } from "../../server/node/host";
import { readRuns } from "../../server/sources/read";
import { countingHost } from "./countingHost";

const [cacheFolder, ...sources] = process.argv.slice(2);
const { host, bytes } = countingHost(createNodeHost());
void readRuns(host, sources, { cache: createFileCache(cacheFolder) }).then((table) => {
  process.stdout.write(JSON.stringify({ table, bytes: Object.fromEntries(bytes) }));
});
