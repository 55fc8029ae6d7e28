import type { Plugin } from 'rolldown';
import { minifySync } from 'rolldown/utils';

/**
 * The names of properties that are invisible outside the browser library, which its build shortens: no option, no
 * member of an event or an answer, no diagnostic and nothing of a browser may be among them. A test compares them with
 * the types of all of these. The most used come first: theirs are the shortest names.
 */
export const INTERNAL_NAMES =
  'directives project probes contextOf innermost nest startCleaner describe emit evidence isStandalone judge ' +
  'keysOf parts admits arm atMs attempts batchBytes breadcrumb diagnose diagnostics durationMs ' +
  'exception exceptionContext failure fate flight rawConfig headersFor heldBack hostAndPort hostContext intervalMs ' +
  'isAbsolute isIdle isUrgent isLoop isOnline isSecret isStopped leave loss matching maxBytes maxEvents newId ' +
  'onAnswer onBatch onDirectives onPolicy onStopped overallTally passed rank readsBodies report ' +
  'reportedAt schedule scopes settle signalIntervalMs sinceMs staleMs stats steps tallies textOf times traceId ' +
  'triggers wanted wasLimited pageClient sentTo probesLoading probesInForce latestId askConfig callEnded membersOf ' +
  'labelOf remember ring';

/** The short name of each. */
export function shortNamesOf(names: string): Record<string, string> {
  return Object.fromEntries(names.split(' ').map((name, i) => [name, shortName(i)]));
}

/** Gives each of the names the same short one in every chunk. */
export function shortenNames(names: string): Plugin {
  const short = shortNamesOf(names);
  const include = new RegExp(`^(?:${names.replaceAll(' ', '|')})$`);
  return {
    name: 'shorten-names',
    renderChunk(code, chunk) {
      const result = minifySync(chunk.fileName, code, {
        module: true,
        compress: false,
        mangle: false,
        codegen: false,
        mangleProps: { include, cache: short },
      });
      const [error] = result.errors;
      if (error !== undefined) throw new Error(`${chunk.fileName}: ${error.message}`);
      return { code: result.code };
    },
  };
}

/** Letters, those that minified code has most of first. */
const LETTERS = 'etnriaoscludfpmhgvbyxwSCTEDOkAjNFIPRMLzHqBGKUVWXYZQJ';

/** A letter or two. A test compares them with what they must not be, too. */
function shortName(index: number): string {
  const letter = LETTERS.charAt(index % LETTERS.length);
  return index < LETTERS.length ? letter : letter + shortName(Math.floor(index / LETTERS.length) - 1);
}
