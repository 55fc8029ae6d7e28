import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { builtCli, type CliHome, environmentOf } from '../support/built-cli.ts';

export type Era = 'legacy' | { pin: string };

export interface ClientOptions {
  era?: Era;
  /** How a person answers the question before a change; without it the client can ask nobody. */
  answer?: { action: 'accept'; content: { confirm: boolean } } | { action: 'decline' | 'cancel' };
  environment?: Record<string, string>;
}

/** The official client, connected to `culprit mcp` of the built program. Whoever connects closes it. */
export async function connectClient(
  home: CliHome,
  args: readonly string[],
  { era = 'legacy', answer, environment = {} }: ClientOptions,
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      versionNegotiation: { mode: era },
      capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
    },
  );
  if (answer !== undefined) client.setRequestHandler('elicitation/create', () => answer);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [await builtCli(), 'mcp', ...args],
    cwd: home.path,
    env: environmentOf(home.path, environment),
    stderr: 'ignore',
  });
  await client.connect(transport);
  return client;
}

export async function call(client: Client, name: string, input: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: input });
  const [content] = Array.isArray(result.content) ? result.content : [];
  return { isError: result.isError === true, text: content?.type === 'text' ? content.text : '' };
}
