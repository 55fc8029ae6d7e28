import {
  acceptedContent,
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { incidentAnswer } from './evidence/incident-answer.ts';
import { GUIDE, PROMPTS, type PromptName } from './prompts.ts';
import { redactedBundle } from './redacted-bundle.ts';
import { SourceError } from './source.ts';
import {
  activateProbe,
  type ChangeLimit,
  createCaptureRule,
  effectOf,
  setIncidentStatus,
  triageIncident,
} from './tools/change-tools.ts';
import {
  evidenceOf,
  getEvidence,
  getIncident,
  listIncidents,
  listProjects,
  type Sources,
} from './tools/read-tools.ts';
import { INSTRUCTIONS, TOKENS_DEFAULT, TOOLS, type ToolName } from './tools/tool-table.ts';

interface McpOptions {
  version: string;
  /** Asked for each call, so that a sign-in or the first local event is seen without a restart. */
  sources(): Promise<Sources>;
  /** Null when nothing may be changed. */
  changeLimit: ChangeLimit | null;
  /** Called for failures without a known description; an agent sees none of them. */
  onDefect(error: unknown): void;
}

type Answered = CallToolResult | InputRequiredResult;

/** A server of the Model Context Protocol over sources of incidents; one for each connection or request. */
export function createMcpServer(options: McpOptions): McpServer {
  const { changeLimit } = options;
  const sources = () => options.sources();
  const server = new McpServer(
    { name: 'culprit', version: options.version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  );

  /** The answer of a tool, or its failure in words. */
  async function answered(work: () => Promise<string>): Promise<CallToolResult> {
    try {
      return { content: [{ type: 'text', text: await work() }] };
    } catch (error) {
      return { isError: true, content: [{ type: 'text', text: failureText(error, options.onDefect) }] };
    }
  }

  /** Asks the person, where the client can, before something is changed. */
  async function changed(
    context: ServerContext,
    change: Parameters<typeof effectOf>[0],
    work: (changes: NonNullable<NonNullable<Sources['server']>['changes']>) => Promise<string>,
  ): Promise<Answered> {
    const answers = context.mcpReq.inputResponses;
    if (server.server.getClientCapabilities()?.elicitation !== undefined) {
      if (answers?.confirm === undefined) {
        const message = effectOf(change);
        return inputRequired({
          inputRequests: { confirm: inputRequired.elicit({ message, requestedSchema: CONFIRMATION }) },
        });
      }
      if (acceptedContent(answers, 'confirm', CONFIRMATION)?.confirm !== true) {
        return await answered(() =>
          Promise.reject(new SourceError('The user did not confirm. Nothing was changed.')),
        );
      }
    }
    return await answered(async () => {
      const changes = (await sources()).server?.changes ?? null;
      if (changes === null) throw new SourceError('Nothing can be changed here.', 'sign in to a server');
      changeLimit?.take();
      return await work(changes);
    });
  }

  const about = (name: ToolName) => {
    const { description, isChange } = TOOLS[name];
    const tool = TOOLS[name];
    return {
      description,
      annotations: {
        readOnlyHint: !isChange,
        openWorldHint: false,
        ...('isRepeatable' in tool ? { idempotentHint: true } : {}),
        ...(isChange ? { destructiveHint: 'isDestructive' in tool } : {}),
      },
    };
  };

  const { list_projects, list_incidents, get_incident, get_evidence } = TOOLS;
  server.registerTool(
    'list_projects',
    { ...about('list_projects'), inputSchema: list_projects.input },
    (input) => answered(async () => await listProjects(await sources(), input)),
  );
  server.registerTool(
    'list_incidents',
    { ...about('list_incidents'), inputSchema: list_incidents.input },
    (input) => answered(async () => await listIncidents(await sources(), input)),
  );
  server.registerTool(
    'get_incident',
    { ...about('get_incident'), inputSchema: get_incident.input },
    (input) => answered(async () => await getIncident(await sources(), input)),
  );
  server.registerTool(
    'get_evidence',
    { ...about('get_evidence'), inputSchema: get_evidence.input },
    (input) => answered(async () => await getEvidence(await sources(), input)),
  );
  if (changeLimit !== null) {
    const { set_incident_status, triage_incident, create_capture_rule, activate_probe } = TOOLS;
    server.registerTool(
      'set_incident_status',
      { ...about('set_incident_status'), inputSchema: set_incident_status.input },
      (input, context) =>
        changed(context, { name: 'set_incident_status', input }, (changes) =>
          setIncidentStatus(changes, input),
        ),
    );
    server.registerTool(
      'triage_incident',
      { ...about('triage_incident'), inputSchema: triage_incident.input },
      (input, context) =>
        changed(context, { name: 'triage_incident', input }, (changes) => triageIncident(changes, input)),
    );
    server.registerTool(
      'create_capture_rule',
      { ...about('create_capture_rule'), inputSchema: create_capture_rule.input },
      (input, context) =>
        changed(context, { name: 'create_capture_rule', input }, (changes) =>
          createCaptureRule(changes, input),
        ),
    );
    server.registerTool(
      'activate_probe',
      { ...about('activate_probe'), inputSchema: activate_probe.input },
      (input, context) =>
        changed(context, { name: 'activate_probe', input }, (changes) => activateProbe(changes, input)),
    );
  }
  registerResources(server, options);
  registerPrompts(server);
  return server;
}

const CONFIRMATION = z.object({ confirm: z.boolean() });

function registerResources(server: McpServer, { sources }: McpOptions): void {
  server.registerResource('guide', 'culprit://guide', { mimeType: 'text/plain' }, (uri) => ({
    contents: [{ uri: uri.href, text: GUIDE }],
  }));
  const evidence = async (id: unknown) => await evidenceOf(await sources(), String(id), []);
  server.registerResource(
    'incident',
    new ResourceTemplate('culprit://incidents/{incident_id}', { list: undefined }),
    { mimeType: 'text/plain' },
    async (uri, { incident_id }) => ({
      contents: [
        { uri: uri.href, text: incidentAnswer(await evidence(incident_id), { kind: 'all' }, TOKENS_DEFAULT) },
      ],
    }),
  );
  server.registerResource(
    'bundle',
    new ResourceTemplate('culprit://incidents/{incident_id}/bundle.json', { list: undefined }),
    { mimeType: 'application/json' },
    async (uri, { incident_id }) => {
      const { bundle, absence } = await evidence(incident_id);
      if (bundle === null) throw new SourceError(`${absence ?? 'There is no bundle'}.`);
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text: redactedBundle(bundle) }] };
    },
  );
}

function registerPrompts(server: McpServer): void {
  const names: readonly PromptName[] = ['investigate', 'triage', 'verify_fix'];
  for (const name of names) {
    const { description, args, text } = PROMPTS[name];
    server.registerPrompt(name, { description, argsSchema: args }, (given) => ({
      messages: [{ role: 'user', content: { type: 'text', text: text(given) } }],
    }));
  }
}

function failureText(error: unknown, onDefect: (error: unknown) => void): string {
  if (error instanceof SourceError)
    return error.hint === null ? error.message : `${error.message}\n→ ${error.hint}`;
  onDefect(error);
  return 'This failed for an unknown reason.\n→ try again, or use the culprit command';
}
