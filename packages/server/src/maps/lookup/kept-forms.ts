import {
  DamagedFormError,
  type OpenForm,
  openForm,
  readBlock,
  type SegmentBlock,
} from '@culprit/source-maps/form-reader';
import type { FunctionTable } from '@culprit/source-maps/function-names';
import { type FormParts, type LookUp, lookUpIn, readSource } from '@culprit/source-maps/look-up';
import type { SourceExcerpt } from '@culprit/source-maps/source-lines';
import { ObjectMissingError, type ObjectStore } from '../../platform/objects/object-store.ts';
import { BoundedCache } from './bounded-cache.ts';

/** A kept source map, as a place is looked up in it. */
export interface KeptForm {
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
const BLOCK_BYTES = 33_554_432;
const TEXT_BYTES = 16_777_216;
const TABLE_BYTES = 16_777_216;
const RESULTS = 50_000;
const TABLE_ENTRY_BYTES = 64;

export function createKeptForms(objects: ObjectStore): KeptForms {
  const heads = new BoundedCache<OpenForm>(HEAD_BYTES);
  const blocks = new BoundedCache<SegmentBlock>(BLOCK_BYTES);
  const texts = new BoundedCache<{ text: string; starts: readonly number[] }>(TEXT_BYTES);
  const tables = new BoundedCache<{ table: FunctionTable | null }>(TABLE_BYTES);
  const results = new BoundedCache<FormAnswer>(RESULTS);

  function partsOf({ sourceMapId, objectKey, storedBytes }: KeptForm): FormParts {
    const read = (offset: number, length: number) => objects.getRange(objectKey, offset, length);
    const open = async () => {
      const known = heads.get(sourceMapId);
      if (known !== undefined) return known;
      const form = await openForm(read, storedBytes);
      heads.set(sourceMapId, form, form.sizeBytes);
      return form;
    };
    return {
      open,
      read,
      async block(index) {
        const key = `${sourceMapId} ${index}`;
        const known = blocks.get(key);
        if (known !== undefined) return known;
        const block = await readBlock(read, (await open()).head, index);
        blocks.set(key, block, block.lines.byteLength * 6);
        return block;
      },
      async text(source) {
        const key = `${sourceMapId} ${source}`;
        const remembered = texts.get(key);
        if (remembered !== undefined) return remembered;
        const known = (await open()).head.sources[source];
        const made = known === undefined ? null : await readSource(read, known);
        if (made !== null) texts.set(key, made, made.text.length * 2 + made.starts.length * 8);
        return made;
      },
    };
  }

  async function nameAt(
    sourceMapId: string,
    found: Extract<LookUp, { kind: 'mapped' }>,
  ): Promise<string | null> {
    if (found.text === null || found.offset === null) return null;
    // The parser is loaded for the first stack that needs it.
    const { functionAt, functionTable } = await import('@culprit/source-maps/function-names');
    const key = `${sourceMapId} ${found.source}`;
    let known = tables.get(key);
    if (known === undefined) {
      known = { table: functionTable(found.file, found.text) };
      tables.set(key, known, TABLE_ENTRY_BYTES * (1 + (known.table?.names.length ?? 0)));
    }
    return known.table === null ? null : functionAt(known.table, found.offset);
  }

  async function answerTo(form: KeptForm, line: number, column: number): Promise<FormAnswer> {
    try {
      const found = await lookUpIn(partsOf(form), line - 1, column - 1);
      if (found.kind !== 'mapped') return { kind: found.kind };
      return {
        kind: 'mapped',
        file: found.file,
        own: found.own,
        line: found.line + 1,
        column: found.column + 1,
        function: await nameAt(form.sourceMapId, found),
        name: found.name,
        lines: found.lines,
      };
    } catch (error) {
      if (error instanceof DamagedFormError || error instanceof ObjectMissingError)
        return { kind: 'map_damaged' };
      throw error;
    }
  }

  const keyOf = (sourceMapId: string, line: number, column: number) => `${sourceMapId} ${line} ${column}`;
  return {
    sizeBytes: () => heads.weight + blocks.weight + texts.weight + tables.weight,
    known: (sourceMapId, line, column) => results.get(keyOf(sourceMapId, line, column)),
    async lookUp(form, line, column, hasLines) {
      const key = keyOf(form.sourceMapId, line, column);
      const known = results.get(key);
      if (known !== undefined && (!hasLines || known.kind !== 'mapped')) return known;
      const answer = await answerTo(form, line, column);
      // A form that cannot be read now may be in a store whose copies become consistent late.
      if (answer.kind !== 'map_damaged') {
        results.set(key, answer.kind === 'mapped' ? { ...answer, lines: null } : answer);
      }
      return answer;
    },
  };
}
