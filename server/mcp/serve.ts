import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import type { Offer } from "./tools";

const INSTRUCTIONS =
  "Scaling Lens judges the budgets of reinforcement-learning runs of language-model agents: expected success, cost, and the best split. Figures carry 95 % intervals; null with a reason means unknown, which is not approval. Only `fit` with `out`, `calibrate` and `plan` with `write` write files; `optimise` returns edits and applies none.";

/** An offer as a server of the Model Context Protocol, not yet connected. */
export function mcpServer(version: string, { tools, resources, read }: Offer): Server {
  const server = new Server(
    { name: "scaling-lens", version },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, description, input, writes }) => ({
      name,
      description,
      inputSchema: { ...z.toJSONSchema(input, { io: "input" }), type: "object" as const },
      annotations: { readOnlyHint: !writes, destructiveHint: writes, openWorldHint: false },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = tools.find(({ name }) => name === params.name);
    try {
      if (!tool) throw new Error(`there is no tool ${params.name}`);
      const answer = await tool.call(params.arguments ?? {}, signal);
      return { content: [{ type: "text" as const, text: JSON.stringify(answer, null, 2) }] };
    } catch (error) {
      return { isError: true, content: [{ type: "text" as const, text: String(error).replace(/^Error: /, "") }] };
    }
  });
  server.setRequestHandler(ListResourcesRequestSchema, async () => ({
    resources: (await resources()).map((one) => ({ ...one, mimeType: "application/json" })),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => ({
    contents: [{ uri, mimeType: "application/json", text: await read(uri) }],
  }));
  return server;
}

/** Serves an offer over standard input and output, until the client leaves. This file is a bundle of its own. */
export async function serve(version: string, offer: Offer): Promise<void> {
  const server = mcpServer(version, offer);
  const transport = new StdioServerTransport();
  const left = new Promise<void>((resolve) => {
    server.onclose = resolve;
    process.stdin.once("end", resolve);
  });
  await server.connect(transport);
  await left;
}
