/**
 * How much a function reads of texts, counted at the built-in functions of texts and patterns: a measure of its work
 * that is the same on every machine. What a pattern reads is counted once for each place it moves on from; that no
 * pattern reads more than in proportion is proven by `test/patterns` of the server.
 */
export function charactersRead(work: () => unknown): number {
  let characters = 0;
  observe(work, {
    pattern: (from, to) => {
      characters += Math.max(1, to - from);
    },
    text: (count) => {
      characters += Math.max(1, count);
    },
  });
  return characters;
}

interface Observer {
  /** A pattern read a text from one place to another. */
  pattern(from: number, to: number): void;
  text(characters: number): void;
}

type Method = (this: unknown, ...given: unknown[]) => unknown;

/** Those that read on to what they look for: their answer says how far. */
const SEARCHES = ['indexOf', 'lastIndexOf', 'includes'];
/** Those that read or copy the whole text, or what they answer. */
const WHOLE = [
  'toLowerCase',
  'toUpperCase',
  'trim',
  'trimStart',
  'trimEnd',
  'normalize',
  'isWellFormed',
  'toWellFormed',
];
const PARTS = [
  'slice',
  'substring',
  'repeat',
  'padStart',
  'padEnd',
  'concat',
  'charAt',
  'at',
  'charCodeAt',
  'codePointAt',
];
/** They ask a pattern, or read the whole text when they are given another. */
const OF_PATTERNS = ['replace', 'replaceAll', 'split', 'match', 'matchAll', 'search'];

function observe(work: () => unknown, observer: Observer): void {
  const undo: (() => void)[] = [];
  const exec = RegExp.prototype.exec;
  let isInside = false;
  function wrap(
    owner: object,
    name: string | symbol,
    around: (call: () => unknown, self: unknown, given: unknown[]) => unknown,
  ) {
    const own = Object.getOwnPropertyDescriptor(owner, name);
    const method: Method = own?.value;
    undo.push(() => Object.defineProperty(owner, name, { ...own }));
    const wrapped: Method = function (...given) {
      return around(() => method.apply(this, given), this, given);
    };
    Object.defineProperty(owner, name, { ...own, value: wrapped });
  }
  const lengthOf = (value: unknown) => (typeof value === 'string' ? value.length : 0);

  wrap(RegExp.prototype, 'exec', (_call, self, [given]) => {
    if (!(self instanceof RegExp)) throw new TypeError('no pattern');
    const text = String(given);
    const from = self.global || self.sticky ? self.lastIndex : 0;
    const found = exec.call(self, text);
    observer.pattern(from, found === null ? text.length : found.index + (found[0]?.length ?? 0));
    return found;
  });
  // Would ask its pattern at every place by itself.
  wrap(RegExp.prototype, Symbol.split, (call, self, [text]) => {
    if (self instanceof RegExp) observer.pattern(0, lengthOf(text));
    return withoutObserving(call);
  });
  for (const name of SEARCHES) {
    wrap(String.prototype, name, (call, self, [looked, start]) => {
      const answer = call();
      const from = typeof start === 'number' ? start : name === 'lastIndexOf' ? lengthOf(self) : 0;
      const isFound = typeof answer === 'number' && answer !== -1;
      const read = isFound
        ? Math.abs(answer - from) + lengthOf(looked)
        : name === 'lastIndexOf'
          ? from
          : lengthOf(self) - from;
      if (!isInside) observer.text(read);
      return answer;
    });
  }
  for (const name of [...WHOLE, ...PARTS, ...OF_PATTERNS]) {
    wrap(String.prototype, name, (call, self, [given]) => {
      const answer = call();
      if (isInside) return answer;
      if (PARTS.includes(name)) observer.text(lengthOf(answer));
      else if (!OF_PATTERNS.includes(name) || typeof given === 'string') observer.text(lengthOf(self));
      return answer;
    });
  }
  wrap(JSON, 'stringify', (call) => {
    const answer = call();
    observer.text(lengthOf(answer));
    return answer;
  });
  wrap(JSON, 'parse', (call, _self, [text]) => {
    observer.text(lengthOf(text));
    return call();
  });
  try {
    work();
  } finally {
    for (const each of undo.reverse()) each();
  }

  function withoutObserving(call: () => unknown): unknown {
    const wrapped = Object.getOwnPropertyDescriptor(RegExp.prototype, 'exec');
    Object.defineProperty(RegExp.prototype, 'exec', { ...wrapped, value: exec });
    isInside = true;
    try {
      return call();
    } finally {
      isInside = false;
      Object.defineProperty(RegExp.prototype, 'exec', { ...wrapped });
    }
  }
}
