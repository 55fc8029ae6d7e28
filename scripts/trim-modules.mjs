import { readdirSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { nodePackage } from './platform.mjs';

// Runs on the Node that is there, before anything is installed: plain JavaScript that Node 18 can read.

/**
 * The files that neither the running service nor the build of its dashboard reads: types and sources in TypeScript,
 * which Node runs nowhere below `node_modules`, source maps, descriptions, and libraries for linkers.
 */
const UNREAD = /\.(?:[cm]?ts|map|md|a)$/i;
/** Licences stay with what they are about, whatever form they have. */
const LICENCE = /licen[cs]e|copying|notice|copyright|third.?party/i;

/** Removes from what npm has installed what nothing here needs. The tools of development (`full`) need types. */
export function trimModules(modules, mode) {
  // 67 MB of headers, for modules that are compiled, of which there are none here.
  const node = nodePackage(process.platform, process.arch);
  if (node !== null) {
    rmSync(join(modules, node, 'include'), { recursive: true, force: true });
  }
  if (mode === 'production') {
    removeUnread(modules);
  }
}

/** Links are left alone: they lead to packages of this repository. */
function removeUnread(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      removeUnread(path);
    } else if (entry.isFile() && UNREAD.test(entry.name) && !LICENCE.test(entry.name)) {
      unlinkSync(path);
    }
  }
}
