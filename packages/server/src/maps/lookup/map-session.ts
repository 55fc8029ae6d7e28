import type { MapFacts, MapReason } from '@culprit/contract/releases/map-words';
import type { MapPlaces, PlaceAnswer } from '@culprit/evidence/events/fingerprint/stack/mapped-frames';
import type { NormalizedEvent } from '@culprit/evidence/events/normalize/event';
import type { Database } from '../../platform/db/database.ts';
import { baseHash } from '../map-keys.ts';
import { BoundedCache } from './bounded-cache.ts';
import { chooseMap } from './choose-map.ts';
import type { FormAnswer, KeptForms } from './kept-forms.ts';
import {
  type Absence,
  findAbsences,
  findDeployedVersions,
  findNamed,
  type NameAsked,
  type NamedMap,
  nameKey,
  serviceName,
} from './names.queries.ts';

/** The facts about an event besides its frames. */
export interface MapContext {
  debugIds: readonly { file: string; id: string }[];
  /** The version in the event's spelling. */
  release: string | null;
  service: { name: string; environment: string };
  atMs: number;
  pageHost: string | null;
}

/** Answers about places of events of one project. What it does not know yet is loaded by `load`. */
interface MapSession {
  /** Looks places of an event up; notes those that are not known yet, for which the answer is `map_processing`. */
  placesOf(context: MapContext): { lookUp: MapPlaces; isComplete: () => boolean };
  /** Loads what was asked for. Rejects with ObjectStoreUnavailableError. */
  load(): Promise<void>;
}

/** Names of a process, by project and the version of its maps: what has one, and what has none. */
export interface NameMemory {
  named: BoundedCache<readonly NamedMap[]>;
  absent: BoundedCache<Absence>;
}

const NAMES_MAX = 20_000;
/** The limit of concurrent look-ups of places. */
const LOOKUPS_AT_ONCE = 8;

export function createNameMemory(): NameMemory {
  return { named: new BoundedCache(NAMES_MAX), absent: new BoundedCache(NAMES_MAX) };
}

interface Wanted {
  address: string;
  line: number;
  column: number;
  name: NameAsked;
  pageHost: string | null;
}

/**
 * @param options.hasLines with the original lines around each place
 * @param options.mapsVersion of the project, by which names are remembered
 */
export function openMapSession(options: {
  database: Database;
  forms: KeptForms;
  names: NameMemory;
  projectId: string;
  mapsVersion: number;
  hasLines: boolean;
}): MapSession {
  const { database, forms, projectId, mapsVersion, hasLines } = options;
  const answers = new Map<string, PlaceAnswer>();
  const wanted = new Map<string, Wanted>();
  const versions = new Map<string, readonly { version: string; deployedAtMs: number }[]>();
  const services = new Map<string, { name: string; environment: string }>();
  const memoryKey = (key: string) => `${projectId} ${mapsVersion} ${key}`;

  /** The release of an event; undefined while it is not known. */
  function releaseOf({ release, service, atMs }: MapContext): string | null | undefined {
    if (release !== null) return release;
    const key = serviceName(service.name, service.environment);
    const deployed = versions.get(key);
    if (deployed === undefined) {
      services.set(key, service);
      return undefined;
    }
    return deployed.find(({ deployedAtMs }) => deployedAtMs <= atMs)?.version ?? null;
  }

  function placesOf(context: MapContext): { lookUp: MapPlaces; isComplete: () => boolean } {
    let isComplete = true;
    const ids = new Map(context.debugIds.map(({ file, id }) => [fileKey(file), id]));
    const lookUp: MapPlaces = ({ address, line, column }) => {
      const id = ids.get(fileKey(address));
      const release = id === undefined ? releaseOf(context) : null;
      if (release === undefined) {
        isComplete = false;
        return waiting(address);
      }
      if (id === undefined && release === null) {
        return {
          kind: 'unmapped',
          reason: 'no_debug_id_no_release',
          facts: { file: address },
          sourceMapId: null,
          wait: null,
        };
      }
      const name: NameAsked =
        id === undefined
          ? { foundBy: 'file', key: release ?? '', hash: baseHash(address) }
          : { foundBy: 'id', key: id, hash: 0n };
      const { pageHost } = context;
      const key = `${nameKey(name)} ${line} ${column} ${pageHost ?? ''} ${address}`;
      const answer = answers.get(key);
      if (answer !== undefined) return answer;
      const each: Wanted = { address, line, column, name, pageHost };
      const known = fromMemory(each);
      if (known !== null) {
        answers.set(key, known);
        return known;
      }
      wanted.set(key, each);
      isComplete = false;
      return waiting(address);
    };
    const hasId = (address: string) => ids.has(fileKey(address));
    return { lookUp: Object.assign(lookUp, { hasId }), isComplete: () => isComplete };
  }

  /** The answer where nothing has to be loaded for it. */
  function fromMemory(each: Wanted): PlaceAnswer | null {
    const maps = options.names.named.get(memoryKey(nameKey(each.name)));
    if (maps === undefined) return null;
    const choice = choiceOf(each, maps);
    if (choice.kind === 'answer') return choice.answer;
    if (choice.kind === 'absent') {
      const absence = options.names.absent.get(memoryKey(nameKey(each.name)));
      return absence === undefined ? null : absentAnswer(each, absence);
    }
    if (hasLines) return null;
    const found = forms.known(choice.map.sourceMapId, each.line, each.column);
    return found === undefined ? null : placeAnswer(each, choice.map, found);
  }

  async function load(): Promise<void> {
    if (services.size > 0) {
      const asked = [...services.values()];
      services.clear();
      const found = await findDeployedVersions(database, projectId, asked);
      for (const { name, environment } of asked) {
        const key = serviceName(name, environment);
        versions.set(key, found.get(key) ?? []);
      }
    }
    const places = [...wanted];
    wanted.clear();
    if (places.length === 0) return;
    const maps = await namesOf(places.map(([, { name }]) => name));
    const absent: [string, Wanted][] = [];
    const lookUps: [string, Wanted, NamedMap & { objectKey: string }][] = [];
    for (const [key, each] of places) {
      const choice = choiceOf(each, maps.get(nameKey(each.name)) ?? []);
      if (choice.kind === 'answer') answers.set(key, choice.answer);
      else if (choice.kind === 'absent') absent.push([key, each]);
      else lookUps.push([key, each, choice.map]);
    }
    const absences = await absencesOf(absent.map(([, { name }]) => name));
    for (const [key, each] of absent) {
      answers.set(key, absentAnswer(each, absences.get(nameKey(each.name)) ?? NEVER_UPLOADED));
    }
    for (let start = 0; start < lookUps.length; start += LOOKUPS_AT_ONCE) {
      await Promise.all(
        lookUps.slice(start, start + LOOKUPS_AT_ONCE).map(async ([key, each, map]) => {
          const { sourceMapId, objectKey, storedBytes } = map;
          const found = await forms.lookUp(
            { sourceMapId, objectKey, storedBytes },
            each.line,
            each.column,
            hasLines,
          );
          answers.set(key, placeAnswer(each, map, found));
        }),
      );
    }
  }

  async function namesOf(asked: readonly NameAsked[]): Promise<Map<string, readonly NamedMap[]>> {
    const known = new Map<string, readonly NamedMap[]>();
    const open = new Map<string, NameAsked>();
    for (const name of asked) {
      const key = nameKey(name);
      const remembered = options.names.named.get(memoryKey(key));
      if (remembered === undefined) open.set(key, name);
      else known.set(key, remembered);
    }
    for (const [key, maps] of await findNamed(database, projectId, [...open.values()])) {
      known.set(key, maps);
      options.names.named.set(memoryKey(key), maps);
    }
    return known;
  }

  async function absencesOf(asked: readonly NameAsked[]): Promise<Map<string, Absence>> {
    const found = await findAbsences(database, projectId, [
      ...new Map(asked.map((name) => [nameKey(name), name])).values(),
    ]);
    for (const [key, absence] of found) {
      // An upload that is being read, or was refused, changes no version.
      if (absence.upload === null) options.names.absent.set(memoryKey(key), absence);
    }
    return found;
  }

  return { placesOf, load };
}

const NEVER_UPLOADED: Absence = { upload: null, words: null, hasOthers: false };

function waiting(address: string): PlaceAnswer {
  return {
    kind: 'unmapped',
    reason: 'map_processing',
    facts: { file: address },
    sourceMapId: null,
    wait: null,
  };
}

/** Returns the key by which a file is compared: the address without query and fragment. */
function fileKey(file: string): string {
  return file.split(/[?#]/, 1)[0] ?? '';
}

function choiceOf(
  { address, name, pageHost }: Wanted,
  maps: readonly NamedMap[],
):
  | { kind: 'found'; map: NamedMap & { objectKey: string } }
  | { kind: 'answer'; answer: PlaceAnswer }
  | { kind: 'absent' } {
  const kept = maps.flatMap((map) => (map.objectKey === null ? [] : [{ ...map, objectKey: map.objectKey }]));
  if (name.foundBy === 'id') {
    const [map] = kept;
    if (map !== undefined) return { kind: 'found', map };
  } else {
    const choice = chooseMap(address, kept, pageHost);
    if (choice.kind === 'found') {
      const map = kept.find(({ sourceMapId }) => sourceMapId === choice.map.sourceMapId);
      if (map !== undefined) return { kind: 'found', map };
    }
    if (choice.kind === 'ambiguous') {
      const paths = choice.maps.map(({ path }) => path);
      const facts: MapFacts = {
        file: address,
        release: name.key,
        paths: paths.slice(0, 3),
        count: paths.length,
      };
      return {
        kind: 'answer',
        answer: { kind: 'unmapped', reason: 'ambiguous_file', facts, sourceMapId: null, wait: null },
      };
    }
    if (choice.kind === 'elsewhere') {
      const facts: MapFacts = {
        file: address,
        release: name.key,
        host: choice.host,
        paths: [choice.map.path],
      };
      const wait = { foundBy: name.foundBy, key: name.key, file: fileKey(address) };
      return {
        kind: 'answer',
        answer: { kind: 'unmapped', reason: 'no_map_for_file', facts, sourceMapId: null, wait },
      };
    }
  }
  const gone = maps.filter(({ objectKey }) => objectKey === null);
  const choice = name.foundBy === 'id' ? gone[0] : chosen(address, gone, pageHost);
  if (choice === undefined) return { kind: 'absent' };
  const facts: MapFacts = {
    file: address,
    removedReason: choice.removedReason,
    removedOn: choice.removedAtMs === null ? null : new Date(choice.removedAtMs).toISOString().slice(0, 10),
  };
  const { sourceMapId } = choice;
  return {
    kind: 'answer',
    answer: { kind: 'unmapped', reason: 'map_removed', facts, sourceMapId, wait: null },
  };
}

function chosen(address: string, maps: readonly NamedMap[], pageHost: string | null): NamedMap | undefined {
  const choice = chooseMap(address, maps, pageHost);
  return choice.kind === 'found' ? choice.map : choice.kind === 'ambiguous' ? choice.maps[0] : undefined;
}

function absentAnswer({ address, name }: Wanted, { upload, words, hasOthers }: Absence): PlaceAnswer {
  const isId = name.foundBy === 'id';
  const reason: MapReason =
    upload === 'processing'
      ? 'map_processing'
      : upload === 'refused'
        ? 'map_refused'
        : isId
          ? 'no_map_for_debug_id'
          : hasOthers
            ? 'no_map_for_file'
            : 'release_without_maps';
  const facts: MapFacts = {
    file: address,
    refusal: words,
    ...(isId ? { debugId: name.key } : { release: name.key }),
  };
  return {
    kind: 'unmapped',
    reason,
    facts,
    sourceMapId: null,
    wait: { foundBy: name.foundBy, key: name.key, file: fileKey(address) },
  };
}

function placeAnswer(
  { address, line, column }: Wanted,
  { sourceMapId }: NamedMap,
  found: FormAnswer,
): PlaceAnswer {
  if (found.kind === 'mapped') {
    const { kind, file, own, name, lines } = found;
    return {
      ...{
        kind,
        sourceMapId,
        file,
        own,
        name,
        line: found.line,
        column: found.column,
        function: found.function,
      },
      source: lines === null ? null : { line: lines.text, before: lines.before, after: lines.after },
    };
  }
  return {
    kind: 'unmapped',
    reason: found.kind,
    facts: { file: address, line, column },
    sourceMapId,
    wait: null,
  };
}

/** Returns the facts about an event that source maps need; null for one whose stack no map can resolve. */
export function mapContextOf(event: NormalizedEvent): MapContext | null {
  const { payload } = event;
  if (payload.kind !== 'exception' && (payload.kind !== 'log' || payload.error === null)) return null;
  const { release } = event.context;
  const page = payload.kind === 'exception' ? (payload.browserEvent?.page?.url ?? null) : null;
  return {
    debugIds: payload.debugIds,
    release:
      typeof release === 'string' && release.trim() !== '' && release.length <= 200 ? release.trim() : null,
    service: event.service,
    atMs: event.effectiveAtMs,
    pageHost:
      page === null ? null : (/^[a-z][a-z0-9+.-]*:\/\/([^/?#]+)/i.exec(page)?.[1]?.toLowerCase() ?? null),
  };
}
