import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import type { IncidentEvidence } from '../src/evidence/incident-answer.ts';
import { createMcpServer } from '../src/mcp-server.ts';
import { type IncidentChanges, type IncidentSource, SourceError } from '../src/source.ts';
import { createChangeLimits } from '../src/tools/change-tools.ts';

/** Incidents that are there as files are: the evidence of each by its id. */
export function sourceOf(
  incidents: readonly IncidentEvidence[],
  changes: IncidentChanges | null = null,
): IncidentSource {
  return {
    listProjects: async () => [],
    listIncidents: async ({ limit }) => ({
      incidents: incidents.slice(0, limit),
      nextCursor: null,
    }),
    async evidence(reference) {
      const found = incidents.find((each) => each.reference === reference);
      if (found === undefined) throw new SourceError('There is no such incident.');
      return found;
    },
    changes,
  };
}

/** The official client, connected to the server with these incidents in the same process. */
export async function connectTo(source: IncidentSource): Promise<Client> {
  const sources = { server: source, local: null, project: null, tokensDefault: 4000 };
  const server = createMcpServer({
    version: '0.1.0',
    sources: async () => sources,
    changeLimit: source.changes === null ? null : createChangeLimits()('test'),
    onDefect: () => {},
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1.0.0' });
  await Promise.all([server.connect(far), client.connect(near)]);
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

/** The text of a resource. */
export async function readText(client: Client, uri: string): Promise<string> {
  const [content] = (await client.readResource({ uri })).contents;
  return content !== undefined && 'text' in content ? content.text : '';
}
