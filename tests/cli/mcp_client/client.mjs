// SPDX-License-Identifier: MIT
// client.mjs SPOOR: the protocol's own client asks `spoor mcp`, in the current directory, what the
// lines of standard input say ({"name": ..., "arguments": ...}), and prints an answer a line: what
// the call returned, or {"error": code, "message": ...}.  Before them: what the server is and has.
import readline from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const client = new Client({ name: 'test', version: '0' });
await client.connect(new StdioClientTransport({ command: process.argv[2], args: ['mcp'], stderr: 'ignore' }));
const print = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const tools = (await client.listTools()).tools, prompts = (await client.listPrompts()).prompts;
print({ server: client.getServerVersion(), tools: tools.map((tool) => tool.name), prompts });
for await (const line of readline.createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  const stop = new AbortController(), progress = [];
  try {
    if (asked.prompt) {
      print(await client.getPrompt({ name: asked.prompt, arguments: asked.arguments }));
      continue;
    }
    // the client checks each answer against the tool's output schema
    const answer = await client.callTool({ name: asked.name, arguments: asked.arguments }, undefined, {
      signal: stop.signal,
      onprogress: (told) => {
        progress.push(told);
        if (asked.cancel) stop.abort('enough');
      },
    });
    print({ ...answer, progress });
  } catch (error) {
    print({ error: error.code ?? null, message: String(error.message ?? error), progress });
  }
}
await client.ping();
await client.close();
print({ ended: true });
