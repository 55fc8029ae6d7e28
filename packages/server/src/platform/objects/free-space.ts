import type { FreeSpace } from './object-store.ts';

const MEBIBYTE = 1024 * 1024;
const FREE_SHARE_MIN = 0.05;
const FREE_BYTES_FLOOR = 512 * MEBIBYTE;
const FREE_BYTES_CEILING = 4096 * MEBIBYTE;

/**
 * Free bytes below which nothing is accepted: 5 % of the volume, between 512 MB and 4 GB, or the operator's number
 * (docs/contract/reliability.md A6).
 */
export function guardBytes({ totalBytes }: Pick<FreeSpace, 'totalBytes'>, minBytes: number | null): number {
  return minBytes ?? Math.min(Math.max(totalBytes * FREE_SHARE_MIN, FREE_BYTES_FLOOR), FREE_BYTES_CEILING);
}

/** Returns true if a volume has this much free space, and 5 % of its file entries. */
export function hasEnoughSpace(space: FreeSpace, minBytes: number | null): boolean {
  const hasEntries = space.totalFiles === null || (space.freeFiles ?? 0) >= space.totalFiles * FREE_SHARE_MIN;
  return space.freeBytes >= guardBytes(space, minBytes) && hasEntries;
}
