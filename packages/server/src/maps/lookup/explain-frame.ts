import type { ResponseOf } from '@culprit/contract/endpoints/endpoint';
import { debugIdOf } from '@culprit/contract/releases/debug-id';
import { MAP_CANDIDATES_MAX } from '@culprit/contract/releases/map-limits';
import { baseName, mapWords } from '@culprit/contract/releases/map-words';
import type { explainFrame as endpoint } from '@culprit/contract/releases/source-maps';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { browserText } from '@culprit/evidence/bundles/evidence/evidence-text';
import { jsFrame } from '@culprit/evidence/events/fingerprint/stack/js-stack';
import { mapChain } from '@culprit/evidence/events/fingerprint/stack/mapped-frames';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { findGroupingSettings } from '../../workspace/projects/grouping-settings.queries.ts';
import { type Candidate, findCandidates } from './candidates.queries.ts';
import { createKeptForms } from './kept-forms.ts';
import { createNameMemory, openMapSession } from './map-session.ts';

type Explanation = ResponseOf<typeof endpoint>['body'];

/**
 * Returns the result that events of a project get for one frame (docs/contract/source-maps.md 3.5). Nothing is cached.
 */
export async function explainFrame(
  { database, objects }: Runtime,
  { access: { projectId }, body }: ApiRequest<typeof endpoint>,
): Promise<Explanation> {
  const { file } = body;
  const debugId = debugIdOf(body.debug_id ?? '');
  const release = body.release?.trim() ?? null;
  const settings = await findGroupingSettings(database, projectId);
  const session = openMapSession({
    ...{ database, projectId, mapsVersion: settings.mapsVersion, hasLines: settings.showsSource },
    forms: createKeptForms(objects),
    names: createNameMemory(),
  });
  const places = session.placesOf({
    debugIds: debugId === null ? [] : [{ file, id: debugId }],
    // The empty text is no release and no service has one, so that no deployment speaks for it.
    ...{ release, service: { name: '', environment: '' }, atMs: 0, pageHost: null },
  });
  const parsed = jsFrame({ function: '', file, line: body.line ?? null, column: body.column ?? null });
  const map = () =>
    mapChain([{ type: '', message: '', frames: [parsed] }], places.lookUp).chain[0]?.frames[0];
  map();
  await session.load();
  map();
  await session.load();
  const frame = map();
  const candidates = await findCandidates(
    database,
    projectId,
    { debugId, release, file },
    MAP_CANDIDATES_MAX,
  );
  const reason = frame?.map?.reason ?? null;
  const words = reason === null ? null : mapWords(reason, frame?.map?.facts ?? { file });
  const { map: outcome = null } = frame ?? {};
  return {
    state: outcome?.state ?? 'none',
    mapped:
      frame === undefined || outcome?.state !== 'mapped' || outcome.sourceMapId === null
        ? null
        : {
            source_map_id: outcome.sourceMapId,
            file: frame.file ?? '',
            line: frame.line ?? 1,
            column: frame.column ?? 1,
            function: frame.function,
            is_own: frame.inApp,
            source:
              frame.source === undefined
                ? null
                : {
                    before: frame.source.before.map((line) => browserText(line)),
                    text: browserText(frame.source.line),
                    after: frame.source.after.map((line) => browserText(line)),
                  },
          },
    reason,
    words: words?.words ?? null,
    hint: words?.hint ?? null,
    looked_for:
      debugId !== null
        ? { by: 'debug_id', key: debugId }
        : release === null
          ? null
          : { by: 'release', key: `${release} ${baseName(file)}` },
    candidates: candidates.map(candidateOf),
  };
}

function candidateOf({ path, debugId, release, uploadedAtMs }: Candidate) {
  return { path, debug_id: debugId, release, uploaded_at: formatTimestamp(uploadedAtMs) };
}
