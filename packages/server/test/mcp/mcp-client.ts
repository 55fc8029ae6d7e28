import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export type Era = 'legacy' | { pin: string };

/** The official client, in the oldest and the newest way to speak. */
export const ERAS: readonly [string, Era][] = [
  ['2025-11-25', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
];

/** Connects it to `/mcp` of a server; throws for an answer that is no success. */
export async function connectMcp(
  serverUrl: string,
  {
    headers,
    query = '',
    era = 'legacy',
  }: { headers: Readonly<Record<string, string>>; query?: string; era?: Era },
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: era } });
  const transport = new StreamableHTTPClientTransport(new URL(`${serverUrl}/mcp${query}`), {
    requestInit: { headers: { ...headers } },
  });
  await client.connect(transport);
  return client;
}

interface ToolAnswer {
  isError: boolean;
  text: string;
}

export async function callTool(client: Client, name: string, input: object = {}): Promise<ToolAnswer> {
  const result = await client.callTool({ name, arguments: { ...input } });
  const [content] = Array.isArray(result.content) ? result.content : [];
  return { isError: result.isError === true, text: content?.type === 'text' ? content.text : '' };
}
