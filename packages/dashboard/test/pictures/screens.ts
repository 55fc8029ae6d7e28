import { createAlert } from '@culprit/contract/alerts/alerts';
import { createWebhook } from '@culprit/contract/alerts/webhooks';
import { createCaptureRule } from '@culprit/contract/capture/capture-rules';
import { activateProbe } from '@culprit/contract/capture/probes';
import { createClient } from '@culprit/contract/endpoints/client';
import type { Endpoint } from '@culprit/contract/endpoints/endpoint';
import { endpointExamples } from '@culprit/contract/endpoints/endpoint-examples';
import { listImprovements } from '@culprit/contract/incidents/improvements';
import { listIncidents } from '@culprit/contract/incidents/incidents';
import { createAvailabilityCheck } from '@culprit/contract/monitor/availability-checks';
import { createHeartbeat } from '@culprit/contract/monitor/heartbeats';
import { listReleases } from '@culprit/contract/releases/releases';
import { PATTERNS, type PathName, pathTo } from '../../src/paths.ts';
import type { DemoProject } from './demo-data.ts';

export interface Screen {
  /** Of `src/paths.ts`. */
  name: PathName;
  path: string;
}

type Ids = Readonly<Record<string, string | undefined>>;

/** Addresses that only lead somewhere else, or need a secret of their own. */
const NO_SCREEN: ReadonlySet<PathName> = new Set([
  'home',
  'invite',
  'unsubscribe',
  'bundle',
  'bundleReproduction',
]);
const HEARTBEAT = {
  slug: 'nightly',
  name: 'Nightly backup',
  schedule: { type: 'crontab', value: '0 3 * * *' },
};
const CHECK = { name: 'Home', url: 'http://checked.invalid/' };
/**
 * What the demo leaves out, with the body of the reference where it has one: parameter of the address, and field of the
 * answer.
 */
const MADE: readonly (readonly [endpoint: Endpoint, parameter: string, field: string, body?: object])[] = [
  [createAlert, 'alertId', 'alert_id'],
  [createAvailabilityCheck, 'checkId', 'check_id', CHECK],
  [createHeartbeat, 'heartbeatId', 'heartbeat_id', HEARTBEAT],
  [createWebhook, 'webhookId', 'webhook_id'],
  [createCaptureRule, 'ruleId', 'rule_id'],
  [activateProbe, 'activationId', 'activation_id'],
];

/**
 * Every address of the dashboard with the ids of real records filled in. An address whose record does not exist is left
 * out; a new address is a new screen by itself.
 */
export async function findScreens(url: string, project: DemoProject): Promise<Screen[]> {
  const ids = { ...(await findIds(url, project)), ...(await makeRecords(url, project)) };
  return Object.keys(PATTERNS)
    .filter(isPathName)
    .filter((name) => !NO_SCREEN.has(name))
    .flatMap((name) => {
      const own = name === 'improvement' ? { ...ids, id: ids.improvementId } : ids;
      const known = Object.fromEntries(
        Object.entries(own).flatMap(([key, id]) => (id === undefined ? [] : [[key, id]])),
      );
      const needed = [...PATTERNS[name].matchAll(/\$(\w+)/g)].map(([, key = '']) => key);
      return needed.every((key) => Object.hasOwn(known, key)) ? [{ name, path: pathTo(name, known) }] : [];
    });
}

/** The records of the demo: of its incidents the one with the most evidence. */
async function findIds(url: string, { projectId, memberToken }: DemoProject): Promise<Ids> {
  const client = createClient({ baseUrl: url, token: memberToken });
  const query = { project_id: projectId };
  const [incidents, improvements, releases] = await Promise.all([
    client.call(listIncidents, { query: { ...query, q: 'country' } }),
    client.call(listImprovements, { query }),
    client.call(listReleases, { params: { id: projectId } }),
  ]);
  return {
    pid: projectId,
    releaseId: releases.ok ? releases.body.releases[0]?.release_id : undefined,
    id: incidents.ok ? incidents.body.incidents[0]?.incident_id : undefined,
    improvementId: improvements.ok ? improvements.body.improvements[0]?.improvement_id : undefined,
  };
}

async function makeRecords(url: string, { projectId, memberToken }: DemoProject): Promise<Ids> {
  const ids: Record<string, string> = {};
  for (const [endpoint, parameter, field, own] of MADE) {
    const body = JSON.stringify(own ?? endpointExamples.get(endpoint.id)?.body).replaceAll(
      /"project_id":"[^"]*"/g,
      `"project_id":"${projectId}"`,
    );
    const answer = await fetch(url + endpoint.path.replace(':id', projectId), {
      method: endpoint.method,
      headers: { authorization: `Bearer ${memberToken}`, 'content-type': 'application/json' },
      body,
    });
    const [, id] = new RegExp(`"${field}":"([^"]+)"`).exec(await answer.text()) ?? [];
    if (id !== undefined) ids[parameter] = id;
  }
  return ids;
}

function isPathName(name: string): name is PathName {
  return Object.hasOwn(PATTERNS, name);
}
