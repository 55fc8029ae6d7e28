import { afterEach, describe, expect, it } from 'vitest';
import { createFormMaker, type FormMaker } from '../../src/maps/making/form-maker.ts';

/** docs/contract/source-maps.md 2.3: a map that takes too much ends its thread, and nothing else. */

let maker: FormMaker | null = null;
afterEach(async () => await maker?.close());

const bytes = (text: string) => new Uint8Array(Buffer.from(text));
/** A map of one line with as many segments. */
const task = (segments: number) => ({
  ...{ path: 'a.js', debugId: null, generated: bytes('.'.repeat(segments + 1)) },
  map: bytes(JSON.stringify({ version: 3, sources: ['a.ts'], mappings: `AAAA${',CAAC'.repeat(segments)}` })),
});

describe('the thread that reads maps', () => {
  it('is ended in the middle of its work, twice, and a third map is read by the next one', async () => {
    const reasons: string[] = [];
    maker = createFormMaker((reason) => reasons.push(reason), 1);
    expect(await maker.make(task(2_000_000))).toBeNull();
    expect(await maker.make(task(2_000_000))).toBeNull();
    expect(reasons).toEqual(['it took too long', 'it took too long']);
    await maker.close();
    maker = createFormMaker((reason) => reasons.push(reason));
    expect(await maker.make(task(10))).toMatchObject({ kind: 'made', facts: { segments: 11 } });
    expect(reasons).toHaveLength(2);
  });
});
