import type { JsonObject, JsonValue } from '../../events/envelope/json.ts';
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
  let images: Images | null = null;
  return ({ instruction_addr, image_addr, addr_mode }) => {
    const at = addressOf(instruction_addr);
    if (at === null) return null;
    const from = addressOf(image_addr);
    // The client sends zero for an image that it did not find.
    if (from !== null && from > 0n) return at < from ? null : { offset: at - from, file: null };
    images ??= imagesOf(event);
    const relative = typeof addr_mode === 'string' ? /^rel:(\d{1,4})$/.exec(addr_mode) : null;
    if (relative !== null) return { offset: at, file: images.files[Number(relative[1])] ?? null };
    const image = lastBegunAt(images.loaded, at);
    return image === null || at >= image.to ? null : { offset: at - image.from, file: image.file };
  };
}

interface Images {
  /** At the index that frames name an image by. */
  files: (string | null)[];
  /** By their address. */
  loaded: Image[];
}

function imagesOf(event: JsonObject): Images {
  const { images } = objectOrEmpty(event.debug_meta);
  const written = Array.isArray(images) ? images.slice(0, IMAGES_READ_MAX).map(objectOrEmpty) : [];
  const loaded = written
    .flatMap((image) => imageOf(image) ?? [])
    .toSorted((a, b) => (a.from < b.from ? -1 : 1));
  loaded.forEach((image, index) => {
    // An image without a size ends at the next one.
    if (image.to === image.from) image.to = loaded[index + 1]?.from ?? ADDRESS_MAX;
  });
  return { files: written.map(fileOf), loaded };
}

const ADDRESS_MAX = 1n << 64n;

function imageOf(written: JsonObject): Image | null {
  const from = addressOf(written.image_addr);
  if (from === null) return null;
  return { from, to: from + (addressOf(written.image_size) ?? 0n), file: fileOf(written) };
}

function fileOf({ code_file, name }: JsonObject): string | null {
  return textOf(code_file, FILE_CHARS_MAX) ?? textOf(name, FILE_CHARS_MAX);
}

function lastBegunAt(loaded: readonly Image[], at: bigint): Image | null {
  let [low, high] = [0, loaded.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((loaded[middle]?.from ?? ADDRESS_MAX) <= at) low = middle + 1;
    else high = middle;
  }
  return loaded[low - 1] ?? null;
}

const HEX = /^0x[0-9a-f]{1,16}$/i;

/** An address in the form that tools for symbols require, or as a number; null for none. */
function addressOf(value: JsonValue | undefined): bigint | null {
  if (typeof value === 'string') return HEX.test(value) ? BigInt(value) : null;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : null;
}
