import { redactText } from '@culprit/evidence/events/redact/redact-values';
import {
  DamagedFormError,
  type OpenForm,
  openForm,
  readBlock,
  readFrame,
  type SegmentBlock,
} from '@culprit/source-maps/form-reader';
import type { SourceFunctions } from '@culprit/source-maps/function-names';
import { type FormParts, type LookUp, lookUpIn, readSource } from '@culprit/source-maps/look-up';
import type { SourceExcerpt } from '@culprit/source-maps/source-lines';
import { ObjectMissingError, type ObjectStore } from '../../platform/objects/object-store.ts';
import { BoundedCache } from './bounded-cache.ts';

/** A kept source map, as a place is looked up in it. */
interface KeptForm {
  sourceMapId: string;
  objectKey: string;
  storedBytes: number;
}

/** The answer of a form for a place; lines and columns count from 1. */
export type FormAnswer =
  | {
      kind: 'mapped';
      file: string;
      own: boolean;
      line: number;
      column: number;
      function: string | null;
      name: string | null;
      lines: SourceExcerpt | null;
    }
  | { kind: Exclude<LookUp['kind'], 'mapped'> | 'map_damaged' };

/** Parts of forms that this thread has read, within the bounds of docs/contract/source-maps.md 4.8. */
export interface KeptForms {
  /**
   * Looks a place up, which counts from 1. Rejects with ObjectStoreUnavailableError.
   * @param hasLines with the original lines around it
   */
  lookUp(form: KeptForm, line: number, column: number, hasLines: boolean): Promise<FormAnswer>;
  /** The answer without lines, where it is known. */
  known(sourceMapId: string, line: number, column: number): FormAnswer | undefined;
  /** Returns the size of the maps that it holds. */
  sizeBytes(): number;
}

const HEAD_BYTES = 33_554_432;
/** For blocks of segments, and below for parts of the generated files around them. */
const BLOCK_BYTES = 25_165_824;
const FRAME_BYTES = 8_388_608;
const TEXT_BYTES = 16_777_216;
const TABLE_BYTES = 16_777_216;
const RESULTS = 50_000;
const TABLE_ENTRY_BYTES = 64;

export function createKeptForms(objects: ObjectStore): KeptForms {
  const heads = new BoundedCache<OpenForm>(HEAD_BYTES);
  const blocks = new BoundedCache<SegmentBlock>(BLOCK_BYTES);
  const frames = new BoundedCache<Buffer>(FRAME_BYTES);
  const texts = new BoundedCache<{ text: string; starts: readonly number[] } | null>(TEXT_BYTES);
  const tables = new BoundedCache<{ functions: SourceFunctions | null }>(TABLE_BYTES);
  const results = new BoundedCache<FormAnswer>(RESULTS);

  function partsOf({ sourceMapId, objectKey, storedBytes }: KeptForm): FormParts {
    const read = (offset: number, length: number) => objects.getRange(objectKey, offset, length);
    const open = () =>
      remembered(
        heads,
        sourceMapId,
        () => openForm(read, storedBytes),
        ({ sizeBytes }) => sizeBytes,
      );
    return {
      open,
      read,
      block: (index) =>
        remembered(
          blocks,
          `${sourceMapId} ${index}`,
          async () => await readBlock(read, (await open()).head, index),
          ({ lines }) => lines.byteLength * 6,
        ),
      frame: (index) =>
        remembered(
          frames,
          `${sourceMapId} ${index}`,
          async () => await readFrame(read, (await open()).head, index),
          ({ byteLength }) => byteLength,
        ),
      async text(source) {
        const known = (await open()).head.sources[source];
        if (known === undefined || known.text === null) return null;
        return await remembered(
          texts,
          `${sourceMapId} ${source}`,
          async () => await readSource(read, known),
          (made) => (made === null ? 0 : made.text.length * 2 + made.starts.length * 8),
        );
      },
    };
  }

  async function nameAt(
    sourceMapId: string,
    found: Extract<LookUp, { kind: 'mapped' }>,
  ): Promise<string | null> {
    if (found.text === null || found.offset === null) return null;
    // The parser is loaded for the first stack that needs it.
    const { sourceFunctions } = await import('@culprit/source-maps/function-names');
    const key = `${sourceMapId} ${found.source}`;
    const known = tables.get(key) ?? { functions: sourceFunctions(found.file, found.text) };
    const before = known.functions?.count();
    const name = known.functions?.nameAt(found.offset) ?? null;
    const count = known.functions?.count() ?? 0;
    // A source is read statement by statement.
    if (count !== before) tables.set(key, known, found.text.length * 2 + TABLE_ENTRY_BYTES * (1 + count));
    return name;
  }

  async function answerTo(
    form: KeptForm,
    line: number,
    column: number,
    hasLines: boolean,
  ): Promise<FormAnswer> {
    try {
      const found = await lookUpIn(partsOf(form), line - 1, column - 1);
      if (found.kind !== 'mapped') return { kind: found.kind };
      return {
        kind: 'mapped',
        file: found.file,
        own: found.own,
        line: found.line + 1,
        column: found.column + 1,
        function: (await nameAt(form.sourceMapId, found)) ?? found.mappedFunction,
        name: found.name,
        lines: hasLines ? found.lines(redactText) : null,
      };
    } catch (error) {
      if (error instanceof DamagedFormError || error instanceof ObjectMissingError)
        return { kind: 'map_damaged' };
      throw error;
    }
  }

  const keyOf = (sourceMapId: string, line: number, column: number) => `${sourceMapId} ${line} ${column}`;
  return {
    sizeBytes: () => heads.weight + blocks.weight + frames.weight + texts.weight + tables.weight,
    known: (sourceMapId, line, column) => results.get(keyOf(sourceMapId, line, column)),
    async lookUp(form, line, column, hasLines) {
      const key = keyOf(form.sourceMapId, line, column);
      const known = results.get(key);
      if (known !== undefined && (!hasLines || known.kind !== 'mapped')) return known;
      const answer = await answerTo(form, line, column, hasLines);
      // A form that cannot be read now may be in a store whose copies become consistent late.
      if (answer.kind !== 'map_damaged') {
        results.set(key, answer.kind === 'mapped' ? { ...answer, lines: null } : answer);
      }
      return answer;
    },
  };
}

/** Returns the value in a cache; if there is none, reads it and adds it to the cache. */
async function remembered<Value>(
  cache: BoundedCache<Value>,
  key: string,
  read: () => Promise<Value>,
  weightOf: (value: Value) => number,
): Promise<Value> {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const value = await read();
  cache.set(key, value, weightOf(value));
  return value;
}
