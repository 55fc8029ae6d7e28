import { resolve } from 'node:path';
import { CapturePreset } from '@culprit/contract/capture/capture';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Incident } from '@culprit/contract/incidents/incidents';
import {
  type LocalIncidents,
  localPolicy,
  readLocalIncidents,
} from '@culprit/evidence/local/local-incidents';
import { notFoundError } from '../../cli-error.ts';
import { variable } from '../../config/folders.ts';
import type { Context } from '../../context.ts';
import type { Input } from '../../input.ts';
import { findEventDirectories, namedEventDirectory, type Skipped } from '../../local/event-directories.ts';
import { findIncident } from '../../local/find-incident.ts';
import { readResolutions } from '../../local/local-state.ts';
import { readEventFiles } from '../../local/read-event-files.ts';
import { visibleLine } from '../../output/visible-text.ts';
import { lastList, rememberList } from '../../state/last-list.ts';

/** Everything that local mode left, read and judged. */
interface ReadLocal {
  local: LocalIncidents;
  skipped: Skipped[];
  directories: string[];
  resolvedAtMs: Map<string, number>;
  /** Ids of the last list of these directories, whose rows `@1` and the like name; empty without one. */
  listed: string[];
}

/** The directories of events: named by flag or environment, else the nearest upwards. */
export function eventDirectories(
  context: Context,
  input: Input,
): { directories: string[]; skipped: Skipped[] } {
  const named = input.text('dir') ?? variable(context.environment, 'CULPRIT_LOCAL_DIR');
  return named === null
    ? findEventDirectories(context.directory)
    : namedEventDirectory(resolve(context.directory, named));
}

export function readLocal(context: Context, input: Input): ReadLocal {
  const found = eventDirectories(context, input);
  const { files, skipped } = readEventFiles(found.directories);
  const state = readResolutions(found.directories);
  const preset = input.choice('preset', CapturePreset.enum) ?? 'balanced';
  const local = readLocalIncidents(files, { policy: localPolicy(preset), resolvedAtMs: state.resolvedAtMs });
  return {
    local,
    skipped: [...found.skipped, ...skipped, ...state.skipped, ...local.unusable],
    directories: found.directories,
    resolvedAtMs: state.resolvedAtMs,
    listed: lastList(context.environment, listPlace(found.directories)),
  };
}

/** Remembers what a list showed, so that rows are named as they were seen. */
export function rememberLocalList(
  { environment }: Context,
  { directories }: ReadLocal,
  ids: readonly string[],
): void {
  rememberList(environment, listPlace(directories), ids);
}

function listPlace(directories: readonly string[]): string {
  return ['local', ...directories].join('\n');
}

/** Returns the local incident of a reference. */
export function localIncident({ local, listed }: ReadLocal, reference: string): Incident {
  const [, row] = /^@(\d{1,3})$/.exec(reference) ?? [];
  const isOfList = row !== undefined && listed.length > 0;
  const match = findIncident(isOfList ? (listed[Number(row) - 1] ?? '') : reference, local.incidents);
  if (match.incident !== null) return match.incident;
  const words = match.why === 'none' ? 'No local incident is' : 'Several local incidents end with';
  throw notFoundError(`${words} "${reference}".`, 'culprit local list');
}

export function localBundle(read: ReadLocal, incident: Incident): DebugBundle {
  const bundle = read.local.bundle(incident.incident_id);
  if (bundle === null)
    throw notFoundError(`There is no bundle of ${incident.incident_id}.`, 'culprit local list');
  return bundle;
}

export function reportSkipped({ terminal, globals }: Context, skipped: readonly Skipped[]): void {
  if (globals.quiet) return;
  for (const { file, why } of skipped) terminal.err(`skipped ${visibleLine(file)}: ${visibleLine(why)}\n`);
}
