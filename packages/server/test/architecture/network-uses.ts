/** One thing a file takes that can open a connection, or could lead to one unseen. */
export type NetworkUse = string;

/** Modules that open no connection. Whatever is not here is taken for a network library until somebody says otherwise. */
const HARMLESS_MODULES = new Set([
  'ajv',
  'ajv-formats',
  'ajv/dist/2020.js',
  'croner',
  'ipaddr.js',
  'node:async_hooks',
  'node:buffer',
  'node:crypto',
  'node:events',
  'node:fs',
  'node:fs/promises',
  'node:os',
  'node:path',
  'node:perf_hooks',
  'node:process',
  'node:stream',
  'node:stream/promises',
  'node:string_decoder',
  'node:timers',
  'node:timers/promises',
  'node:url',
  'node:util',
  'node:worker_threads',
  'node:zlib',
  'pino',
  'typebox',
  'uuid',
]);
/** Ours, with the exception of its HTTP client. */
const CONTRACT = '@culprit/contract/';
const CONTRACT_CLIENT = '@culprit/contract/endpoints/client';
/** Ours, which imports nothing that could open a connection: `imports.test.ts` sees to that. */
const EVIDENCE = '@culprit/evidence/';
/** Ours, of which the same holds. */
const SOURCE_MAPS = '@culprit/source-maps/';
/** What `node:net` knows of addresses. */
const ADDRESS_NAMES = new Set(['isIP', 'isIPv4', 'isIPv6', 'BlockList', 'SocketAddress']);

/** What reaches the network without an import, or an import without its name. */
const GLOBALS: readonly [NetworkUse, RegExp][] = [
  ['fetch', /(?<![.\w$'"`-])fetch(?![\w$'"`:-])/],
  ['fetch', /\b(?:globalThis|global|self|window)\s*\.\s*fetch\b/],
  ['WebSocket', /(?<![\w$'"`])(?:WebSocket|EventSource|XMLHttpRequest|sendBeacon)\b/],
  ['a global by a computed name', /\b(?:globalThis|global)\s*(?:\[|as\b)/],
  ['a module by a computed name', /\bimport\s*\(\s*(?!['"`][^'"`$]*['"`]\s*[,)])/],
  ['require', /(?<![.\w$])require\s*\(/],
  ['createRequire', /\bcreateRequire\s*\(/],
  ['getBuiltinModule', /\bgetBuiltinModule\b|\bprocess\s*\.\s*binding\b/],
  ['eval', /(?<![.\w$])(?:eval|Function)\s*\(/],
];

const STATIC_IMPORT = /\b(?:import|export)\s+(type\s+)?([^'"`;()]*?)\s*\bfrom\s*['"]([^'"]+)['"]/g;
const BARE_IMPORT = /\bimport\s*['"]([^'"]+)['"]/g;
const DYNAMIC_IMPORT = /\bimport\s*\(\s*['"`]([^'"`$]+)['"`]\s*[,)]/g;

/** What a source text takes of the network, by module or global name, each once. Imports of types take nothing. */
export function networkUses(text: string): NetworkUse[] {
  const code = withoutComments(text);
  const modules = [
    ...[...code.matchAll(STATIC_IMPORT)].flatMap(([, isType, names = '', specifier = '']) =>
      isType !== undefined || takesOnlyHarmlessNames(names, specifier) ? [] : [specifier],
    ),
    ...[...code.matchAll(BARE_IMPORT)].map(([, specifier = '']) => specifier),
    ...[...code.matchAll(DYNAMIC_IMPORT)].map(([, specifier = '']) => specifier),
  ];
  const globals = GLOBALS.filter(([, pattern]) => pattern.test(code)).map(([use]) => use);
  return [...new Set([...modules.filter((specifier) => !isHarmless(specifier)), ...globals])];
}

function isHarmless(specifier: string): boolean {
  if (specifier.startsWith('.') || HARMLESS_MODULES.has(specifier)) return true;
  if (specifier.startsWith(EVIDENCE) || specifier.startsWith(SOURCE_MAPS)) return true;
  return specifier.startsWith(CONTRACT) && specifier !== CONTRACT_CLIENT;
}

function takesOnlyHarmlessNames(names: string, specifier: string): boolean {
  const braced = /^\{([^}]*)\}$/.exec(names.trim())?.[1];
  if (braced === undefined) return false;
  const taken = braced
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
  const isAddresses = specifier === 'node:net' && taken.every((name) => ADDRESS_NAMES.has(name));
  // Its streams are sockets; this question opens nothing.
  const isTerminal = specifier === 'node:tty' && taken.every((name) => name === 'isatty');
  return taken.length === 0 || isAddresses || isTerminal;
}

/** Strings stay: what looks like a comment in them does too. */
function withoutComments(text: string): string {
  return text.replaceAll(
    /\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/[^\n]*|('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")/g,
    (_match, literal: string | undefined) => literal ?? ' ',
  );
}
