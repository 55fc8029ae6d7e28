import { api } from '@culprit/contract/endpoints/api';
import type { Endpoint } from '@culprit/contract/endpoints/endpoint';
import { problemWords } from '@culprit/mcp/words/problem-words';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askingActor, type Caller, type CallerStage, callers, verdictFor } from '../security/callers.ts';
import type { OperationRequest } from '../security/operation-request.ts';
import { operationRequests } from '../security/operation-requests.ts';
import { openTheatre, type Theatre } from '../security/stage.ts';
import { sendRequest } from '../support/send-events.ts';
import { callTool, connectMcp } from './mcp-client.ts';

/** What a tool needs of whoever calls it is what its endpoint needs (docs/contract/command-line.md C-47). */
const TOOLS: readonly {
  name: string;
  endpoint: string;
  input(request: OperationRequest): Record<string, unknown>;
}[] = [
  { name: 'list_projects', endpoint: 'listProjects', input: () => ({}) },
  {
    name: 'list_incidents',
    endpoint: 'listIncidents',
    input: ({ query }) => ({ project: query?.project_id }),
  },
  { name: 'get_incident', endpoint: 'getIncident', input: ({ params }) => ({ incident_id: params?.id }) },
  {
    name: 'get_incident',
    endpoint: 'suggestCaptureRules',
    input: ({ params }) => ({ incident_id: params?.id, sections: ['rules'] }),
  },
  {
    name: 'get_evidence',
    endpoint: 'getIncidentBundle',
    input: ({ params }) => ({ handle: `${params?.id}~1~stack~0` }),
  },
  {
    name: 'set_incident_status',
    endpoint: 'resolveIncidents',
    input: ({ body }) => ({ incident_ids: body?.incident_ids, status: 'resolved' }),
  },
  {
    name: 'set_incident_status',
    endpoint: 'reopenIncidents',
    input: ({ body }) => ({ incident_ids: body?.incident_ids, status: 'open' }),
  },
  {
    name: 'triage_incident',
    endpoint: 'updateIncident',
    input: ({ params, body }) => ({ incident_id: params?.id, priority: body?.priority }),
  },
  {
    name: 'create_capture_rule',
    endpoint: 'createSuggestedCaptureRule',
    input: ({ params, body }) => ({ incident_id: params?.id, suggestion_id: body?.suggestion_id }),
  },
  {
    name: 'activate_probe',
    endpoint: 'activateProbe',
    input: ({ params, body }) => ({ project: params?.id, label_pattern: body?.label_pattern }),
  },
];

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

let theatre: Theatre;
let stage: CallerStage;
beforeAll(async () => {
  theatre = await openTheatre({ mcp: 'write' });
  stage = await theatre.newStage();
});
afterAll(() => theatre?.stop());

function endpointNamed(id: string): Endpoint {
  const endpoint = api.find((each) => each.id === id);
  if (endpoint === undefined) throw new Error(`there is no endpoint ${id}`);
  return endpoint;
}

/** What is wrong with the answer of a tool; null when it is what the endpoint answers this caller. */
async function faultOf(caller: Caller, { name, endpoint: id, input }: (typeof TOOLS)[number]) {
  const make = operationRequests[id];
  if (make === undefined) throw new Error(`no request is made up for ${id}`);
  const request = await make(stage, askingActor(stage, caller));
  const headers = await caller.present(stage);
  // A cookie is no credential here.
  if (caller.person?.session !== 'none') {
    const { status } = await sendRequest(`${stage.culprit.url}/mcp?writes=on`, { headers, body: PING });
    return status === 401 ? null : `answered ${status}`;
  }
  const client = await connectMcp(stage.culprit.url, { headers, query: '?writes=on' });
  // A tool that is not listed for a token is refused by the protocol.
  const { isError, text } = await callTool(client, name, input(request)).catch((error: unknown) => ({
    isError: true,
    text: String(error),
  }));
  await client.close();
  const verdict = verdictFor(endpointNamed(id), caller);
  if (typeof verdict === 'number') return isError ? `refused: ${text}` : null;
  const words = problemWords(verdict)?.says ?? verdict;
  const isRefused =
    isError && (text.includes(words) || (caller.isReading === true && text.includes('not found')));
  return isRefused ? null : `not ${verdict}: ${text}`;
}

describe('at /mcp, as at the endpoints', () => {
  it.each(TOOLS)('$name answers each kind of caller of $endpoint', async (tool) => {
    const faults: string[] = [];
    for (const caller of callers) {
      const fault = await faultOf(caller, tool);
      if (fault !== null) faults.push(`${caller.name}: ${fault}`);
    }
    expect(faults).toEqual([]);
  });
});
