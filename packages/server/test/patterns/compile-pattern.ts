import { type AST, RegExpParser } from '@eslint-community/regexpp';

/** One instruction of a backtracking matcher, as engines have them. Targets are indices of the program. */
type Instruction =
  | { kind: 'match' }
  | {
      kind: 'characters';
      isOne: (text: string, at: number) => boolean;
      isBackward: boolean;
      isUnicode: boolean;
    }
  | { kind: 'jump'; to: number }
  /** Goes on at `first`, and at `second` when that fails. */
  | { kind: 'fork'; first: number; second: number }
  /** Where the reading is, or zero. */
  | { kind: 'set'; register: number; to: 'place' | 'zero' }
  | { kind: 'repeat'; count: number; min: number; max: number; isGreedy: boolean; after: number }
  /** The end of a repetition: one that read nothing is none. */
  | { kind: 'repeated'; count: number; place: number; min: number; repeat: number }
  | { kind: 'edge'; isHere: (text: string, at: number) => boolean }
  | { kind: 'look'; isNegated: boolean; after: number }
  | { kind: 'reference'; start: number; end: number; isBackward: boolean; isFolded: boolean };

export interface Program {
  instructions: readonly Instruction[];
  registers: number;
}

const parser = new RegExpParser({ ecmaVersion: 2025 });

export function compilePattern(pattern: RegExp): Program {
  const parsed = parser.parsePattern(pattern.source, 0, pattern.source.length, {
    unicode: pattern.unicode,
    unicodeSets: pattern.unicodeSets,
  });
  const flags = pattern.flags.replace(/[gyd]/g, '');
  const instructions: Instruction[] = [];
  const groups = new Map<AST.CapturingGroup, readonly [start: number, end: number]>();
  let registers = 0;
  alternatives(parsed.alternatives, flags, false);
  instructions.push({ kind: 'match' });
  return { instructions, registers };

  function alternatives(all: readonly AST.Alternative[], flags: string, isBackward: boolean): void {
    const ends: number[] = [];
    for (const [index, { elements }] of all.entries()) {
      const fork = index < all.length - 1 ? reserve() : null;
      for (const each of isBackward ? elements.toReversed() : elements) element(each, flags, isBackward);
      if (fork === null) continue;
      ends.push(reserve());
      instructions[fork] = { kind: 'fork', first: fork + 1, second: instructions.length };
    }
    for (const end of ends) instructions[end] = { kind: 'jump', to: instructions.length };
  }

  function element(node: AST.Element, flags: string, isBackward: boolean): void {
    switch (node.type) {
      case 'Character':
      case 'CharacterClass':
      case 'CharacterSet':
      case 'ExpressionCharacterClass': {
        const isUnicode = /[uv]/.test(flags);
        instructions.push({ kind: 'characters', isOne: oneOf(node.raw, flags), isBackward, isUnicode });
        return;
      }
      case 'Group':
        alternatives(node.alternatives, modified(flags, node.modifiers), isBackward);
        return;
      case 'CapturingGroup': {
        const [start, end] = registersOf(node);
        instructions.push({ kind: 'set', register: isBackward ? end : start, to: 'place' });
        alternatives(node.alternatives, flags, isBackward);
        instructions.push({ kind: 'set', register: isBackward ? start : end, to: 'place' });
        return;
      }
      case 'Quantifier':
        quantifier(node, flags, isBackward);
        return;
      case 'Assertion':
        assertion(node, flags);
        return;
      case 'Backreference': {
        const { resolved } = node;
        if (Array.isArray(resolved)) throw new Error(`${pattern} has two groups of one name`);
        const [start, end] = registersOf(resolved);
        instructions.push({ kind: 'reference', start, end, isBackward, isFolded: flags.includes('i') });
        return;
      }
    }
  }

  function quantifier(node: AST.Quantifier, flags: string, isBackward: boolean): void {
    const [count, place] = [registers, registers + 1];
    registers += 2;
    instructions.push({ kind: 'set', register: count, to: 'zero' });
    const repeat = reserve();
    instructions.push({ kind: 'set', register: place, to: 'place' });
    element(node.element, flags, isBackward);
    const { min, max, greedy: isGreedy } = node;
    instructions.push({ kind: 'repeated', count, place, min, repeat });
    instructions[repeat] = { kind: 'repeat', count, min, max, isGreedy, after: instructions.length };
  }

  function assertion(node: AST.Assertion, flags: string): void {
    if (node.kind === 'lookahead' || node.kind === 'lookbehind') {
      const look = reserve();
      alternatives(node.alternatives, flags, node.kind === 'lookbehind');
      instructions.push({ kind: 'match' });
      instructions[look] = { kind: 'look', isNegated: node.negate, after: instructions.length };
      return;
    }
    const edge = new RegExp(node.raw, `${flags}y`);
    instructions.push({
      kind: 'edge',
      isHere: (text, at) => {
        edge.lastIndex = at;
        return edge.test(text);
      },
    });
  }

  function reserve(): number {
    return instructions.push({ kind: 'match' }) - 1;
  }

  function registersOf(group: AST.CapturingGroup): readonly [start: number, end: number] {
    const known = groups.get(group);
    if (known !== undefined) return known;
    const own = [registers, registers + 1] as const;
    registers += 2;
    groups.set(group, own);
    return own;
  }
}

function modified(flags: string, modifiers: AST.Modifiers | null): string {
  if (modifiers === null) return flags;
  const { add, remove } = modifiers;
  const letters = (of: AST.ModifierFlags | null) =>
    of === null ? '' : `${of.ignoreCase ? 'i' : ''}${of.multiline ? 'm' : ''}${of.dotAll ? 's' : ''}`;
  const kept = [...flags].filter((flag) => !letters(remove).includes(flag));
  return [...new Set([...kept, ...letters(add)])].join('');
}

/** Asks the engine itself which characters a set has, each once. */
function oneOf(raw: string, flags: string): (text: string, at: number) => boolean {
  const pattern = new RegExp(`^(?:${raw})$`, flags.replace('m', ''));
  const answers = new Map<number, boolean>();
  const isUnicode = /[uv]/.test(flags);
  return (text, at) => {
    const code = (isUnicode ? text.codePointAt(at) : text.charCodeAt(at)) ?? 0;
    let answer = answers.get(code);
    if (answer === undefined) {
      answer = pattern.test(isUnicode ? String.fromCodePoint(code) : String.fromCharCode(code));
      answers.set(code, answer);
    }
    return answer;
  };
}
