/** One fault of JavaScript as the engines word it, and the one wording of the key. */
interface Wording {
  pattern: RegExp;
  says: (match: RegExpExecArray) => string;
}

const lastName = (path: string): string => path.slice(1 + path.lastIndexOf('.')).replace(/[^\w$].*/s, '');

const property = (name: string, of: string): string => `property '${name}' of ${of}`;

const WORDINGS: readonly Wording[] = [
  {
    pattern:
      /^Cannot (?:read|set) propert(?:y|ies) (?:'([^']{1,100})' )?of (undefined|null)(?: \((?:reading|setting) '([^']{1,100})'\))?$/,
    says: ([, early, of = '', late]) => property(early ?? late ?? '', of),
  },
  {
    pattern: /^can't access property "([^"]{1,100})", .{1,300} is (undefined|null)$/,
    says: ([, name = '', of = '']) => property(name, of),
  },
  {
    pattern: /^(undefined|null) is not an object \(evaluating '([^']{1,300})'\)$/,
    says: ([, of = '', path = '']) => property(lastName(path.replace(/ =.*/s, '').replace(/\(.*/s, '')), of),
  },
  {
    pattern: /^([\w$.[\]()]{1,200}) is not a function(?:\. \(In '.{0,300})?$/,
    says: ([, path = '']) => `call of ${lastName(path.replace(/\(.*/s, ''))}`,
  },
  {
    pattern: /^(?:([\w$]{1,100}) is not defined|Can't find variable: ([\w$]{1,100}))$/,
    says: ([, a, b]) => `undefined variable ${a ?? b ?? ''}`,
  },
  {
    pattern:
      /^(?:Maximum call stack size exceeded\.?|too much recursion|Maximum call stack size exceeded .{0,100})$/,
    says: () => 'stack overflow',
  },
  {
    pattern:
      /^(?:Failed to fetch|Load failed|NetworkError when attempting to fetch resource\.?|Network request failed)(?: \([\w.:-]{1,200}\))?$/,
    says: () => 'fetch failed',
  },
  {
    pattern:
      /^(?:Failed to fetch dynamically imported module|error loading dynamically imported module|Importing a module script failed).{0,1000}$/,
    says: () => 'module import failed',
  },
];

/**
 * A message that a JavaScript engine made, in words that all engines share, so that one fault seen by several browsers
 * is one incident; null for every other message.
 */
export function engineMessage(message: string): string | null {
  const text = message.trim();
  if (text.length > 1200) return null;
  for (const { pattern, says } of WORDINGS) {
    const match = pattern.exec(text);
    if (match !== null) return says(match);
  }
  return null;
}

/** Types that engines give to one fault. */
export function engineType(type: string): string {
  return type === 'InternalError' ? 'RangeError' : type;
}
