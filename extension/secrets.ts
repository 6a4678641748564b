import type { SecretStorage } from "vscode";
import type { SecretParams, SecretReply } from "../server/protocol";

/** What the editor says of now. */
interface Now {
  readonly isTrusted: boolean;
  /** Whether answers to the server are written to the log as they are. */
  readonly isTraced: boolean;
}

/** Secrets of stores and buckets, one an address, in the editor's SecretStorage and nowhere else. */
export class StoreSecrets {
  readonly #storage: Pick<SecretStorage, "get" | "store" | "delete">;
  readonly #now: () => Now;

  constructor(storage: Pick<SecretStorage, "get" | "store" | "delete">, now: () => Now) {
    this.#storage = storage;
    this.#now = now;
  }

  async has(address: string): Promise<boolean> {
    return (await this.#storage.get(keyOf(address))) !== undefined;
  }

  /** Keeps a secret for an address; an empty one is forgotten. */
  async keep(address: string, secret: string): Promise<void> {
    await (secret === "" ? this.#storage.delete(keyOf(address)) : this.#storage.store(keyOf(address), secret));
  }

  /** What the server is handed, which asks for addresses that scaling.yaml names. */
  async handed({ address }: SecretParams): Promise<SecretReply> {
    const { isTrusted, isTraced } = this.#now();
    return { secret: isTrusted && !isTraced ? ((await this.#storage.get(keyOf(address))) ?? null) : null };
  }
}

const keyOf = (address: string) => `scalingLens.secret:${address}`;
