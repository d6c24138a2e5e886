// An agent's hands, by the official TypeScript SDK: a server process of its own over stdio, and a call
// for each line of standard input, `{tool, arguments}`. What came of it is a line of standard output.
//
//     node agent.mjs COMMAND ARGUMENT…

import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "peer-agent", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
// The client checks every answer against the schemas that it listed.
await client.listTools();
for await (const line of createInterface({ input: process.stdin })) {
  const { tool, arguments: given } = JSON.parse(line);
  let told;
  try {
    const result = await client.callTool({ name: tool, arguments: given });
    told = { isError: result.isError === true, answer: result.structuredContent };
  } catch (error) {
    told = { broken: String(error) };
  }
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
await client.close();
