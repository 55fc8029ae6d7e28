/**
 * Work in slices, so that one large input does not block the event loop for all others. Before each slice it yields the
 * amount of work of that slice, and continues when the next one is requested; that can be immediately. One unit is
 * about the work of reading a byte of JSON.
 */
export type Sliced<Result> = Generator<number, Result, undefined>;

/** Bytes that are read in one slice, and to the end of the token that is reached. */
export const SLICE_BYTES = 32 * 1024;
/** Measured on bodies of nothing but short numbers; of ordinary ones a byte costs a fraction of it. */
export const WORK_PER_BYTE = 2;
