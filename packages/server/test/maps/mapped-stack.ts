import { fingerprintEvent } from '@culprit/evidence/events/fingerprint/fingerprint';
import type { MapPlaces, PlaceAnswer } from '@culprit/evidence/events/fingerprint/stack/mapped-frames';
import { normalizeEvent } from '@culprit/evidence/events/normalize/normalize-event';
import { type SourceFunctions, sourceFunctions } from '@culprit/source-maps/function-names';
import { type FormParts, lookUpIn } from '@culprit/source-maps/look-up';
import { makeForm } from '@culprit/source-maps/make-form';
import { keptParts } from '../../../source-maps/test/kept-parts.ts';

/** The file of every stack. */
export const STACK_ADDRESS = 'https://shop.example/assets/index.js';

/** The form of a build, and the functions of its sources that were read. */
export interface StackMaps {
  parts: FormParts;
  tables: Map<string, SourceFunctions | null>;
}

/** Makes the form of a build. */
export async function stackMapsOf({ code, map }: { code: string; map: string }): Promise<StackMaps> {
  const made = await makeForm({
    ...{ path: 'assets/index.js', debugId: null },
    ...{ generated: Buffer.from(code), map: Buffer.from(map) },
  });
  if (made.kind !== 'made') throw new Error(made.words);
  return { parts: keptParts(made.form), tables: new Map() };
}

/** What the form of a build says of the frames of a stack. */
export async function readStack(stack: string, { parts, tables }: StackMaps) {
  const event = normalizeEvent(
    {
      ...{ event_type: 'frontend_exception', timestamp: '2026-03-24T10:30:00Z' },
      ...{ service: { name: 'shop-web', environment: 'production' }, sdk: { name: 'custom', version: '1' } },
      payload: { name: 'Error', message: 'it failed', stack },
    },
    { eventId: 'evt_1', receivedAtMs: Date.UTC(2026, 2, 24, 11) },
  );
  const asked = new Map<string, { line: number; column: number }>();
  const answers = new Map<string, PlaceAnswer>();
  const unmapped = (
    reason: 'no_mapping' | 'lines_only' | 'position_outside_file' | 'file_differs',
  ): PlaceAnswer => ({
    ...{ kind: 'unmapped', reason, facts: { file: STACK_ADDRESS }, sourceMapId: null, wait: null },
  });
  const lookUp: MapPlaces = ({ line, column }) => {
    asked.set(`${line}:${column}`, { line, column });
    return answers.get(`${line}:${column}`) ?? unmapped('no_mapping');
  };
  fingerprintEvent(event, [], lookUp);
  for (const [key, { line, column }] of asked) {
    const found = await lookUpIn(parts, line - 1, column - 1);
    if (found.kind !== 'mapped') {
      answers.set(key, unmapped(found.kind));
      continue;
    }
    const { kind, file, own, name, text, offset } = found;
    const table = tables.get(file) ?? (text === null ? null : sourceFunctions(file, text));
    tables.set(file, table);
    answers.set(key, {
      ...{ kind, sourceMapId: 'map', file, own, name, source: null },
      ...{ line: found.line + 1, column: found.column + 1 },
      function: offset === null ? null : (table?.nameAt(offset) ?? null),
    });
  }
  const fingerprint = fingerprintEvent(event, [], lookUp);
  const frames = fingerprint?.chain[0]?.frames ?? [];
  return { key: fingerprint?.value ?? '', frames };
}
