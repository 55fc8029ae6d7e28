import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { cpuUsage, resourceUsage, stdout } from 'node:process';
import { createFormMaker } from '../../packages/server/src/maps/making/form-maker.ts';

/**
 * A process that reads one map and ends, as a worker reads it: the files that its arguments name come from the disk, and
 * a thread makes the form. It prints what that took.
 */

export interface ReadingCost {
  seconds: number;
  /** The most memory that the process had, with the bytes of both files. */
  peakMebibytes: number;
}

const [codeFile = '', mapFile = ''] = process.argv.slice(2);
const maker = createFormMaker((reason) => {
  throw new Error(reason);
});
const before = cpuUsage();
const made = await maker.make({
  path: 'assets/main.js',
  debugId: null,
  generated: bytesOf(codeFile),
  map: bytesOf(mapFile),
});
if (made?.kind !== 'made') throw new Error('the map was not read');
const { user, system } = cpuUsage(before);
const cost: ReadingCost = {
  seconds: (user + system) / 1_000_000,
  peakMebibytes: resourceUsage().maxRSS / 1024,
};
stdout.write(JSON.stringify(cost));
await maker.close();

/** Bytes of their own, which can be handed to the thread without a copy. */
function bytesOf(file: string): Uint8Array<ArrayBuffer> {
  const opened = openSync(file, 'r');
  const bytes = new Uint8Array(fstatSync(opened).size);
  for (let at = 0; at < bytes.length; ) at += readSync(opened, bytes, at, bytes.length - at, at);
  closeSync(opened);
  return bytes;
}
