import { AwsV4Signer } from "aws4fetch";
import { type SecretOf, secretAddress } from "../../sources/secret";

/** What a server may take until its answer begins, and from one piece of it to the next. */
const ANSWER_MS = 10_000;

/** A place that could not be read, in words for people: never a secret in it. */
export class Unreachable extends Error {
  /** @param isGone whether its server does not answer at all, so that others of its places need not be tried */
  constructor(
    message: string,
    readonly isGone = false,
  ) {
    super(message);
  }
}

/** `s3://bucket/key` taken apart; the key is decoded. */
export function s3Place(uri: string): { readonly bucket: string; readonly key: string } | null {
  const [, bucket, path = ""] = /^s3:\/\/([^/]+)\/?(.*)$/i.exec(uri) ?? [];
  return bucket === undefined ? null : { bucket, key: path.split("/").map(decodeURIComponent).join("/") };
}

/** What is no name of a bucket, and would lead to another server or bucket. */
const NO_BUCKET = /[^a-z0-9._-]|^\.|\.\./i;

/** Where a bucket is, without a slash at its end: that of AWS, or what AWS_ENDPOINT_URL_S3 names. */
export function bucketUrl(bucket: string): string {
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = process.env;
  const endpoint = AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL;
  return endpoint ? `${endpoint.replace(/\/+$/, "")}/${bucket}` : `https://${bucket}.s3.${region()}.amazonaws.com`;
}

const region = () => process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION ?? "us-east-1";

const encodedKey = (key: string) => key.split("/").map(encodeURIComponent).join("/");

/** The address of a file over HTTP. */
function urlOf(uri: string): string {
  const place = s3Place(uri);
  if (place) {
    const isUp = place.key.split("/").some((part) => part === "." || part === "..");
    if (isUp || NO_BUCKET.test(place.bucket)) throw new Unreachable("this is no address of a bucket");
    return `${bucketUrl(place.bucket)}/${encodedKey(place.key)}`;
  }
  const { protocol, hostname } = new URL(uri);
  if (protocol !== "https:" && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname))
    throw new Unreachable("http:// sends what it reads in the open; use https://");
  return uri;
}

/** Keys of a bucket: those of the environment, else `KEY:SECRET` as it is kept for the bucket. */
async function keysOf(uri: string, secretOf: SecretOf | undefined) {
  const bucket = secretAddress(uri);
  if (bucket === null) return undefined;
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN: sessionToken } = process.env;
  if (AWS_ACCESS_KEY_ID && AWS_SECRET_ACCESS_KEY)
    return {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(sessionToken && { sessionToken }),
    };
  const [, accessKeyId, secretAccessKey] = /^([^:]+):(.+)$/.exec((await secretOf?.(bucket)) ?? "") ?? [];
  return accessKeyId === undefined ? undefined : { accessKeyId, secretAccessKey };
}

/**
 * One GET of a place, or of an address in its bucket: signed where it is S3 and there are keys. Redirects are not followed, since
 * they lead where nobody said.
 */
export async function get(
  uri: string,
  {
    range,
    url: given,
    secretOf,
  }: { readonly range?: readonly [number, number]; readonly url?: string; readonly secretOf?: SecretOf } = {},
): Promise<Response> {
  const own = urlOf(uri);
  const url = given ?? own;
  const headers: Record<string, string> = range ? { range: `bytes=${range[0]}-${range[1] - 1}` } : {};
  const keys = await keysOf(uri, secretOf);
  const signed = keys
    ? (await new AwsV4Signer({ url, method: "GET", headers, ...keys, service: "s3", region: region() }).sign()).headers
    : headers;
  let response: Response;
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), ANSWER_MS);
  try {
    response = await fetch(url, { headers: signed, redirect: "manual", signal: silence.signal });
  } catch (error) {
    throw new Unreachable(silence.signal.aborted ? "the server does not answer" : explained(error), true);
  } finally {
    clearTimeout(timer);
  }
  const { status } = response;
  if (status === 200 || status === 206 || status === 404 || status === 416) return response;
  await response.body?.cancel();
  if (status >= 300 && status < 400)
    throw new Unreachable("the server sends the reader to another address, which nobody named");
  if (status === 401 || status === 403)
    throw new Unreachable(
      `the server refuses the reader (${status})${s3Place(uri) ? ": AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY" : ""}`,
    );
  throw new Unreachable(`the server answers ${status}`);
}

function explained(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message;
}

/** All of an answer. */
export async function bodyOf({ body }: Response): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const reader = body?.getReader();
  try {
    while (reader) {
      const piece = await within(reader.read());
      if (piece.done) break;
      pieces.push(piece.value);
    }
  } catch (error) {
    void reader?.cancel().catch(() => undefined);
    throw error instanceof Unreachable ? error : new Unreachable(`the answer was cut: ${explained(error)}`, true);
  }
  return Buffer.concat(pieces);
}

/** Rejects where the next piece does not come. */
function within<Value>(piece: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const cut = () => reject(new Unreachable("the answer was cut: the server does not answer any more", true));
    const timer = setTimeout(cut, ANSWER_MS);
    piece.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}
