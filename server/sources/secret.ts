import { holdsSecret } from "../host";
import { isStore, storePlace } from "./stores/store";

/** The secret that somebody keeps for an address of `secretAddress`; undefined where nobody does. */
export type SecretOf = (address: string) => Promise<string | undefined>;

/**
 * What the secret of an address is kept under: of a database all that says which server is asked, of object storage the bucket. Null for
 * one that wants none.
 */
export function secretAddress(uri: string): string | null {
  if (holdsSecret(uri)) return null;
  const bucket = /^s3:\/\/[^/?#]+/i.exec(uri)?.[0];
  if (bucket !== undefined) return bucket;
  if (!isStore(uri) || /^sqlite:/i.test(uri)) return null;
  const place = storePlace(uri);
  return typeof place === "string" ? null : place.uri;
}

/** A message without the secrets that went into what failed: a server may repeat what it was sent. */
export function withoutSecrets(message: string, secrets: readonly (string | undefined)[]): string {
  return secrets.reduce<string>((text, secret) => (secret ? text.replaceAll(secret, "…") : text), message);
}
