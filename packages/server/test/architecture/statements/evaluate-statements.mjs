import { registerHooks } from 'node:module';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

/**
 * Gives each module its statements as one more export and prints their values: standard input has
 * `{path: [expression]}`, standard output gets `{path: [{name, text} | null]}`.
 */

/** @type {Record<string, string[]>} */
const expressions = JSON.parse(await text(process.stdin));
const sought = new Map(Object.entries(expressions).map(([path, all]) => [pathToFileURL(path).href, all]));

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const all = sought.get(url);
    if (all === undefined) return loaded;
    const thunks = all.map((expression) => `() => (${expression})`).join(',\n');
    return { ...loaded, source: `${loaded.source}\nexport const statementsForTest = [${thunks}];\n` };
  },
});

const values = {};
for (const path of Object.keys(expressions)) {
  const { statementsForTest } = await import(pathToFileURL(path).href);
  values[path] = statementsForTest.map(statementOf);
}
process.stdout.write(JSON.stringify(values), () => process.exit(0));

/** The statement; null for an expression that needs an argument of the function it stands in. */
function statementOf(thunk) {
  try {
    const { name, text: sql } = thunk();
    return typeof name === 'string' && typeof sql === 'string' ? { name, text: sql } : null;
  } catch (error) {
    if (error instanceof ReferenceError) return null;
    throw error;
  }
}
