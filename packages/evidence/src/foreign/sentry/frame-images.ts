import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { objectOrEmpty } from '../../events/envelope/read-json.ts';
import { textOf } from './written-values.ts';

const FILE_CHARS_MAX = 1_024;
const IMAGES_READ_MAX = 1_000;

/** A binary or a library of it, as it was loaded. */
interface Image {
  from: bigint;
  /** The first address behind it. */
  to: bigint;
  file: string | null;
}

/** The place of a call in its binary, which is the same in every run of a build. */
export interface BinaryPlace {
  offset: bigint;
  /** The file of the binary, where it is known. */
  file: string | null;
}

/** Finds the places of calls in the binaries that an event lists (docs/contract/foreign-protocols.md 5.3). */
export type FindPlace = (frame: JsonObject) => BinaryPlace | null;

/**
 * Returns a finder over the images of an event, which are read with the first frame that needs them. Addresses of a
 * frame's own image come first; `rel:2` counts from the begin of the third image.
 */
export function placesIn(event: JsonObject): FindPlace {
  let images: readonly (Image | null)[] | null = null;
  return ({ instruction_addr, image_addr, addr_mode }) => {
    const at = addressOf(instruction_addr);
    if (at === null) return null;
    const from = addressOf(image_addr);
    if (from !== null) return at < from ? null : { offset: at - from, file: null };
    images ??= imagesOf(event);
    const relative = typeof addr_mode === 'string' ? /^rel:(\d{1,4})$/.exec(addr_mode) : null;
    if (relative !== null) return { offset: at, file: images[Number(relative[1])]?.file ?? null };
    const image = images.find((each) => each !== null && each.from <= at && at < each.to);
    return image ? { offset: at - image.from, file: image.file } : null;
  };
}

/** Each at the index that frames name it by. */
function imagesOf(event: JsonObject): readonly (Image | null)[] {
  const { images } = objectOrEmpty(event.debug_meta);
  const read = Array.isArray(images) ? images.slice(0, IMAGES_READ_MAX).map(imageOf) : [];
  // Where a size is missing, an image ends at the next one.
  const begins = read.flatMap((image) => image?.from ?? []).toSorted((a, b) => (a < b ? -1 : 1));
  const next = new Map(begins.map((begin, index) => [begin, begins[index + 1] ?? ADDRESS_MAX]));
  return read.map((image) =>
    image === null || image.to > image.from ? image : { ...image, to: next.get(image.from) ?? ADDRESS_MAX },
  );
}

const ADDRESS_MAX = 1n << 64n;

function imageOf(written: JsonValue): Image | null {
  if (!isJsonObject(written)) return null;
  const from = addressOf(written.image_addr);
  const file = textOf(written.code_file, FILE_CHARS_MAX) ?? textOf(written.name, FILE_CHARS_MAX);
  if (from === null) return { from: ADDRESS_MAX, to: ADDRESS_MAX + 1n, file };
  const size = typeof written.image_size === 'number' ? Math.trunc(written.image_size) : 0;
  return { from, to: from + BigInt(size > 0 && Number.isSafeInteger(size) ? size : 0), file };
}

const HEX = /^0x[0-9a-f]{1,16}$/i;

/** An address in the form that tools for symbols require, or as a number; null for none. */
function addressOf(value: JsonValue | undefined): bigint | null {
  if (typeof value === 'string') return HEX.test(value) ? BigInt(value) : null;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : null;
}
