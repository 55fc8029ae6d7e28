import { getServer } from '@culprit/contract/endpoints/server';
import { listIncidents } from '@culprit/contract/incidents/incidents';
import { readShortId } from '@culprit/contract/incidents/short-id';
import { isWellFormedId } from '@culprit/contract/schemas/identifiers';
import { authError, notFoundError, usageError } from '../cli-error.ts';
import { sameOrigin } from '../config/settings.ts';
import type { Context } from '../context.ts';
import { lastList } from '../state/last-list.ts';
import { chosenProjectId } from './project-reference.ts';

const ID_IN_PATH =
  /\/((?:inc_|bun_)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:[/?#]|$)/i;
const WHOLE_ID = /^(?:inc_|bun_)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const END_CHARS_MIN = 6;

/** Returns the place where the rows of a list are stored: one list for each server and profile. */
export function listPlace(context: Context): string {
  const { origin, profileName } = context.settings();
  return `${origin} ${profileName ?? ''}`;
}

/** Returns the id of a reference (docs/contract/command-line.md 2.7). */
export async function incidentIdOf(context: Context, reference: string): Promise<string> {
  if (reference.startsWith('http://') || reference.startsWith('https://')) {
    return await idOfUrl(context, reference);
  }
  if (WHOLE_ID.test(reference) || readShortId(reference) !== null) return reference;
  if (reference.startsWith('local:')) {
    const name = reference.slice('local:'.length);
    throw usageError('That is a local incident.', `culprit local show ${name}, or culprit local --help`);
  }
  if (reference === '@latest') return await latestId(context);
  const ids = lastList(context.environment, listPlace(context));
  const [, row] = /^@(\d{1,3})$/.exec(reference) ?? [];
  if (row !== undefined) {
    const id = ids[Number(row) - 1];
    if (id === undefined) throw notFoundError(`The last list has no row ${row}.`, 'culprit incidents list');
    return id;
  }
  if (reference.startsWith('@'))
    throw usageError(`"${reference}" is not a reference.`, 'culprit help references');
  const ending = ids.filter(
    (id) => reference.length >= END_CHARS_MIN && id.endsWith(reference.toLowerCase()),
  );
  const [id] = ending;
  if (ending.length > 1)
    throw notFoundError(`Several incidents of the last list end with "${reference}".`, 'use more characters');
  if (id !== undefined) return id;
  if (/^(?:inc|bun)_/.test(reference) && isWellFormedId(reference)) return reference;
  throw notFoundError(
    `No incident of the last list ends with "${reference}".`,
    'culprit incidents list, or culprit help references',
  );
}

async function idOfUrl(context: Context, text: string): Promise<string> {
  const { origin, userFile } = context.settings();
  const url = URL.canParse(text) ? new URL(text) : null;
  const [, short = ''] = /^\/i\/([^/]+)$/.exec(url?.pathname ?? '') ?? [];
  const [, uuid] = ID_IN_PATH.exec(`${url?.pathname ?? ''}${url?.search ?? ''}`.replace('=', '/')) ?? [];
  const id = readShortId(short) === null ? uuid : short;
  if (url === null || id === undefined)
    throw notFoundError('The address is not that of an incident.', 'culprit help references');
  const isKnown =
    url.origin === origin ||
    Object.values(userFile.profiles).some((each) => sameOrigin(each.url, url.origin));
  if (!isKnown && (await isDashboard(context, url.origin))) return id;
  if (!isKnown)
    throw authError(
      `${url.origin} is not a server you are signed in to.`,
      `culprit login --url ${url.origin}`,
    );
  if (url.origin !== origin)
    throw authError(`${url.origin} is not the chosen server.`, `add --url ${url.origin}`);
  return id;
}

/**
 * Returns true if the pages of the chosen server have this origin: its dashboard may have another address than its API.
 */
async function isDashboard(context: Context, origin: string): Promise<boolean> {
  const answer = await (await context.api()).attempt(getServer);
  return answer.ok && sameOrigin(answer.body.app_url, origin);
}

async function latestId(context: Context): Promise<string> {
  const api = await context.api();
  const projectId = await chosenProjectId(context, { isOptional: true });
  const { incidents } = await api.call(listIncidents, {
    query: { status: 'active', limit: 1, ...(projectId === null ? {} : { project_id: projectId }) },
  });
  const [latest] = incidents;
  if (latest === undefined)
    throw notFoundError('There is no active incident.', 'culprit incidents list --status all');
  return latest.incident_id;
}
