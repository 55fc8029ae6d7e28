import { type FormParts, partsOf } from '../src/look-up.ts';

/** The parts of a form, each of which is read once. */
export function keptParts(form: Buffer): FormParts {
  const parts = partsOf(async (offset, length) => form.subarray(offset, offset + length), form.length);
  const remembered = <Part>(read: (index: number) => Promise<Part>) => {
    const known = new Map<number, Promise<Part>>();
    return (index: number): Promise<Part> => {
      const part = known.get(index) ?? read(index);
      known.set(index, part);
      return part;
    };
  };
  return {
    ...parts,
    block: remembered(parts.block),
    frame: remembered(parts.frame),
    text: remembered(parts.text),
  };
}
