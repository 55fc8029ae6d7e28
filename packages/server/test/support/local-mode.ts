import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { builtCli } from '../../../cli/test/support/built-cli.ts';
import type { TestCulprit } from './culprit.ts';
import type { IncidentClient } from './incident-client.ts';
import { rebuildBundles } from './rebuild-bundles.ts';
import type { RecordingProxy } from './recording-proxy.ts';

const MAIN = await builtCli();

/** What the events of a project became: in the service, or as files of local mode. By `incidentKey`. */
export type Outcome = ReadonlyMap<string, { incident: Incident; bundle: DebugBundle }>;

function incidentKey({ environment, service_name, fingerprint }: Incident): string {
  return `${environment} ${service_name} ${fingerprint}`;
}

/** What the service made of a project's events, with bundles of all that is there now. */
export async function readServed(culprit: TestCulprit, client: IncidentClient): Promise<Outcome> {
  const documents: DebugBundle[] = (await rebuildBundles(culprit, client)).map((text) => JSON.parse(text));
  const incidents = await client.list({ project_id: client.project.projectId });
  return new Map(
    incidents.map((incident) => {
      const bundle = documents.find(
        (each) => each.bundle_id === incident.incident_id.replace('inc_', 'bun_'),
      );
      if (bundle === undefined) throw new Error(`no bundle of ${incident.title}`);
      return [incidentKey(incident), { incident, bundle }];
    }),
  );
}

/** A directory in which libraries in local mode wrote, as `culprit local` reads it. */
interface LocalDirectory {
  path: string;
  events: string;
  /** What the command prints as JSON. */
  run(args: readonly string[]): string;
  outcome(): Outcome;
}

export function localDirectoryAt(path: string, preset: string): LocalDirectory {
  function run(args: readonly string[]): string {
    const words = [MAIN, 'local', ...args, '--json', '--preset', preset];
    return execFileSync(process.execPath, words, {
      cwd: path,
      env: { PATH: process.env.PATH ?? '', HOME: path },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 256 * 1_048_576,
    });
  }
  return {
    path,
    events: join(path, '.culprit/local/events'),
    run,
    outcome() {
      const { incidents }: { incidents: Incident[] } = JSON.parse(run(['list', '--status', 'all']));
      return new Map(
        incidents.map((incident) => {
          const bundle: DebugBundle = JSON.parse(run(['bundle', incident.incident_id]));
          return [incidentKey(incident), { incident, bundle }];
        }),
      );
    },
  };
}

/** A new directory with a file for each recorded batch, and the resolutions as the state of `culprit local`. */
export function writeLocalDirectory(
  { batches, resolutions }: RecordingProxy,
  served: Outcome,
  preset: string,
): LocalDirectory & { remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'culprit-local-mode-'));
  const directory = localDirectoryAt(path, preset);
  mkdirSync(directory.events, { recursive: true });
  batches.forEach((batch, index) => {
    const name = `${batch.atMs}-${String(index + 1).padStart(4, '0')}-shop.events.json`;
    writeFileSync(join(directory.events, name), `${JSON.stringify(batch.events)}\n`);
  });
  const local = directory.outcome();
  const resolved = [...served].flatMap(([key, { incident }]) => {
    const time = resolutions.get(incident.incident_id);
    return time === undefined ? [] : [[local.get(key)?.incident.incident_id, time]];
  });
  const state = JSON.stringify({ resolved: Object.fromEntries(resolved) });
  writeFileSync(join(path, '.culprit/local/state.json'), state);
  return { ...directory, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** What must be equal of incidents: everything but ids and moments of the server's clock. */
export function incidentFacts(outcome: Outcome) {
  const facts = [...outcome].map(([key, { incident, bundle }]) => ({
    key,
    title: incident.title,
    severity: incident.severity,
    status: incident.status,
    occurrences: incident.occurrence_count,
    firstSeenAt: incident.first_seen_at,
    lastSeenAt: incident.last_seen_at,
    isResolved: incident.resolved_at !== null,
    isRegressed: incident.regressed_at !== null,
    isSpiking: incident.spike_detected_at !== null,
    isDeployed: incident.latest_deployment_id !== null,
    reason: incident.incident_reason,
    matchedFields: incident.matched_fields,
    cause: bundle.summary.likely_cause,
    roles: bundle.context.occurrences?.items.map(({ event_id, roles }) => [event_id, roles]),
  }));
  return facts.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** What must be equal of bundles: everything but ids, links and times of receipt. */
export function bundleFacts(outcome: Outcome) {
  const facts = [...outcome].map(([key, { bundle }]) => {
    const { summary, reproduction, signal, impact, redaction, captured_at, sdk } = bundle;
    const { id: _id, ...service } = bundle.service;
    // Releases are records of the service; local mode has none.
    const { releases: _releases, ...context } = bundle.context;
    const shown = { context, summary, reproduction, signal, impact, redaction, captured_at, sdk, service };
    // Each project hashes the ids of users by a key of its own, and so does local mode.
    const text = JSON.stringify(shown).replaceAll(/\busr_[0-9a-f]{32}\b/g, 'usr_');
    return { key, shown: JSON.parse(text) as typeof shown };
  });
  return facts.sort((a, b) => (a.key < b.key ? -1 : 1));
}
