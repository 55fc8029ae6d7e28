/**
 * Work in slices, so that one large input does not keep the event loop from everybody else. Before each slice it yields
 * how much work the slice is, and goes on when it is asked for the next one; it may be asked at once. One unit is about
 * what it takes to read a byte of JSON.
 */
export type Sliced<Result> = Generator<number, Result, undefined>;

/** Bytes that are read in one slice, and to the end of the token that is reached. */
export const SLICE_BYTES = 32 * 1024;
/** Measured on bodies of nothing but short numbers; of ordinary ones a byte costs a fraction of it. */
export const WORK_PER_BYTE = 2;
