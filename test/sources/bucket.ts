import { createHash, createHmac } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join, relative } from "node:path";

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** The signature of a request by AWS's version 4, worked out from its published steps. */
function signature(request: IncomingMessage, secret: string): string {
  const [, credential, signed] =
    /Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=/.exec(request.headers.authorization ?? "") ?? [];
  const [, date, region, service] = (credential ?? "").split("/");
  const url = new URL(request.url ?? "", "http://x");
  const escaped = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = [...url.searchParams].map(([key, value]) => `${escaped(key)}=${escaped(value)}`).sort();
  const headers = (signed ?? "").split(";").map((name) => `${name}:${String(request.headers[name] ?? "").trim()}\n`);
  const path = url.pathname
    .split("/")
    .map((part) => escaped(decodeURIComponent(part)))
    .join("/");
  const payload = String(request.headers["x-amz-content-sha256"] ?? sha256(""));
  const canonical = [request.method, path, query.join("&"), headers.join(""), signed, payload].join("\n");
  const scope = [date, region, service, "aws4_request"].join("/");
  const text = ["AWS4-HMAC-SHA256", request.headers["x-amz-date"], scope, sha256(canonical)].join("\n");
  const key = ["aws4_request", service, region, date].reduceRight(
    (held, part) => hmac(held, part ?? ""),
    Buffer.from(`AWS4${secret}`),
  );
  return hmac(key, text).toString("hex");
}

/** Files of a folder over HTTP: at `/files/…` to anybody, at `/bucket/…` as S3 does to those who sign. */
export class Bucket {
  how: "well" | "gone" | "without parts" | "elsewhere" | "silent" | "silent midway" | "cut midway" = "well";
  /** Files that were sent whole, and the paths that were asked for. */
  wholes = 0;
  readonly asked: string[] = [];
  readonly #server: Server;
  constructor(
    readonly folder: string,
    readonly secret: string,
  ) {
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  async open(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "", "http://x");
    this.asked.push(`${request.method} ${url.pathname}`);
    if (this.how === "gone") return void request.socket.destroy();
    if (this.how === "silent") return;
    if (this.how === "elsewhere") return void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
    const [, top, ...rest] = url.pathname.split("/").map(decodeURIComponent);
    if (top === "bucket") {
      const given = /Signature=(\w+)/.exec(request.headers.authorization ?? "")?.[1];
      if (given !== signature(request, this.secret)) return void response.writeHead(403).end();
      if (url.searchParams.has("list-type")) return this.#list(url.searchParams, response);
    }
    const path = join(this.folder, ...rest);
    if (!existsSync(path) || !statSync(path).isFile()) return void response.writeHead(404).end();
    const content = readFileSync(path);
    const headers = { "last-modified": new Date(statSync(path).mtimeMs).toUTCString() };
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    if (from === undefined || this.how === "without parts") {
      this.wholes++;
      return void response.writeHead(200, { ...headers, "content-length": content.length }).end(content);
    }
    const part = content.subarray(Number(from), Number(to) + 1);
    response.writeHead(206, {
      ...headers,
      "content-length": part.length,
      "content-range": `bytes ${from}-${Number(from) + part.length - 1}/${content.length}`,
    });
    if (!this.how.endsWith("midway") || part.length === 1) return void response.end(part);
    response.write(part.subarray(0, part.length / 2), () => this.how.startsWith("cut") && request.socket.destroy());
  }

  #list(query: URLSearchParams, response: ServerResponse): void {
    const prefix = query.get("prefix") ?? "";
    const names = readdirSync(this.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(this.folder, join(entry.parentPath, entry.name)))
      .filter((name) => name.startsWith(prefix));
    const here = names.filter((name) => !name.slice(prefix.length).includes("/")).sort();
    const below = [
      ...new Set(
        names
          .filter((name) => !here.includes(name))
          .map((name) => prefix + name.slice(prefix.length).split("/")[0] + "/"),
      ),
    ].sort();
    const all = [
      ...here.map((name) => `<Contents><Key>${encodeURIComponent(name)}</Key></Contents>`),
      ...below.map((name) => `<CommonPrefixes><Prefix>${encodeURIComponent(name)}</Prefix></CommonPrefixes>`),
    ];
    // Pages of three, so that there are several.
    const from = Number(query.get("continuation-token") ?? 0);
    const more = from + 3 < all.length ? `<NextContinuationToken>${from + 3}</NextContinuationToken>` : "";
    response
      .writeHead(200)
      .end(
        `<ListBucketResult><Prefix>${encodeURIComponent(prefix)}</Prefix>${all.slice(from, from + 3).join("")}${more}</ListBucketResult>`,
      );
  }
}
