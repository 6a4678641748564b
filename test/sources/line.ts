import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** A line to a server that can be cut, cut after so many bytes of an answer, and fall silent: what is sent then vanishes. */
export class Line {
  cutAfter = Infinity;
  isSilent = false;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();
  constructor(readonly target: number) {}

  /** @returns the port that leads to the server */
  async open(): Promise<number> {
    this.#server = createServer((near) => {
      if (this.cutAfter <= 0) return void near.destroy();
      const far = connect(this.target, "127.0.0.1");
      let passed = 0;
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.on("error", () => undefined).on("close", () => (near.destroy(), far.destroy()));
      }
      near.on("data", (chunk: Buffer) => this.isSilent || far.write(chunk));
      far.on("data", (chunk: Buffer) => {
        if (this.isSilent) return;
        passed += chunk.length;
        if (passed <= this.cutAfter) near.write(chunk);
        // What is left of the answer up to the cut arrives, and then nothing.
        else near.end(chunk.subarray(0, Math.max(0, chunk.length - (passed - this.cutAfter)))).destroySoon();
      });
    });
    await new Promise<void>((done) => this.#server!.listen(0, "127.0.0.1", done));
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server?.close();
  }
}
